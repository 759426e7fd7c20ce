/**
 * The chain of commits, the same for every log: sealing the next one, and checking that a stream is whole.
 * Knows nothing of where records are kept.
 */
import { BadArgument, LogCorrupt } from "../errors.js";
import { corrupt, decodeCommit, encodeCommit, readLink, type Link } from "../events/codec.js";
import type { Commit, CommitDraft } from "../events/commit.js";
import { UPCASTERS, upcasterFrom } from "../events/upcasters.js";
import type { Head, StoredCommit } from "./log.js";
import { sha256 } from "./sha256.js";

/** The head of a stream that holds nothing. */
export const EMPTY_HEAD: Head = { position: 0, hash: "", epoch: 0 };

/** Seals the commit that follows a head, and gives the head that results (L2). */
export function sealNext(
  draft: CommitDraft,
  head: Head,
  epoch: number,
): { readonly text: string; readonly head: Head } {
  const { text, hash } = encodeCommit(draft, { prev: head.hash, epoch }, sha256);
  return { text, head: { position: draft.n, hash, epoch } };
}

/**
 * Walks a stream upwards and refuses the first commit that does not follow the one before it: by its number, by the
 * hash it names, or by an epoch that went back (L3).
 */
export class ChainWalk {
  readonly #session: string;
  #before: Head;

  constructor(session: string, after: Head) {
    this.#session = session;
    this.#before = after;
  }

  /** The last commit that was walked over. */
  get at(): Head {
    return this.#before;
  }

  /** Checks one commit's own hash, version and place, without reading its events. */
  link(stored: StoredCommit): Link {
    this.#expect(stored.position);
    const link = readLink(stored.text, this.#place(stored), sha256);
    upcasterFrom(link.version, UPCASTERS);
    this.#follow(link);
    return link;
  }

  /** The same, and decodes it. */
  commit(stored: StoredCommit): Commit {
    this.#expect(stored.position);
    const commit = decodeCommit(stored.text, this.#place(stored), sha256);
    this.#follow(commit);
    return commit;
  }

  /** Says that nothing follows: refuses when the walk has not come to `position`. */
  end(position: number): void {
    if (this.#before.position < position) this.#expect(position + 1);
  }

  #place(stored: StoredCommit): { session: string; position: number } {
    return { session: this.#session, position: stored.position };
  }

  #expect(position: number): void {
    const from = this.#before.position + 1;
    if (position === from) return;
    throw new LogCorrupt(
      { session: this.#session, from, to: position - 1, kind: "hole" },
      "commits are missing",
    );
  }

  #follow(next: Pick<Link, "n" | "prev" | "epoch" | "hash">): void {
    const place = { session: this.#session, position: next.n };
    if (next.prev !== this.#before.hash) {
      throw corrupt(place, "chain", "it does not follow the commit before it");
    }
    if (next.epoch < this.#before.epoch) {
      throw corrupt(
        place,
        "chain",
        "it was written under an older lease than the commit before it",
      );
    }
    this.#before = { position: next.n, hash: next.hash, epoch: next.epoch };
  }
}

/** Takes a commit decoded. */
export function decoded(walk: ChainWalk, stored: StoredCommit): Commit {
  return walk.commit(stored);
}

/** Takes a commit as it is stored. */
export function asStored(walk: ChainWalk, stored: StoredCommit): StoredCommit {
  walk.link(stored);
  return stored;
}

/** What a commit says of one of its idempotency keys (M3). */
export function answerIn(
  commit: Pick<CommitDraft, "keys"> | undefined,
  key: string,
): string | undefined {
  const keys = commit?.keys;
  return keys !== undefined && Object.hasOwn(keys, key) ? keys[key] : undefined;
}

/** The head that a stored commit makes, once its own hash is found right (L3). */
export function headOf(session: string, stored: StoredCommit): Head {
  const { n, hash, epoch } = readLink(stored.text, { session, position: stored.position }, sha256);
  return { position: n, hash, epoch };
}

/** A range of positions, empty when `from` is above `to`, of a stream that begins after `begin`. */
export interface ChainRange {
  readonly from: number;
  readonly to: number;
  readonly begin: Head;
}

/**
 * Reads a range of commits, verified from the commit before it on (L3).
 * `range` is asked when the reading begins; `scan` gives stored commits in order, both ends included, as many at a
 * time as suits it; `take` checks one and says what is given.
 */
export async function* readChain<T>(
  session: string,
  range: () => ChainRange,
  scan: (from: number, to: number) => AsyncIterable<readonly StoredCommit[]>,
  take: (walk: ChainWalk, stored: StoredCommit) => T,
): AsyncGenerator<T, void, undefined> {
  const { from, to, begin } = range();
  if (from > to) return;
  // The commit before the range is read for its hash alone: without it the first of the range would be unproven.
  const isFirst = from === begin.position + 1;
  let walk = isFirst ? new ChainWalk(session, begin) : undefined;
  for await (const batch of scan(isFirst ? from : from - 1, to)) {
    for (const stored of batch) {
      if (walk !== undefined) {
        yield take(walk, stored);
      } else {
        if (stored.position !== from - 1) throw missing(session, from - 1, stored.position - 1);
        walk = new ChainWalk(session, headOf(session, stored));
      }
    }
  }
  if (walk === undefined) throw missing(session, from - 1, to);
  walk.end(to);
}

function missing(session: string, from: number, to: number): LogCorrupt {
  return new LogCorrupt({ session, from, to, kind: "hole" }, "commits are missing");
}

/** The refusal of restoring a session where there is one. */
export function alreadyThere(session: string): BadArgument {
  return new BadArgument(
    `There is a session ${JSON.stringify(session)} here already. Restore it into a log that has none of that name.`,
  );
}
