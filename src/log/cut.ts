/**
 * Cutting a stored session: the anchor is written in one batch, which is the cut; then what it made needless is swept.
 * A sweep that was cut off is done again by the next lease, and readers pass over what is left meanwhile.
 */
import { BadArgument, LogUnavailable } from "../errors.js";
import { readLink } from "../events/codec.js";
import { openSealed } from "../events/sealed.js";
import {
  anchorAt,
  brokenAnchor,
  brokenKept,
  decodeAnswer,
  encodeAnchor,
  encodeAnswer,
  type StoredAnchor,
} from "./anchor.js";
import { answerIn } from "./chain.js";
import type { GroupWriter } from "./groupWriter.js";
import {
  anchorKey,
  commitKey,
  positionOf,
  rangeOf,
  requestKey,
  requestOf,
  snapshotKey,
} from "./keys.js";
import type { KeyAnswer, Snapshot, StoredCommit } from "./log.js";
import { sha256 } from "./sha256.js";
import { decodeSnapshot, encodeSnapshot } from "./snapshots.js";
import type { Change, Store } from "./store.js";
import { type Ends, headAt } from "./streamCheck.js";

/** Which session of which store is cut. */
interface Place {
  readonly store: Store;
  readonly writer: GroupWriter;
  readonly session: string;
}

/**
 * Writes the anchor, durable when this resolves. What it cut away is still in the store.
 *
 * @throws BadArgument when the log can't be cut there; LogUnavailable when the write failed.
 */
export async function writeAnchor(
  { store, writer, session }: Place,
  { head, anchor }: Ends,
  base: Snapshot,
  keep: readonly number[],
): Promise<StoredAnchor> {
  const at = await headAt(store, session, anchor, base.position);
  const cut = anchorAt(base, at, head, anchor);
  const kept = new Map<number, string>();
  for (const position of [...new Set(keep)].sort((a, b) => a - b)) {
    const text = await store.get(commitKey(session, position));
    if (text === undefined || position > cut.position) {
      throw new BadArgument(`Commit ${position} can't be kept: it is not among those to be cut.`);
    }
    kept.set(position, readLink(text, { session, position }, sha256).hash);
  }
  const { position, hash, epoch } = cut;
  const next: StoredAnchor = { position, hash, epoch, kept, swept: false };
  await write(writer, [
    { key: anchorKey(session), value: encodeAnchor(next) },
    { key: snapshotKey(session, position), value: encodeSnapshot(base) },
  ]);
  return next;
}

/**
 * Removes what an anchor made needless, and says so in it.
 *
 * @throws LogUnavailable when a write failed.
 */
export async function sweep(place: Place, anchor: StoredAnchor): Promise<StoredAnchor> {
  const { store, writer, session } = place;
  const below = { gte: commitKey(session, 1), lt: commitKey(session, anchor.position + 1) };
  for await (const batch of store.scan(below)) {
    const changes: Change[] = [];
    for (const [key, text] of batch) {
      const position = positionOf(key);
      if (position === undefined || anchor.kept.has(position)) continue;
      changes.push({ key, value: undefined }, ...answersOf(session, position, text));
    }
    if (changes.length > 0) await write(writer, changes);
  }
  const old: Change[] = [];
  const snapshots = rangeOf("s", session);
  for await (const batch of store.scan({
    ...snapshots,
    lt: snapshotKey(session, anchor.position),
  })) {
    for (const [key] of batch) old.push({ key, value: undefined });
  }
  const swept = { ...anchor, swept: true };
  await write(writer, [...old, { key: anchorKey(session), value: encodeAnchor(swept) }]);
  return swept;
}

/** The keys of a commit that goes keep what they were answered (M3). */
function answersOf(session: string, position: number, text: string): readonly Change[] {
  return Object.entries(keysIn(text)).map(([key, answer]) => ({
    key: requestKey(session, key),
    value: encodeAnswer({ position, answer }),
  }));
}

/** The idempotency keys of a stored commit. None where it is damaged: the keys' own records then say what is lost. */
function keysIn(text: string): Readonly<Record<string, string>> {
  return (openSealed(text, sha256)?.["k"] ?? {}) as Readonly<Record<string, string>>;
}

/**
 * What a cut session was folded to at its anchor.
 *
 * @throws LogCorrupt when it is missing or damaged: nothing else has it (L3).
 */
export async function readBase(
  store: Store,
  session: string,
  anchor: StoredAnchor,
): Promise<Snapshot> {
  const text = await store.get(snapshotKey(session, anchor.position));
  const base = text === undefined ? undefined : decodeSnapshot(text);
  if (base?.position === anchor.position && base.hash === anchor.hash) return base;
  throw brokenAnchor(session, anchor.position, "what was folded up to it can't be read");
}

/**
 * One commit that was kept, or `undefined` when it was not.
 *
 * @throws LogCorrupt when it is not there as it was.
 */
export async function readKept(
  store: Store,
  session: string,
  anchor: StoredAnchor,
  position: number,
): Promise<StoredCommit | undefined> {
  const hash = anchor.kept.get(position);
  if (hash === undefined) return undefined;
  const text = await store.get(commitKey(session, position));
  if (text === undefined) throw brokenKept(session, position);
  if (readLink(text, { session, position }, sha256).hash !== hash) {
    throw brokenKept(session, position);
  }
  return { position, text };
}

/** The idempotency keys whose commits are gone. */
export async function* cutKeys(
  store: Store,
  session: string,
  anchor: StoredAnchor,
): AsyncGenerator<KeyAnswer, void, undefined> {
  for await (const batch of store.scan(rangeOf("x", session))) {
    for (const [place, text] of batch) {
      const key = requestOf(place);
      const found = await cutAnswer(store, session, anchor, key, text);
      if (found !== undefined) yield { key, ...found };
    }
  }
}

/** What the record of a key says of a commit that is gone; `undefined` when that commit is there. */
export async function cutAnswer(
  store: Store,
  session: string,
  anchor: StoredAnchor,
  key: string,
  stored: string,
): Promise<Omit<KeyAnswer, "key"> | undefined> {
  const known = decodeAnswer(session, stored);
  if (known !== undefined) return known;
  const position = Number(stored);
  if (position > anchor.position || anchor.kept.has(position)) return undefined;
  // A sweep that was cut off, or is under way, has not come to it.
  const text = await store.get(commitKey(session, position));
  const answer = answerIn({ keys: keysIn(text ?? "") }, key);
  if (answer !== undefined) return { position, answer };
  const now = (await store.get(requestKey(session, key))) ?? "";
  const swept = decodeAnswer(session, now);
  if (swept !== undefined) return swept;
  throw brokenAnchor(session, position, `the answer of the key ${JSON.stringify(key)} is lost`);
}

async function write(writer: GroupWriter, changes: readonly Change[]): Promise<void> {
  const outcome = await writer.write(changes, true);
  if (outcome.kind === "written") return;
  const cause = "cause" in outcome ? outcome.cause : undefined;
  throw new LogUnavailable(
    "The session could not be cut: a write failed. It is whole or cut; close the log and open it again.",
    { cause },
  );
}
