/**
 * One session of a folder log: its reader and its writer. What they read was checked when they were opened; what they
 * write goes through the folder's group writer.
 */
import { BadArgument, LogUnavailable } from "../errors.js";
import { corrupt, decodeCommit } from "../events/codec.js";
import type { Commit, CommitDraft } from "../events/commit.js";
import { readableRange, type StoredAnchor } from "./anchor.js";
import {
  answerIn,
  asStored,
  type ChainWalk,
  type ChainRange,
  decoded,
  readChain,
  sealNext,
} from "./chain.js";
import { cutAnswer, cutKeys, readBase, readKept, sweep, writeAnchor } from "./cut.js";
import type { GroupWriter } from "./groupWriter.js";
import { commitKey, headKey, keyAt, prefixOf, rangeOf, requestKey, snapshotKey } from "./keys.js";
import type {
  Anchor,
  AppendResult,
  Head,
  ReadRange,
  SessionLog,
  SessionReader,
  Snapshot,
  StoredCommit,
} from "./log.js";
import { sha256 } from "./sha256.js";
import { encodeSnapshot, SNAPSHOTS_KEPT } from "./snapshots.js";
import { collect, type Change, type Store } from "./store.js";
import { encodeHead, type Ends, findSnapshot, scanCommits } from "./streamCheck.js";

/** Reads one session of a store. */
export class StoredReader implements SessionReader {
  readonly session: string;
  protected readonly store: Store;
  protected current: Head;
  protected begin: StoredAnchor | undefined;
  protected closed = false;
  readonly #onClose: (reader: StoredReader) => void;

  constructor(session: string, store: Store, ends: Ends, onClose: (reader: StoredReader) => void) {
    this.session = session;
    this.store = store;
    this.current = ends.head;
    this.begin = ends.anchor;
    this.#onClose = onClose;
  }

  head(): Head {
    return this.current;
  }

  /** Both at once, as they are now. */
  get ends(): Ends {
    return { head: this.current, anchor: this.begin };
  }

  /** The session was cut beside this reader, who finds no more below it from now on. */
  wasCut(anchor: StoredAnchor): void {
    this.begin = anchor;
  }

  anchor(): Anchor | undefined {
    const { begin, session, store } = this;
    if (begin === undefined) return undefined;
    const { position, hash, epoch, kept } = begin;
    return {
      position,
      hash,
      epoch,
      base: () => readBase(store, session, begin),
      kept: async function* () {
        for (const at of kept.keys()) {
          const stored = await readKept(store, session, begin, at);
          if (stored !== undefined) yield stored;
        }
      },
      keys: () => cutKeys(store, session, begin),
    };
  }

  read(range: ReadRange = {}): AsyncGenerator<Commit, void, undefined> {
    return this.#walk(range, decoded);
  }

  records(range: ReadRange = {}): AsyncGenerator<StoredCommit, void, undefined> {
    return this.#walk(range, asStored);
  }

  #walk<T>(
    range: ReadRange,
    take: (walk: ChainWalk, stored: StoredCommit) => T,
  ): AsyncGenerator<T, void, undefined> {
    const begin = (): ChainRange => {
      this.check();
      return readableRange(this.session, range, this.begin, this.current.position);
    };
    const scan = (from: number, to: number): AsyncIterable<readonly StoredCommit[]> =>
      scanCommits(this.store, this.session, from, to);
    return readChain(this.session, begin, scan, take);
  }

  async get(position: number): Promise<Commit | undefined> {
    this.check();
    if (!Number.isInteger(position) || position < 1 || position > this.current.position) {
      return undefined;
    }
    const place = { session: this.session, position };
    const text =
      position > (this.begin?.position ?? 0)
        ? await this.store.get(commitKey(this.session, position))
        : await this.#kept(position);
    if (text === undefined) {
      // Cut away, perhaps a moment ago.
      if (position <= (this.begin?.position ?? 0)) return undefined;
      throw corrupt(place, "hole", "it is missing");
    }
    return decodeCommit(text, place, sha256);
  }

  async lookup(key: string): Promise<string | undefined> {
    this.check();
    const stored = await this.store.get(requestKey(this.session, key));
    if (stored === undefined) return undefined;
    const gone = this.begin && (await cutAnswer(this.store, this.session, this.begin, key, stored));
    const position = gone?.position ?? Number(stored);
    // A key of a commit past the head belongs to a history that this reader does not see.
    if (position > this.current.position) return undefined;
    if (gone !== undefined) return gone.answer;
    const answer = answerIn(await this.get(position), key);
    if (answer !== undefined) return answer;
    const place = { session: this.session, position };
    throw corrupt(place, "unknown-key", "an idempotency key names it that it does not hold");
  }

  async loadSnapshot(
    version: number | undefined,
    position = Infinity,
  ): Promise<Snapshot | undefined> {
    this.check();
    const last = Math.min(position, this.current.position);
    return (await findSnapshot(this.store, this.session, this.ends, last, version))?.snapshot;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#onClose(this);
  }

  protected check(): void {
    if (this.closed) throw closedLog();
  }

  async #kept(position: number): Promise<string | undefined> {
    const { begin } = this;
    if (begin === undefined) return undefined;
    try {
      return (await readKept(this.store, this.session, begin, position))?.text;
    } catch (error) {
      // Cut anew while it was read: what was kept before may be gone rightly.
      if (begin !== this.begin) return this.#kept(position);
      throw error;
    }
  }
}

/** What a writer needs of its folder. */
export interface Writing {
  readonly epoch: number;
  readonly writer: GroupWriter;
  /** Takes note of a commit before its caller is told of it. */
  readonly confirm: (head: Head) => void;
  /** Tells everybody who reads this session that it has been cut, before anything of it goes. */
  readonly cut: (anchor: StoredAnchor) => void;
}

/** Writes one session of a store (L5). */
export class StoredSession extends StoredReader implements SessionLog {
  readonly epoch: number;
  readonly #writing: Writing;
  readonly #headKey: string;
  readonly #commits: string;
  /** Keys of the snapshots that are there, once they were looked up: reading them means reading whole states. */
  #snapshots: readonly string[] | undefined;
  #append: Promise<AppendResult> | undefined;
  #cutting = false;

  constructor(
    session: string,
    store: Store,
    ends: Ends,
    onClose: (reader: StoredReader) => void,
    writing: Writing,
  ) {
    super(session, store, ends, onClose);
    this.epoch = writing.epoch;
    this.#writing = writing;
    this.#headKey = headKey(session);
    this.#commits = prefixOf("c", session);
  }

  async append(commit: CommitDraft): Promise<AppendResult> {
    if (this.closed) return { kind: "unavailable", cause: closedLog() };
    const head = this.current;
    if (this.#append !== undefined || commit.n !== head.position + 1) {
      return { kind: "conflict", head };
    }
    this.#append = this.#write(commit, head);
    const result = await this.#append;
    this.#append = undefined;
    return result;
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.check();
    if (snapshot.position > this.current.position) return;
    try {
      await this.#keep(snapshot);
    } catch {
      // A lost snapshot alone is no loss; what is wrong with the store the next append reports.
    }
  }

  async cut(base: Snapshot, keep: readonly number[]): Promise<void> {
    this.check();
    if (this.#cutting) throw new BadArgument(`Session "${this.session}" is being cut already.`);
    this.#cutting = true;
    try {
      const place = { store: this.store, writer: this.#writing.writer, session: this.session };
      const anchor = await writeAnchor(place, this.ends, base, keep);
      this.#writing.cut(anchor);
      this.#snapshots = undefined;
      this.#writing.cut(await sweep(place, anchor));
    } finally {
      this.#cutting = false;
    }
  }

  override async close(): Promise<void> {
    this.closed = true;
    await this.#append;
    await super.close();
  }

  async #keep(snapshot: Snapshot): Promise<void> {
    const saved = snapshotKey(this.session, snapshot.position);
    const stored = async (): Promise<readonly string[]> =>
      (await collect(this.store, rangeOf("s", this.session))).map(([key]) => key);
    const there = (this.#snapshots ??= await stored());
    const base = this.begin && snapshotKey(this.session, this.begin.position);
    const newest = [...new Set([...there, saved])].sort().slice(-SNAPSHOTS_KEPT);
    const kept = there.filter((key) => key === base || newest.includes(key));
    if (newest.includes(saved) && !kept.includes(saved)) kept.push(saved);
    const changes: Change[] = there
      .filter((key) => !kept.includes(key))
      .map((key) => ({ key, value: undefined }));
    if (kept.includes(saved)) changes.push({ key: saved, value: encodeSnapshot(snapshot) });
    this.#snapshots = kept;
    if (changes.length > 0) await this.#writing.writer.write(changes);
  }

  async #write(commit: CommitDraft, head: Head): Promise<AppendResult> {
    let next: { readonly text: string; readonly head: Head };
    try {
      next = sealNext(commit, head, this.epoch);
    } catch (cause) {
      // What JSON can't carry; it fails before anything is handed over.
      return { kind: "unavailable", cause };
    }
    const outcome = await this.#writing.writer.write([
      { key: keyAt(this.#commits, commit.n), value: next.text },
      { key: this.#headKey, value: encodeHead(next.head) },
      ...Object.keys(commit.keys ?? {}).map((key) => ({
        key: requestKey(this.session, key),
        value: String(commit.n),
      })),
    ]);
    if (outcome.kind === "unknown") return { ...outcome, commitId: commit.id };
    if (outcome.kind !== "written") return outcome;
    this.current = next.head;
    this.#writing.confirm(next.head);
    return { kind: "appended", head: next.head };
  }
}

/** What is said of every use after a close. */
export function closedLog(): LogUnavailable {
  return new LogUnavailable("This log is closed. Open it again to use it.");
}
