/**
 * The anchor of a cut log as it is stored: the head before the cut, and which older commits were kept. What goes with it
 * (base, kept commits, answers of keys) stands in records of its own.
 */
import { BadArgument, LogCorrupt, LogCut } from "../errors.js";
import { corrupt, decodeCommit } from "../events/codec.js";
import type { Commit } from "../events/commit.js";
import { openSealed, seal } from "../events/sealed.js";
import { type ChainRange, EMPTY_HEAD } from "./chain.js";
import type { Head, KeyAnswer, ReadRange, Snapshot, StoredCommit } from "./log.js";
import { sha256 } from "./sha256.js";

/** An anchor as it is stored beside its session. */
export interface StoredAnchor extends Head {
  /** The commits at or below it that were kept: position and hash, in order. */
  readonly kept: ReadonlyMap<number, string>;
  /** Nothing that was cut is left in the store. */
  readonly swept: boolean;
}

/** An anchor as text. */
export function encodeAnchor(anchor: StoredAnchor): string {
  const { position, hash, epoch, kept, swept } = anchor;
  return seal({ position, hash, epoch, swept, kept: [...kept] }, sha256).text;
}

/**
 * A stored anchor.
 *
 * @throws LogCorrupt when it is damaged: where the log begins can't be told then (L3).
 */
export function decodeAnchor(session: string, text: string): StoredAnchor {
  const { position, hash, epoch, kept, swept } = openSealed(text, sha256) ?? {};
  const isHead =
    Number.isSafeInteger(position) && typeof hash === "string" && typeof epoch === "number";
  if (!isHead || !Array.isArray(kept)) throw brokenAnchor(session, 0, "it is damaged");
  return {
    position: position as number,
    hash,
    epoch,
    swept: swept === true,
    kept: new Map(kept as [number, string][]),
  };
}

/** Damage of an anchor, or of what goes with it. */
export function brokenAnchor(session: string, position: number, detail: string): LogCorrupt {
  return new LogCorrupt(
    { session, from: position, to: position, kind: "anchor" },
    `of the place where the log was cut: ${detail}`,
  );
}

/** A kept commit that is gone, or is another than the one that was kept (L3). */
export function brokenKept(session: string, position: number): LogCorrupt {
  return corrupt(
    { session, position },
    "anchor",
    "it was kept at a cut, and is not there as it was",
  );
}

/**
 * The range that a reading takes of a stream that may have been cut.
 *
 * @throws LogCut when it should begin with a commit that is gone.
 */
export function readableRange(
  session: string,
  range: ReadRange,
  begin: Head = EMPTY_HEAD,
  last: number,
): ChainRange {
  const first = begin.position + 1;
  const from = Math.max(1, range.from ?? first);
  const to = Math.min(last, range.to ?? last);
  if (from < first && from <= to) {
    throw new LogCut({ session, position: from, anchor: begin.position });
  }
  return { from, to, begin };
}

/**
 * The anchor that a cut makes.
 *
 * @param at the head that the commit of the base made; `undefined` when there is none.
 * @throws BadArgument when the log can't be cut there.
 */
export function anchorAt(
  base: Snapshot,
  at: Head | undefined,
  head: Head,
  before: Head = EMPTY_HEAD,
): Head {
  const { position } = base;
  if (!Number.isSafeInteger(position) || position >= head.position || position <= before.position) {
    throw new BadArgument(
      `A log can be cut after commits ${before.position + 1} to ${head.position - 1}, not after ${position}.`,
      "S6",
    );
  }
  if (at === undefined || at.hash !== base.hash) {
    throw new BadArgument(`The base of the cut is none of commit ${position}.`, "S6");
  }
  return at;
}

/** What a key's record holds once its commit is gone. */
export function encodeAnswer({ position, answer }: Omit<KeyAnswer, "key">): string {
  return seal({ position, answer }, sha256).text;
}

/** What {@link encodeAnswer} wrote; `undefined` for the position of a commit. @throws LogCorrupt */
export function decodeAnswer(session: string, text: string): Omit<KeyAnswer, "key"> | undefined {
  if (!text.startsWith("{")) return undefined;
  const { position, answer } = openSealed(text, sha256) ?? {};
  if (typeof position !== "number" || typeof answer !== "string") {
    throw brokenAnchor(session, 0, "the answer of an idempotency key is damaged");
  }
  return { position, answer };
}

/**
 * Takes one commit that was kept, in order, and gives it decoded.
 *
 * @param kept what was taken before; this one joins it.
 * @throws LogCorrupt when it is damaged, or is out of place.
 */
export function keepFor(
  session: string,
  { position: last }: Head,
  kept: Map<number, string>,
  stored: StoredCommit,
): Commit {
  const { position } = stored;
  const commit = decodeCommit(stored.text, { session, position }, sha256);
  if (kept.has(position) || position > last) throw brokenKept(session, position);
  kept.set(position, commit.hash);
  return commit;
}
