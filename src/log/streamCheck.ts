/**
 * What is checked of a stored session when it is opened: its head against its newest commit and the watermark, and the
 * chain from the newest snapshot on (L3). Reads the store, changes nothing.
 */
import { LogCorrupt, TailLost } from "../errors.js";
import { corrupt } from "../events/codec.js";
import { decodeAnchor, type StoredAnchor } from "./anchor.js";
import { ChainWalk, EMPTY_HEAD, headOf } from "./chain.js";
import { parseJson } from "./folder.js";
import { anchorKey, commitKey, headKey, positionOf, rangeOf, UNFINISHED_HEAD } from "./keys.js";
import type { Head, Snapshot, StoredCommit } from "./log.js";
import { decodeSnapshot } from "./snapshots.js";
import { collect, type Entry, type Store } from "./store.js";
import { isConfirmed, type Confirmed } from "./watermark.js";

/** A session's head as it is stored beside its commit. */
export function encodeHead(head: Head): string {
  const { position, hash, epoch } = head;
  return JSON.stringify({ position, hash, epoch });
}

/** Commits of a session as they are stored, both ends included. */
export async function* scanCommits(
  store: Store,
  session: string,
  from: number,
  to: number,
): AsyncGenerator<readonly StoredCommit[], void, undefined> {
  const range = { gte: commitKey(session, from), lt: commitKey(session, to + 1) };
  for await (const batch of store.scan(range)) {
    yield batch.map((entry) => toStored(session, entry));
  }
}

/** Whether a session is one whose restoring was cut off. */
export async function isUnfinished(store: Store, session: string): Promise<boolean> {
  return (await store.get(headKey(session))) === UNFINISHED_HEAD;
}

/** Where a session ends, and where it begins when it was cut. */
export interface Ends {
  readonly head: Head;
  readonly anchor: StoredAnchor | undefined;
}

/**
 * Where a session ends, once its head, its newest commit and the watermark agree, and where it begins (L3).
 *
 * @throws LogCorrupt, TailLost
 */
export async function findEnds(
  store: Store,
  session: string,
  confirmed: Confirmed | undefined,
): Promise<Ends> {
  const text = await store.get(headKey(session));
  if (text === UNFINISHED_HEAD) return { head: EMPTY_HEAD, anchor: undefined };
  const begin = await store.get(anchorKey(session));
  const anchor = begin === undefined ? undefined : decodeAnchor(session, begin);
  const stored = parseHead(session, text);
  const [last] = await collect(store, { ...rangeOf("c", session), reverse: true, limit: 1 });
  const newest = newestOf(session, last && toStored(session, last), anchor);
  if (confirmed !== undefined && newest.position < confirmed.position) {
    throw new TailLost({ session, expected: confirmed.position, found: newest.position });
  }
  if (stored.position !== newest.position || stored.hash !== newest.hash) {
    const positions = [stored.position, newest.position];
    throw new LogCorrupt(
      { session, from: Math.min(...positions), to: Math.max(...positions), kind: "head" },
      `its head names commit ${stored.position}, and its newest commit is ${newest.position}`,
    );
  }
  const ends = { head: newest, anchor };
  if (confirmed !== undefined) await checkConfirmed(store, ends, session, confirmed);
  await checkFirst(store, session, ends);
  return ends;
}

/** What is left of a cut log's older commits does not count. */
function newestOf(session: string, last: StoredCommit | undefined, begin: Head = EMPTY_HEAD): Head {
  return last === undefined || last.position <= begin.position ? begin : headOf(session, last);
}

/**
 * Walks the chain from the newest fitting snapshot, or from where it begins, to the head (L3).
 *
 * @throws LogCorrupt, LogFormatError
 */
export async function verifyRecent(store: Store, session: string, ends: Ends): Promise<void> {
  const { head } = ends;
  const found = await findSnapshot(store, session, ends, head.position, undefined);
  const after = found?.head ?? ends.anchor ?? EMPTY_HEAD;
  const walk = new ChainWalk(session, after);
  for await (const batch of scanCommits(store, session, after.position + 1, head.position)) {
    for (const stored of batch) walk.link(stored);
  }
  walk.end(head.position);
  if (walk.at.hash !== head.hash) {
    throw corrupt({ session, position: head.position }, "head", "its head has another hash");
  }
}

/** The newest snapshot that is readable, of this history and not above `position` (L7). */
export async function findSnapshot(
  store: Store,
  session: string,
  { anchor }: Pick<Ends, "anchor">,
  position: number,
  version: number | undefined,
): Promise<{ readonly snapshot: Snapshot; readonly head: Head } | undefined> {
  const scan = { ...rangeOf("s", session), reverse: true };
  for await (const batch of store.scan(scan)) {
    for (const [key, text] of batch) {
      const snapshot = decodeSnapshot(text);
      if (snapshot === undefined || snapshot.position !== positionOf(key)) continue;
      if (snapshot.position > position) continue;
      if (snapshot.position < (anchor?.position ?? 0)) continue;
      if (version !== undefined && snapshot.version !== version) continue;
      const head = await headAt(store, session, anchor, snapshot.position);
      if (head?.hash === snapshot.hash) return { snapshot, head };
    }
  }
  return undefined;
}

/** The head that a commit made; `undefined` when it is not there. */
export async function headAt(
  store: Store,
  session: string,
  anchor: StoredAnchor | undefined,
  position: number,
): Promise<Head | undefined> {
  if (position === anchor?.position) return anchor;
  const text = await store.get(commitKey(session, position));
  return text === undefined ? undefined : headOf(session, { position, text });
}

/** Keys between the first and the last are met when they are read; one before the first never would be. */
async function checkFirst(store: Store, session: string, { head, anchor }: Ends): Promise<void> {
  const expected = (anchor?.position ?? 0) + 1;
  const all = rangeOf("c", session);
  // A whole log is looked at from its very first key, which may name no commit at all.
  const gte = anchor === undefined ? all.gte : commitKey(session, expected);
  const [first] = await collect(store, { ...all, gte, limit: 1 });
  if (first === undefined) return;
  const { position } = toStored(session, first);
  if (position === expected) return;
  throw new LogCorrupt(
    { session, from: expected, to: Math.min(position - 1, head.position), kind: "hole" },
    "its first commits are missing",
  );
}

async function checkConfirmed(
  store: Store,
  { anchor }: Ends,
  session: string,
  confirmed: Confirmed,
): Promise<void> {
  // Of a commit that was cut away nothing can be told any more; it was there when the cut was made.
  if (confirmed.position < (anchor?.position ?? 0)) return;
  const there = await headAt(store, session, anchor, confirmed.position);
  if (there !== undefined && isConfirmed(confirmed, there.hash)) return;
  throw corrupt(
    { session, position: confirmed.position },
    "watermark",
    "it is not the commit that had been confirmed",
  );
}

function toStored(session: string, [key, text]: Entry): StoredCommit {
  const position = positionOf(key);
  if (position === undefined) {
    throw corrupt({ session, position: 0 }, "unknown-key", `its key "${key}" names no commit`);
  }
  return { position, text };
}

function parseHead(session: string, text: string | undefined): Head {
  if (text === undefined) return EMPTY_HEAD;
  const { position, hash, epoch } = parseJson(text);
  if (typeof position !== "number" || typeof hash !== "string" || typeof epoch !== "number") {
    throw corrupt({ session, position: 0 }, "head", "its head is malformed");
  }
  return { position, hash, epoch };
}
