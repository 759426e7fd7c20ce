/**
 * What an export says of a log that was cut: after the line that names the session come the fold at the cut, the commits
 * that were kept, and the idempotency keys whose commits are gone. How many there are stands in the session's line.
 */
import { keepFor } from "./anchor.js";
import { openSealed, seal } from "../events/sealed.js";
import type { Anchor, Head, KeyAnswer, Snapshot, StoredCommit } from "./log.js";
import type { Numbered } from "./numberedLines.js";
import { sha256 } from "./sha256.js";
import { decodeSnapshot, encodeSnapshot } from "./snapshots.js";

/** What a session's line says of its cut. */
export interface AnchorCounts extends Head {
  readonly kept: number;
  readonly keys: number;
}

/** Counts what an anchor has, for the session's line. */
export async function countAnchor(anchor: Anchor): Promise<AnchorCounts> {
  const { position, hash, epoch } = anchor;
  return {
    position,
    hash,
    epoch,
    kept: await count(anchor.kept()),
    keys: await count(anchor.keys()),
  };
}

/** The counts in a session's line; `null` when they are malformed. */
export function parseCounts(value: unknown): AnchorCounts | null {
  const given = (value ?? {}) as Partial<Record<keyof AnchorCounts, unknown>>;
  const { position, hash, epoch, kept, keys } = given;
  const numbers = [position, epoch, kept, keys].every(
    (one) => Number.isSafeInteger(one) && (one as number) >= 0,
  );
  return numbers && typeof hash === "string" && (position as number) > 0
    ? (given as AnchorCounts)
    : null;
}

/** How many lines come between a session's line and its commits. */
export function linesOfAnchor(counts: AnchorCounts | undefined): number {
  return counts === undefined ? 0 : 1 + counts.kept + counts.keys;
}

/** The lines of an anchor. */
export async function* exportAnchor(anchor: Anchor): AsyncGenerator<string, void, undefined> {
  yield encodeSnapshot(await anchor.base());
  for await (const { text } of anchor.kept()) yield text;
  for await (const { key, position, answer } of anchor.keys()) {
    yield seal({ key, position, answer }, sha256).text;
  }
}

/** The fold at a cut, from its line; `undefined` when it is broken. */
export function parseBase(line: string, at: Head): Snapshot | undefined {
  const base = decodeSnapshot(line);
  return base?.position === at.position && base.hash === at.hash ? base : undefined;
}

/** An anchor that is read from lines as it is asked for: its base, what was kept, and its keys, in this order. */
export function importAnchor(reading: Numbered, session: string, counts: AnchorCounts): Anchor {
  const { position, hash, epoch } = counts;
  const next = async (): Promise<string> => {
    const line = await reading.next();
    if (line === undefined) throw reading.broken("a part of what was kept at the cut is missing");
    return line;
  };
  return {
    position,
    hash,
    epoch,
    base: async () => {
      const base = parseBase(await next(), counts);
      if (base === undefined) throw reading.broken("it should be what was folded up to the cut");
      return base;
    },
    kept: async function* () {
      const kept = new Map<number, string>();
      for (let index = 0; index < counts.kept; index++) {
        const stored = keptIn(await next());
        reading.mustHold(() => keepFor(session, counts, kept, stored));
        yield stored;
      }
    },
    keys: async function* () {
      for (let index = 0; index < counts.keys; index++) {
        const answer = parseKey(await next());
        if (answer === undefined) throw reading.broken("it should be an idempotency key");
        yield answer;
      }
    },
  };
}

/** Reads all of an anchor and keeps nothing. */
export async function drainAnchor(anchor: Anchor): Promise<void> {
  await anchor.base();
  await count(anchor.kept());
  await count(anchor.keys());
}

/** A commit that was kept, with the place that it gives itself: what checks it finds out whether that is true. */
export function keptIn(text: string): StoredCommit {
  const { n } = (openSealed(text, sha256) ?? {}) as { readonly n?: unknown };
  return { position: typeof n === "number" ? n : 0, text };
}

function parseKey(line: string): KeyAnswer | undefined {
  const { key, position, answer } = openSealed(line, sha256) ?? {};
  if (typeof key !== "string" || typeof position !== "number" || typeof answer !== "string") {
    return undefined;
  }
  return { key, position, answer };
}

async function count(items: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _ of items) found++;
  return found;
}
