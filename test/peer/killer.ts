/** A process that dies at one of the writes of an operation, before or after it: from then on nothing it does ends. */
import type { Commit, CommitDraft } from "../../src/events/commit.js";
import type { AppendResult, EventLog, SessionLog } from "../../src/log/log.js";
import type {
  InboxAppend,
  InboxLookup,
  PeerInbox,
  PeerMessage,
} from "../../src/runtime/peer/api.js";

/** On which side of a write the process dies. */
export type Side = "before" | "after";

/** See the module header. It counts writes once it is armed. */
export class Killer {
  /** The writes of an operation that have been begun, by name. */
  readonly writes: string[] = [];
  readonly #died: Promise<void>;
  #die: () => void = () => undefined;
  #at: number | null = null;
  #side: Side = "before";
  #dead = false;

  constructor() {
    this.#died = new Promise((resolve) => (this.#die = resolve));
  }

  /** The process dies at that write, counted from 1. */
  arm(at: number, side: Side): void {
    this.#at = at;
    this.#side = side;
  }

  /** Resolves when the process has died. */
  get died(): Promise<void> {
    return this.#died;
  }

  async write<T>(name: string, write: () => Promise<T> | T): Promise<T> {
    if (this.#at === null && !this.#dead) return write();
    if (this.#dead) return forEver();
    this.writes.push(name);
    if (this.writes.length !== this.#at) return write();
    this.#dead = true;
    if (this.#side === "after") await write();
    this.#die();
    return forEver();
  }
}

function forEver<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}

/** A log whose appends are writes. */
export function killedLog(log: EventLog, killer: Killer): EventLog {
  return sessionsOf(log, (session) => ({
    ...callsOf(session),
    append: (commit): Promise<AppendResult> =>
      killer.write(nameOf(commit), () => session.append(commit)),
  }));
}

/** A log that has nothing any more of some commits; what was found under their keys it still knows. */
export function cutLog(log: EventLog, isCut: (commit: Commit) => boolean): EventLog {
  return sessionsOf(log, (session) => ({
    ...callsOf(session),
    get: async (position) => {
      const commit = await session.get(position);
      return commit === undefined || isCut(commit) ? undefined : commit;
    },
  }));
}

function sessionsOf(log: EventLog, of: (session: SessionLog) => SessionLog): EventLog {
  return {
    name: log.name,
    sessions: () => log.sessions(),
    readSession: (session) => log.readSession(session),
    restore: (...given) => log.restore(...given),
    close: () => log.close(),
    openSession: async (session) => of(await log.openSession(session)),
  };
}

function callsOf(session: SessionLog): SessionLog {
  return {
    session: session.session,
    epoch: session.epoch,
    head: () => session.head(),
    anchor: () => session.anchor(),
    read: (range) => session.read(range),
    records: (range) => session.records(range),
    get: (position) => session.get(position),
    lookup: (key) => session.lookup(key),
    loadSnapshot: (version, position) => session.loadSnapshot(version, position),
    saveSnapshot: (snapshot) => session.saveSnapshot(snapshot),
    cut: (base, keep) => session.cut(base, keep),
    close: () => session.close(),
    append: (commit) => session.append(commit),
  };
}

function nameOf({ events }: CommitDraft): string {
  for (const event of events) {
    switch (event.type) {
      case "operation.planned":
        return "plan";
      case "operation.attempted":
        return `start marker, ${event.recipient}`;
      case "operation.resulted":
        return `result, ${event.recipient}`;
      case "mail.queued":
        if (event.message !== undefined) return messageName(event.copyOf);
        break;
      default:
    }
  }
  return events.map(({ type }) => type).join(" ");
}

function messageName(copyOf: object | undefined): string {
  return `message, ${copyOf === undefined ? "child" : "parent"}`;
}

/** What an inbox of a host holds: it outlives the process. */
export class InboxStore {
  readonly messages = new Map<string, PeerMessage>();
  /** How often something was appended, whatever its id. */
  appends = 0;
  /** What it held is forgotten, and it says so. */
  pruned = false;
}

/** An inbox of a host, whose appends are writes. */
export function killedInbox(store: InboxStore, killer: Killer): PeerInbox {
  const append = (message: PeerMessage): InboxAppend => {
    store.appends++;
    store.messages.set(message.id, message);
    return { kind: "appended" };
  };
  const lookup = (id: string): InboxLookup => {
    const message = store.messages.get(id);
    if (store.pruned) return { kind: "pruned" };
    return message === undefined
      ? { kind: "missing" }
      : { kind: "found", message, place: "pending" };
  };
  return {
    append: (message) => killer.write(messageName(message.copyOf), () => append(message)),
    lookup: (_, id) => lookup(id),
  };
}
