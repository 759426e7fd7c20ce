/**
 * A log in memory. It stores the same sealed texts as a log on disk, so that what it gives back has been through the
 * codec and the chain. Its storage outlives it, as a disk would: close the log, and another one reads what was kept.
 */
import { LogInUse, LogUnavailable } from "../errors.js";
import type { Commit, CommitDraft } from "../events/commit.js";
import {
  alreadyThere,
  answerIn,
  asStored,
  ChainWalk,
  clampRange,
  decoded,
  EMPTY_HEAD,
  readChain,
  sealNext,
} from "./chain.js";
import { decodeCommit } from "../events/codec.js";
import { checkSessionId } from "./keys.js";
import type {
  AppendResult,
  EventLog,
  Head,
  ReadRange,
  SessionLog,
  SessionReader,
  Snapshot,
  StoredCommit,
} from "./log.js";
import { sha256 } from "./sha256.js";
import { decodeSnapshot, encodeSnapshot, SNAPSHOTS_KEPT } from "./snapshots.js";

/** How many commits are handed over at a time. */
const BATCH = 256;

interface Stream {
  /** Commit n is at n - 1. */
  readonly records: string[];
  readonly heads: Head[];
  readonly snapshots: Map<number, string>;
  /** The commit that carries each idempotency key. */
  readonly keys: Map<string, number>;
  holder: object | undefined;
  /** The last epoch given out: an epoch is never given twice, even when nothing was appended under it. */
  epoch: number;
}

/** What a memory log keeps: the stand-in for a disk. */
export class MemoryStorage {
  /** @internal */
  readonly streams = new Map<string, Stream>();

  /**
   * What a disk would hold if the power failed now, free of leases; with `upTo`, if it had failed right after that
   * commit. The copy and the original share nothing.
   *
   * @example const afterCrash = memoryLog(storage.copy())
   */
  copy(upTo = Number.POSITIVE_INFINITY): MemoryStorage {
    const copy = new MemoryStorage();
    for (const [session, stream] of this.streams) {
      const heads = stream.heads.slice(0, upTo);
      const snapshots = [...stream.snapshots].filter(([position]) => position <= upTo);
      copy.streams.set(session, {
        records: stream.records.slice(0, upTo),
        heads,
        snapshots: new Map(snapshots),
        keys: new Map([...stream.keys].filter(([, position]) => position <= upTo)),
        holder: undefined,
        epoch: heads.at(-1)?.epoch ?? 0,
      });
    }
    return copy;
  }
}

/**
 * A log in memory (M3, L5): durable as long as its storage is kept.
 *
 * @param storage what an earlier memory log left; a new and empty one unless given.
 * @example const session = await memoryLog().openSession("review-42")
 */
export function memoryLog(storage: MemoryStorage = new MemoryStorage()): EventLog {
  return new MemoryLog(storage);
}

class MemoryLog implements EventLog {
  readonly name = "memory";
  readonly #storage: MemoryStorage;
  readonly #open = new Set<MemoryReader>();
  #closed = false;

  constructor(storage: MemoryStorage) {
    this.#storage = storage;
  }

  async sessions(): Promise<readonly string[]> {
    this.#check();
    const streams = [...this.#storage.streams];
    return streams
      .filter(([, stream]) => stream.records.length > 0)
      .map(([session]) => session)
      .sort();
  }

  async openSession(session: string): Promise<SessionLog> {
    this.#check();
    checkSessionId(session);
    const stream = this.#storage.streams.get(session) ?? newStream();
    if (stream.holder !== undefined) throw new LogInUse(`Session "${session}"`);
    this.#storage.streams.set(session, stream);
    return this.#track(new MemorySession(session, stream, (reader) => this.#open.delete(reader)));
  }

  async readSession(session: string): Promise<SessionReader | undefined> {
    this.#check();
    checkSessionId(session);
    const stream = this.#storage.streams.get(session);
    if (stream === undefined || stream.records.length === 0) return undefined;
    return this.#track(new MemoryReader(session, stream, (reader) => this.#open.delete(reader)));
  }

  async restore(session: string, records: AsyncIterable<StoredCommit>): Promise<Head> {
    this.#check();
    checkSessionId(session);
    const there = this.#storage.streams.get(session);
    if (there !== undefined && (there.records.length > 0 || there.holder !== undefined)) {
      throw alreadyThere(session);
    }
    const stream = newStream();
    const walk = new ChainWalk(session, EMPTY_HEAD);
    for await (const stored of records) {
      const { keys } = walk.commit(stored);
      stream.records.push(stored.text);
      stream.heads.push(walk.at);
      for (const key of Object.keys(keys ?? {})) stream.keys.set(key, stored.position);
    }
    stream.epoch = walk.at.epoch;
    this.#storage.streams.set(session, stream);
    return walk.at;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const reader of this.#open) await reader.close();
  }

  #track<R extends MemoryReader>(reader: R): R {
    this.#open.add(reader);
    return reader;
  }

  #check(): void {
    if (this.#closed) throw closedError();
  }
}

class MemoryReader implements SessionReader {
  readonly session: string;
  protected readonly stream: Stream;
  protected closed = false;
  readonly #head: Head;
  readonly #onClose: (reader: MemoryReader) => void;

  constructor(session: string, stream: Stream, onClose: (reader: MemoryReader) => void) {
    this.session = session;
    this.stream = stream;
    this.#head = stream.heads.at(-1) ?? EMPTY_HEAD;
    this.#onClose = onClose;
  }

  head(): Head {
    return this.#head;
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
      return clampRange(range, this.head().position);
    };
    return readChain(this.session, begin, (from, to) => this.#scan(from, to), take);
  }

  async get(position: number): Promise<Commit | undefined> {
    this.check();
    const text = position > this.head().position ? undefined : this.stream.records[position - 1];
    if (text === undefined) return undefined;
    return decodeCommit(text, { session: this.session, position }, sha256);
  }

  async lookup(key: string): Promise<string | undefined> {
    this.check();
    return answerIn(await this.get(this.stream.keys.get(key) ?? 0), key);
  }

  async loadSnapshot(
    version: number | undefined,
    position = this.head().position,
  ): Promise<Snapshot | undefined> {
    this.check();
    const last = Math.min(position, this.head().position);
    const positions = [...this.stream.snapshots.keys()].filter((at) => at <= last);
    for (const at of positions.sort((a, b) => b - a)) {
      const snapshot = decodeSnapshot(this.stream.snapshots.get(at) ?? "");
      if (snapshot === undefined) continue;
      if (version !== undefined && snapshot.version !== version) continue;
      if (this.stream.heads[at - 1]?.hash === snapshot.hash) return snapshot;
    }
    return undefined;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#onClose(this);
  }

  protected check(): void {
    if (this.closed) throw closedError();
  }

  async *#scan(from: number, to: number): AsyncGenerator<readonly StoredCommit[]> {
    for (let first = from; first <= to; first += BATCH) {
      this.check();
      const texts = this.stream.records.slice(first - 1, Math.min(to, first - 1 + BATCH));
      yield texts.map((text, index) => ({ position: first + index, text }));
    }
  }
}

class MemorySession extends MemoryReader implements SessionLog {
  readonly epoch: number;

  constructor(session: string, stream: Stream, onClose: (reader: MemoryReader) => void) {
    super(session, stream, onClose);
    stream.holder = this;
    stream.epoch += 1;
    this.epoch = stream.epoch;
  }

  override head(): Head {
    return this.stream.heads.at(-1) ?? EMPTY_HEAD;
  }

  async append(commit: CommitDraft): Promise<AppendResult> {
    const { stream } = this;
    if (this.closed) return { kind: "unavailable", cause: closedError() };
    if (stream.holder !== this) return { kind: "fenced" };
    const head = this.head();
    if (commit.n !== head.position + 1) return { kind: "conflict", head };
    try {
      const next = sealNext(commit, head, this.epoch);
      stream.records.push(next.text);
      stream.heads.push(next.head);
      for (const key of Object.keys(commit.keys ?? {})) stream.keys.set(key, commit.n);
      return { kind: "appended", head: next.head };
    } catch (cause) {
      // What JSON can't carry is the only thing that fails here, and it fails before anything is kept.
      return { kind: "unavailable", cause };
    }
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.check();
    const { snapshots } = this.stream;
    if (snapshot.position > this.head().position) return;
    snapshots.set(snapshot.position, encodeSnapshot(snapshot));
    const old = [...snapshots.keys()].sort((a, b) => b - a).slice(SNAPSHOTS_KEPT);
    for (const position of old) snapshots.delete(position);
  }

  override async close(): Promise<void> {
    if (this.stream.holder === this) this.stream.holder = undefined;
    await super.close();
  }
}

function newStream(): Stream {
  return {
    records: [],
    heads: [],
    snapshots: new Map(),
    keys: new Map(),
    holder: undefined,
    epoch: 0,
  };
}

function closedError(): LogUnavailable {
  return new LogUnavailable("This log is closed. Open it again to use it.");
}
