/**
 * A schedule: which step was taken where the default schedule would have taken another. And its token, the short text by
 * which a schedule is handed on. It knows no world and no strategy.
 */
import { BadArgument } from "../errors.js";

/** The step that is taken at a place, instead of the default one. */
export interface Deviation {
  /** How many steps had been taken before, from 0. */
  readonly at: number;
  readonly step: string;
}

/** All choices of a run, as deviations from the default schedule. */
export interface Schedule {
  /** The name of the kind of world, and its mark. */
  readonly world: string;
  readonly mark: string;
  readonly deviations: readonly Deviation[];
  /** How many steps the run takes; what comes after is its end, which chooses nothing. */
  readonly steps: number;
  /** A sum over the names of all its steps: strict replay finds by it that a run went another way. */
  readonly sum: number;
}

const PREFIX = "dv1.";

/** The sum over step names that a schedule carries: 24 bits. */
export function sumOf(names: readonly string[]): number {
  let sum = 0x811c9dc5;
  for (const name of names) {
    for (let i = 0; i < name.length; i++) sum = Math.imul(sum ^ name.charCodeAt(i), 0x01000193);
    sum = Math.imul(sum ^ 10, 0x01000193);
  }
  return (sum >>> 0) & 0xff_ffff;
}

/**
 * Writes a schedule as a token: `dv1.` and base64url. Steps that come again are written as the number of their first time.
 *
 * @example const token = encodeSchedule(failure.schedule); // dv1.WyJwYWlyIiwi...
 */
export function encodeSchedule(schedule: Schedule): string {
  const { world, mark, deviations, steps, sum } = schedule;
  const parts: (string | number)[] = [world, mark, steps, sum];
  const names: string[] = [];
  let last = 0;
  for (const { at, step } of deviations) {
    const known = names.indexOf(step);
    parts.push(at - last, known === -1 ? step : known);
    if (known === -1) names.push(step);
    last = at;
  }
  return PREFIX + Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/**
 * Reads a token.
 *
 * @throws BadArgument when the text is no token.
 */
export function decodeSchedule(token: string): Schedule {
  const parts = token.startsWith(PREFIX) ? partsOf(token.slice(PREFIX.length)) : undefined;
  const [world, mark, steps, sum, ...rest] = parts ?? [];
  if (typeof world !== "string" || typeof mark !== "string") throw noToken();
  if (!isCount(steps) || !isCount(sum) || rest.length % 2 === 1) throw noToken();
  const deviations: Deviation[] = [];
  const names: string[] = [];
  let at = 0;
  for (let i = 0; i < rest.length; i += 2) {
    const [gap, name] = [rest[i], rest[i + 1]];
    if (!isCount(gap) || (i > 0 && gap === 0)) throw noToken();
    at += gap;
    const step = isCount(name) ? names[name] : name;
    if (typeof step !== "string") throw noToken();
    if (typeof name === "string") names.push(step);
    deviations.push({ at, step });
  }
  return { world, mark, deviations, steps, sum };
}

function partsOf(body: string): readonly unknown[] | undefined {
  if (!/^[\w-]+$/.test(body)) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(body, "base64url").toString());
    return Array.isArray(parts) ? (parts as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function noToken(): BadArgument {
  return new BadArgument(
    "This is no token of a schedule: one begins with dv1. and is taken over whole, as a report prints it.",
  );
}
