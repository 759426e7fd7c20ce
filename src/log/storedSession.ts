/**
 * One session of a folder log: its reader and its writer. What they read was checked when they were opened; what they
 * write goes through the folder's group writer.
 */
import { LogUnavailable } from "../errors.js";
import { corrupt, decodeCommit } from "../events/codec.js";
import type { Commit, CommitDraft } from "../events/commit.js";
import {
  answerIn,
  asStored,
  type ChainWalk,
  clampRange,
  decoded,
  readChain,
  sealNext,
} from "./chain.js";
import type { GroupWriter } from "./groupWriter.js";
import { commitKey, headKey, keyAt, prefixOf, rangeOf, requestKey, snapshotKey } from "./keys.js";
import type {
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
import { encodeHead, findSnapshot, scanCommits } from "./streamCheck.js";

/** Reads one session of a store. */
export class StoredReader implements SessionReader {
  readonly session: string;
  protected readonly store: Store;
  protected current: Head;
  protected closed = false;
  readonly #onClose: (reader: StoredReader) => void;

  constructor(session: string, store: Store, head: Head, onClose: (reader: StoredReader) => void) {
    this.session = session;
    this.store = store;
    this.current = head;
    this.#onClose = onClose;
  }

  head(): Head {
    return this.current;
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
    const begin = (): { from: number; to: number } => {
      this.check();
      return clampRange(range, this.current.position);
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
    const text = await this.store.get(commitKey(this.session, position));
    const place = { session: this.session, position };
    if (text === undefined) throw corrupt(place, "hole", "it is missing");
    return decodeCommit(text, place, sha256);
  }

  async lookup(key: string): Promise<string | undefined> {
    this.check();
    const stored = await this.store.get(requestKey(this.session, key));
    if (stored === undefined) return undefined;
    const position = Number(stored);
    // A key of a commit past the head belongs to a history that this reader does not see.
    if (position > this.current.position) return undefined;
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
    return (await findSnapshot(this.store, this.session, last, version))?.snapshot;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#onClose(this);
  }

  protected check(): void {
    if (this.closed) throw closedLog();
  }
}

/** What a writer needs of its folder. */
export interface Writing {
  readonly epoch: number;
  readonly writer: GroupWriter;
  /** Takes note of a commit before its caller is told of it. */
  readonly confirm: (head: Head) => void;
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

  constructor(
    session: string,
    store: Store,
    head: Head,
    onClose: (reader: StoredReader) => void,
    writing: Writing,
  ) {
    super(session, store, head, onClose);
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
    const kept = [...new Set([...there, saved])].sort().slice(-SNAPSHOTS_KEPT);
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
