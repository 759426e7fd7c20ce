/**
 * The port to where logs are kept. An `EventLog` holds many sessions; a session is one gapless stream of commits in it.
 * Implementations own bytes, chain and lease; they know nothing of the rules.
 */
import type { Commit, CommitDraft } from "../events/commit.js";

/** Where a session's stream ends. Position 0 and hash `""` when it is empty. */
export interface Head {
  readonly position: number;
  readonly hash: string;
  readonly epoch: number;
}

/**
 * How an append ended (M3, L5). Only `appended` is durable for certain. `conflict`: the expected position was not the
 * head's next. `fenced`: this writer lost its right. `unknown`: the store failed in the middle, a reopen tells.
 * `unavailable`: nothing was written.
 */
export type AppendResult =
  | { readonly kind: "appended"; readonly head: Head }
  | { readonly kind: "conflict"; readonly head: Head }
  | { readonly kind: "fenced"; readonly cause?: unknown }
  | { readonly kind: "unknown"; readonly commitId: string; readonly cause: unknown }
  | { readonly kind: "unavailable"; readonly cause: unknown };

/** A saved fold: only ever a cache (L7). */
export interface Snapshot {
  /** The last commit folded into it. */
  readonly position: number;
  /** That commit's hash: a snapshot of another history is none. */
  readonly hash: string;
  /** Version of the fold that made it. */
  readonly version: number;
  readonly state: string;
}

/** A commit as it is stored: a sealed text, with the place its key gave it. */
export interface StoredCommit {
  readonly position: number;
  readonly text: string;
}

/** What a request with an idempotency key was answered, and the commit that holds it (M3). */
export interface KeyAnswer {
  readonly key: string;
  readonly position: number;
  readonly answer: string;
}

/**
 * Where a log begins that retention has cut: the chain goes on from here, and so does the fold. What is handed over with
 * it is all that is left of the commits up to there.
 */
export interface Anchor extends Head {
  /** What the log folded to up to here. No cache: nothing else has it (L7). */
  base(): Promise<Snapshot>;
  /** Commits up to here that were kept because something still needs them, in order, each as it was sealed. */
  kept(): AsyncIterable<StoredCommit>;
  /** Idempotency keys of commits that are gone: repeating those requests stays harmless (M3). */
  keys(): AsyncIterable<KeyAnswer>;
}

/** Which commits to read, both ends included; the first that is left unless `from` is given. */
export interface ReadRange {
  readonly from?: number;
  readonly to?: number;
}

/**
 * What one session's stream can be asked without the right to write. After `close`, reads reject with
 * `LogUnavailable`.
 */
export interface SessionReader {
  readonly session: string;
  /**
   * Where the stream ends. A writer's head moves with its appends; a reader's stays where it was when the reader was
   * opened, so that everything it reads fits together.
   */
  head(): Head;
  /** Where the stream begins, when it was cut; `undefined` when it is whole. */
  anchor(): Anchor | undefined;
  /**
   * Commits in order, each verified against the one before; damage is a thrown `LogCorrupt` (L3). Ends at the head as
   * it was when the reading began. A `from` at or below the anchor rejects with `LogCut`.
   */
  read(range?: ReadRange): AsyncIterable<Commit>;
  /** The same commits as they are stored, hashes and order checked: what an export writes (L4). */
  records(range?: ReadRange): AsyncIterable<StoredCommit>;
  /** One commit; `undefined` when there is none at that position, or none any more. */
  get(position: number): Promise<Commit | undefined>;
  /** What the request with this idempotency key was answered; `undefined` when the stream has no such key (M3). */
  lookup(key: string): Promise<string | undefined>;
  /** The newest snapshot of that version (of any, when it is `undefined`) at or below `position`, if one is readable. */
  loadSnapshot(version: number | undefined, position?: number): Promise<Snapshot | undefined>;
  close(): Promise<void>;
}

/** The one writer of a session (L5). */
export interface SessionLog extends SessionReader {
  /** The epoch of this lease: higher than that of every commit that was there before. */
  readonly epoch: number;
  /**
   * Appends one commit whole or not at all. Never rejects: a failure is a result. One append at a time: a second one,
   * while the first is under way, is a conflict. Its keys are there if and only if it is.
   */
  append(commit: CommitDraft): Promise<AppendResult>;
  /** Keeps a snapshot, the two newest of them; losing it loses nothing, so it does not reject (L7). */
  saveSnapshot(snapshot: Snapshot): Promise<void>;
  /**
   * Cuts away the commits up to the base's, but those to be kept; the newest commit always stays. When it resolves, the
   * cut is durable. A crash before that leaves the log whole or cut, never in between; what a cut left lying about
   * goes with the next lease.
   *
   * @throws BadArgument when the base is none of a commit that is there and below the head; LogUnavailable when a write
   * failed: the log is then whole or cut.
   */
  cut(base: Snapshot, keep: readonly number[]): Promise<void>;
}

/** A place for sessions: a LevelDB folder, memory, or any other engine that passes the contract suite. */
export interface EventLog {
  /** For messages: `memory`, or the folder. */
  readonly name: string;
  /** The ids of all sessions here, sorted: also of those that are damaged, as far as anything names them. */
  sessions(): Promise<readonly string[]>;
  /**
   * Takes the session's lease, with a new epoch.
   * @throws LogInUse when another holder lives (L5); LogCorrupt, LogFormatError when it can't be trusted (L3, L4).
   */
  openSession(session: string): Promise<SessionLog>;
  /** Reads a session without a lease; writes nothing (R3). `undefined` when there is no such session. */
  readSession(session: string): Promise<SessionReader | undefined>;
  /**
   * Looks at what the engine keeps beside the sessions' records, for `verifyLog`; where there is nothing of that kind it
   * is left out.
   * @throws LogCorrupt
   */
  check?(): Promise<void>;
  /**
   * Makes a session out of another's records, byte for byte, so that it ends with the same hash. All or nothing: until
   * the last of them is durable there is no such session. With an anchor, what goes with it comes first: its base, what
   * was kept, the keys, and then the records that follow it.
   * @throws BadArgument when there is one already; LogInUse; LogCorrupt or LogFormatError for a record that does not
   * follow the one before it; what `records` throws.
   */
  restore(session: string, records: AsyncIterable<StoredCommit>, anchor?: Anchor): Promise<Head>;
  /** Frees everything. Twice is fine (L8). */
  close(): Promise<void>;
}
