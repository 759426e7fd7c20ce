/**
 * A log in memory. It stores the same sealed texts as a log on disk, so that what it gives back has been through the
 * codec and the chain. Its storage outlives it, as a disk would: close the log, and another one reads what was kept.
 */
import { BadArgument, LogCut, LogInUse, LogUnavailable } from "../errors.js";
import type { Commit, CommitDraft } from "../events/commit.js";
import {
  alreadyThere,
  answerIn,
  asStored,
  type ChainRange,
  ChainWalk,
  decoded,
  EMPTY_HEAD,
  readChain,
  sealNext,
} from "./chain.js";
import { decodeCommit } from "../events/codec.js";
import { anchorAt, brokenAnchor, keepFor, readableRange } from "./anchor.js";
import { checkSessionId } from "./keys.js";
import type {
  Anchor,
  AppendResult,
  EventLog,
  Head,
  KeyAnswer,
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
  /** Commit n is at n - 1; what was cut is empty. */
  readonly records: string[];
  /** Where it begins, when it was cut. */
  begin: Head | undefined;
  readonly heads: Head[];
  readonly snapshots: Map<number, string>;
  /** The commit that carries each idempotency key; where it was cut, what the request was answered. */
  readonly keys: Map<string, number | KeyAnswer>;
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
   * commit. The copy and the original share nothing. What was cut by now is cut in it too.
   *
   * @example const afterCrash = memoryLog(storage.copy())
   */
  copy(upTo = Number.POSITIVE_INFINITY): MemoryStorage {
    const copy = new MemoryStorage();
    for (const [session, stream] of this.streams) {
      const heads = stream.heads.slice(0, upTo);
      const { begin } = stream;
      if (begin !== undefined && begin.position > upTo) {
        throw new LogCut({ session, position: upTo, anchor: begin.position });
      }
      const snapshots = [...stream.snapshots].filter(([position]) => position <= upTo);
      copy.streams.set(session, {
        records: stream.records.slice(0, upTo),
        begin,
        heads,
        snapshots: new Map(snapshots),
        keys: new Map([...stream.keys].filter(([, at]) => positionOfKey(at) <= upTo)),
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

  async restore(
    session: string,
    records: AsyncIterable<StoredCommit>,
    anchor?: Anchor,
  ): Promise<Head> {
    this.#check();
    checkSessionId(session);
    const there = this.#storage.streams.get(session);
    if (there !== undefined && (there.records.length > 0 || there.holder !== undefined)) {
      throw alreadyThere(session);
    }
    const stream = newStream();
    if (anchor !== undefined) await restoreAnchor(session, stream, anchor);
    const walk = new ChainWalk(session, stream.begin ?? EMPTY_HEAD);
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

  anchor(): Anchor | undefined {
    const { session, stream } = this;
    const { begin } = stream;
    if (begin === undefined) return undefined;
    return {
      ...begin,
      base: async () => {
        const base = decodeSnapshot(stream.snapshots.get(begin.position) ?? "");
        if (base?.hash === begin.hash) return base;
        throw brokenAnchor(session, begin.position, "what was folded up to it can't be read");
      },
      kept: async function* () {
        for (const [index, text] of stream.records.slice(0, begin.position).entries()) {
          if (text !== "") yield { position: index + 1, text };
        }
      },
      keys: async function* () {
        for (const at of stream.keys.values()) if (typeof at !== "number") yield at;
      },
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
      return readableRange(this.session, range, this.stream.begin, this.head().position);
    };
    return readChain(this.session, begin, (from, to) => this.#scan(from, to), take);
  }

  async get(position: number): Promise<Commit | undefined> {
    this.check();
    const text = position > this.head().position ? undefined : this.stream.records[position - 1];
    if (text === undefined || text === "") return undefined;
    return decodeCommit(text, { session: this.session, position }, sha256);
  }

  async lookup(key: string): Promise<string | undefined> {
    this.check();
    const at = this.stream.keys.get(key) ?? 0;
    if (typeof at === "number") return answerIn(await this.get(at), key);
    return at.position <= this.head().position ? at.answer : undefined;
  }

  async loadSnapshot(
    version: number | undefined,
    position = this.head().position,
  ): Promise<Snapshot | undefined> {
    this.check();
    const last = Math.min(position, this.head().position);
    const first = this.stream.begin?.position ?? 0;
    const positions = [...this.stream.snapshots.keys()].filter((at) => at >= first && at <= last);
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
    const base = this.stream.begin?.position;
    for (const position of old) if (position !== base) snapshots.delete(position);
  }

  async cut(base: Snapshot, keep: readonly number[]): Promise<void> {
    this.check();
    const { stream } = this;
    const { position } = base;
    const cut = anchorAt(base, stream.heads[position - 1], this.head(), stream.begin);
    const kept = new Set(keep);
    for (const at of kept) {
      if (at <= position && (stream.records[at - 1] ?? "") !== "") continue;
      throw new BadArgument(`Commit ${at} can't be kept: it is not among those to be cut.`);
    }
    for (const [key, at] of stream.keys) {
      if (typeof at !== "number" || at > position || kept.has(at)) continue;
      stream.keys.set(key, { key, position: at, answer: (await this.lookup(key)) ?? "" });
    }
    for (let at = 1; at <= position; at++) if (!kept.has(at)) stream.records[at - 1] = "";
    for (const at of stream.snapshots.keys()) if (at < position) stream.snapshots.delete(at);
    stream.snapshots.set(position, encodeSnapshot(base));
    stream.begin = cut;
  }

  override async close(): Promise<void> {
    if (this.stream.holder === this) this.stream.holder = undefined;
    await super.close();
  }
}

function positionOfKey(at: number | KeyAnswer): number {
  return typeof at === "number" ? at : at.position;
}

async function restoreAnchor(session: string, stream: Stream, anchor: Anchor): Promise<void> {
  const { position, hash, epoch } = anchor;
  stream.begin = { position, hash, epoch };
  stream.snapshots.set(position, encodeSnapshot(await anchor.base()));
  for (let at = 1; at <= position; at++) {
    stream.records.push("");
    stream.heads.push({ position: at, hash: at === position ? hash : "", epoch });
  }
  const kept = new Map<number, string>();
  for await (const stored of anchor.kept()) {
    const { keys } = keepFor(session, anchor, kept, stored);
    stream.records[stored.position - 1] = stored.text;
    for (const key of Object.keys(keys ?? {})) stream.keys.set(key, stored.position);
  }
  for await (const answer of anchor.keys()) stream.keys.set(answer.key, answer);
}

function newStream(): Stream {
  return {
    begin: undefined,
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
