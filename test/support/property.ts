/**
 * Runs a property with a seed that can be pinned and is named when it fails: `DOVECOTE_SEED` pins it,
 * `DOVECOTE_RUNS` says how often it is tried.
 */
import { appendFileSync } from "node:fs";
import { fc } from "@fast-check/vitest";

const RUNS = 300;
/** Fixed, so that a run that passed here passes there. */
const SEED = 20;

function numberFrom(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  const number = Number(text);
  if (!Number.isInteger(number)) throw new Error(`${name} must be an integer, and is "${text}"`);
  return number;
}

interface Settings {
  readonly seed: number;
  readonly numRuns: number;
}

function settings(runs: number): Settings {
  const fallback = fc.readConfigureGlobal().seed ?? SEED;
  const seed = numberFrom("DOVECOTE_SEED") ?? fallback;
  const numRuns = numberFrom("DOVECOTE_RUNS") ?? runs;
  const file = process.env["DOVECOTE_TALLY"];
  // One short line is appended whole, whichever worker writes it.
  if (file !== undefined) appendFileSync(file, `${numRuns} ${seed}\n`);
  return { seed, numRuns };
}

function failed({ seed, numRuns }: Settings, cause: unknown): Error {
  const what = cause instanceof Error ? cause.message : String(cause);
  const how = `Repeat with DOVECOTE_SEED=${seed} DOVECOTE_RUNS=${numRuns}`;
  return new Error(`${how}\n${what}`, { cause });
}

/** Checks that `holds` does not throw for random values; the message of a failure says how to repeat it. */
export function check<T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void): void {
  const given = settings(RUNS);
  try {
    fc.assert(fc.property(arbitrary, holds), { ...given });
  } catch (cause) {
    throw failed(given, cause);
  }
}

/** The same for what takes its time; `runs` unless `DOVECOTE_RUNS` says otherwise. */
export async function checkSlowly<T>(
  arbitrary: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
  runs = RUNS,
): Promise<void> {
  const given = settings(runs);
  try {
    await fc.assert(fc.asyncProperty(arbitrary, holds), { ...given });
  } catch (cause) {
    throw failed(given, cause);
  }
}
