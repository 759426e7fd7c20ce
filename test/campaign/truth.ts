/** What must be in a log, and the judgement of a folder against it. Every judgement ends with a whole verification. */
import { rm } from "node:fs/promises";
import { DovecoteError } from "../../src/errors.js";
import { levelLog, readLevelLog, salvageLog } from "../../src/log/levelLog.js";
import type { EventLog } from "../../src/log/log.js";
import { verifyLog } from "../../src/log/verify.js";
import { fingerprint } from "../support/folders.js";
import type { Verdict } from "./table.js";

/** What had been confirmed of each session, and what of that the watermark is sure to know. */
export interface Truth {
  /** The hash of every commit there was, by session, the first at index 0. */
  readonly hashes: ReadonlyMap<string, readonly string[]>;
  /** How many had been confirmed. */
  readonly confirmed: ReadonlyMap<string, number>;
  /** How many the watermark knew. */
  readonly marked: ReadonlyMap<string, number>;
}

/** A verdict with what it rests on. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly detail: string;
}

/** The hashes of all commits of a log. */
export async function hashesOf(log: EventLog): Promise<Map<string, string[]>> {
  const hashes = new Map<string, string[]>();
  for (const session of await log.sessions()) {
    const reader = await log.readSession(session);
    const found: string[] = [];
    if (reader !== undefined) for await (const { hash } of reader.read()) found.push(hash);
    await reader?.close();
    hashes.set(session, found);
  }
  return hashes;
}

/** Opens a damaged folder for writing, then reads it whole; what is said of it must fit the truth. */
export async function judge(folder: string, truth: Truth): Promise<Judgement> {
  const before = await fingerprint(folder);
  const refusals: string[] = [];
  const log = levelLog(folder);
  try {
    for (const session of truth.hashes.keys()) {
      try {
        await (await log.openSession(session)).close();
      } catch (error) {
        if (!(error instanceof DovecoteError)) return untyped(error);
        refusals.push(`${session}: ${error.message}`);
      }
    }
  } finally {
    await log.close();
  }
  const all = refusals.length === truth.hashes.size;
  if (all && !same(before, await fingerprint(folder))) {
    return { verdict: "lost", detail: `a refusal changed the folder: ${refusals[0] ?? ""}` };
  }
  const found = await readWhole(folder);
  if (found.error instanceof Error && !(found.error instanceof DovecoteError)) {
    return untyped(found.error);
  }
  const told = refusals.length > 0 || found.error !== undefined || found.refused.length > 0;
  const wrong = wrongIn(truth, found.hashes, new Set(found.refused));
  if (wrong !== undefined && found.error === undefined) return { verdict: "lost", detail: wrong };
  if (told) return judgeSalvage(folder, truth, refusals[0] ?? String(found.error));
  const short = [...truth.confirmed].some(
    ([session, count]) => (found.hashes.get(session)?.length ?? 0) < count,
  );
  return { verdict: short ? "lag" : "harmless", detail: "" };
}

interface Found {
  readonly hashes: ReadonlyMap<string, readonly string[]>;
  readonly refused: readonly string[];
  readonly error?: unknown;
}

/** A whole verification, on a copy, and what could be read of the sessions that passed it. */
async function readWhole(folder: string): Promise<Found> {
  const log = readLevelLog(folder);
  try {
    const { sessions } = await verifyLog(log);
    const hashes = new Map<string, string[]>();
    for (const { session, ok } of sessions) {
      if (!ok) continue;
      const reader = await log.readSession(session);
      const read: string[] = [];
      if (reader !== undefined) for await (const { hash } of reader.read()) read.push(hash);
      hashes.set(session, read);
    }
    return { hashes, refused: sessions.filter(({ ok }) => !ok).map(({ session }) => session) };
  } catch (error) {
    return { hashes: new Map(), refused: [], error };
  } finally {
    await log.close();
  }
}

/** What a log that claims to be whole must not be. */
function wrongIn(
  truth: Truth,
  found: ReadonlyMap<string, readonly string[]>,
  refused: ReadonlySet<string>,
): string | undefined {
  for (const [session, hashes] of truth.hashes) {
    if (refused.has(session)) continue;
    const read = found.get(session) ?? [];
    if (read.some((hash, index) => hashes[index] !== undefined && hash !== hashes[index])) {
      return `${session} holds other commits than were written`;
    }
    const marked = truth.marked.get(session) ?? 0;
    if (read.length < marked) return `${session} ends at ${read.length}, and ${marked} was marked`;
  }
  return undefined;
}

/** What is reported must be salvageable: whatever comes out is whole, and nothing but what was written. */
async function judgeSalvage(folder: string, truth: Truth, detail: string): Promise<Judgement> {
  const to = `${folder}-salvaged`;
  try {
    const { sessions } = await salvageLog(folder, to);
    const found = sessions.some(({ head }) => head.position > 0)
      ? await readWhole(to)
      : { hashes: new Map<string, string[]>(), refused: [] };
    const anything = new Map([...truth.marked.keys()].map((session) => [session, 0]));
    const wrong = wrongIn({ ...truth, marked: anything }, found.hashes, new Set());
    if (found.refused.length > 0 || wrong !== undefined) {
      return { verdict: "lost", detail: `salvage: ${wrong ?? found.refused.join(" ")}` };
    }
    for (const { session, head, leftOut } of sessions) {
      const left = leftOut.reduce((sum, { from, to: last }) => sum + last - from + 1, 0);
      if (head.position + left >= (truth.marked.get(session) ?? 0)) continue;
      return { verdict: "lost", detail: `salvage accounts for too little of ${session}` };
    }
    return { verdict: "reported", detail };
  } catch (error) {
    if (error instanceof DovecoteError && error.code === "log-corrupt") {
      return { verdict: "reported", detail };
    }
    return { verdict: "lost", detail: `salvage: ${String(error)}` };
  } finally {
    await rm(to, { recursive: true, force: true });
  }
}

function untyped(error: unknown): Judgement {
  return { verdict: "lost", detail: `an error without a type: ${String(error)}` };
}

/** Of all that may lie in a refused folder only what LevelDB says to people may change. */
function same(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
