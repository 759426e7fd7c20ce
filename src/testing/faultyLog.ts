/**
 * A log that fails when it is told to: the stand-in for a full disk or a store that dies in the middle. It wraps any
 * other log, passes everything on, and touches appends only.
 */
import type { CommitDraft } from "../events/commit.js";
import type { AppendResult, EventLog, SessionLog } from "../log/log.js";

/** How an append fails: for certain not written, or nobody can say (M3). */
export type AppendFault = "unavailable" | "unknown";

/** How a fault looks in detail. */
export interface FaultOptions {
  /** Of an `unknown` append: whether it is there after all. Not, unless given. */
  readonly written?: boolean;
  /** What the store says; `ENOSPC` unless given. */
  readonly cause?: unknown;
}

/** An append that is kept open. */
export interface HeldAppend {
  /** The commit, once a session has tried to append it. */
  readonly commit: CommitDraft | undefined;
  /** Resolves when the append has arrived. */
  readonly arrived: Promise<void>;
  /** Lets it be written. */
  release(): void;
  /** Lets it fail. */
  fail(fault: AppendFault, options?: FaultOptions): void;
}

/** See {@link faultyLog}. */
export interface FaultyLog extends EventLog {
  /** The next append fails. Told more than once, as many appends fail, in order. */
  failNext(fault: AppendFault, options?: FaultOptions): void;
  /** The next append stays open until it is released or failed. */
  holdNext(): HeldAppend;
  /** How many appends have been tried. */
  readonly appends: number;
}

type Plan = (commit: CommitDraft, write: () => Promise<AppendResult>) => Promise<AppendResult>;

/**
 * Wraps a log so that a test can fail its appends (M3, L6).
 *
 * @example
 * const log = faultyLog(memoryLog());
 * const session = await openSession({ log, behaviors });
 * log.failNext("unavailable");
 * await session.send("/root", "lost").catch(() => session.isDegraded); // true
 */
export function faultyLog(log: EventLog): FaultyLog {
  return new Faulty(log);
}

class Faulty implements FaultyLog {
  readonly name: string;
  readonly #log: EventLog;
  readonly #plans: Plan[] = [];
  #appends = 0;

  constructor(log: EventLog) {
    this.#log = log;
    this.name = `faulty ${log.name}`;
  }

  get appends(): number {
    return this.#appends;
  }

  failNext(fault: AppendFault, options: FaultOptions = {}): void {
    this.#plans.push((commit, write) => failed(commit, write, fault, options));
  }

  holdNext(): HeldAppend {
    const arrived = deferred<void>();
    const ending = deferred<Plan>();
    let held: CommitDraft | undefined;
    this.#plans.push(async (commit, write) => {
      held = commit;
      arrived.resolve();
      const end = await ending.promise;
      return end(commit, write);
    });
    return {
      get commit() {
        return held;
      },
      arrived: arrived.promise,
      release: () => ending.resolve((_commit, write) => write()),
      fail: (fault, options = {}) =>
        ending.resolve((commit, write) => failed(commit, write, fault, options)),
    };
  }

  sessions(): Promise<readonly string[]> {
    return this.#log.sessions();
  }

  async openSession(session: string): Promise<SessionLog> {
    const inner = await this.#log.openSession(session);
    return {
      session: inner.session,
      epoch: inner.epoch,
      head: () => inner.head(),
      anchor: () => inner.anchor(),
      read: (range) => inner.read(range),
      records: (range) => inner.records(range),
      get: (position) => inner.get(position),
      lookup: (key) => inner.lookup(key),
      loadSnapshot: (version, position) => inner.loadSnapshot(version, position),
      saveSnapshot: (snapshot) => inner.saveSnapshot(snapshot),
      cut: (base, keep) => inner.cut(base, keep),
      close: () => inner.close(),
      append: (commit) => {
        this.#appends++;
        const plan = this.#plans.shift();
        const write = (): Promise<AppendResult> => inner.append(commit);
        return plan === undefined ? write() : plan(commit, write);
      },
    };
  }

  readSession(session: string): ReturnType<EventLog["readSession"]> {
    return this.#log.readSession(session);
  }

  restore(...given: Parameters<EventLog["restore"]>): ReturnType<EventLog["restore"]> {
    return this.#log.restore(...given);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

async function failed(
  commit: CommitDraft,
  write: () => Promise<AppendResult>,
  fault: AppendFault,
  options: FaultOptions,
): Promise<AppendResult> {
  const cause = options.cause ?? new Error("ENOSPC: no space left on device, write");
  if (fault === "unavailable") return { kind: "unavailable", cause };
  if (options.written === true) await write();
  return { kind: "unknown", commitId: commit.id, cause };
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
