/**
 * The books, kept from the events alone and in the plainest way, as a second opinion on the kernel's state.
 * Shares no code with the kernel's folds.
 */
import type {
  DovecoteEvent,
  EventOf,
  MailType,
  Sender,
  StartKind,
} from "../../src/events/events.js";
import { type Point, comparePoints, formatPoint } from "../../src/events/point.js";
import type { AgentPath } from "../../src/paths.js";
import { PlanBook } from "./planBook.js";

/** An accepted record and where it is now. */
export interface Entry {
  readonly to: AgentPath;
  readonly mail: MailType;
  readonly from: Sender;
  readonly text: string;
  /** Where it stands in its queue: the point of its acceptance, or of its move. */
  readonly at: Point;
  /** A handler has it (S7). */
  readonly withheld: boolean;
  /** It came in the run that is under way. */
  readonly fresh: boolean;
}

/** A reserved start. */
export interface Reserved {
  readonly path: AgentPath;
  readonly start: StartKind;
  readonly marked: boolean;
}

/** See the module header. */
export class Ledger {
  capacity = 0;
  closing = false;
  /** The agent whose settlement runs. */
  trying: AgentPath | null = null;
  /** Every retained agent, and whether it has a live turn. */
  readonly live = new Map<AgentPath, boolean>();
  readonly marked = new Set<AgentPath>();
  /** Tops of subtrees that are being ended. */
  readonly ending = new Set<AgentPath>();
  /** The newest generation of each path. */
  readonly generations = new Map<AgentPath, number>();
  readonly holds = new Map<string, number>();
  /** How many turns have started in all, and how many by waking since the person wrote. */
  turns = 0;
  wakes = 0;
  /** Reservations of this run, by number. */
  readonly reserved = new Map<number, Reserved>();
  /** Unread records by order point. */
  readonly unread = new Map<string, Entry>();
  /** How often each accepted record has been delivered, by the point of its acceptance or move. */
  readonly delivered = new Map<string, number>();
  readonly consumed = new Set<string>();
  readonly expired = new Set<string>();
  readonly plan = new PlanBook();

  /** Slots in use (W6). */
  get used(): number {
    const taken = [...this.reserved.values()].filter(({ path }) => path !== "/root").length;
    return taken + [...this.live].filter(([path, live]) => live && path !== "/root").length;
  }

  /** Whether an agent has a reservation. */
  isReserved(path: AgentPath): boolean {
    return [...this.reserved.values()].some((one) => one.path === path);
  }

  /** Whether a path is in a subtree that is being ended. */
  isEnding(path: AgentPath): boolean {
    return [...this.ending].some((top) => path === top || path.startsWith(`${top}/`));
  }

  /** The unread records of an agent, oldest first. */
  queueOf(path: AgentPath): readonly Entry[] {
    return [...this.unread.values()]
      .filter((entry) => entry.to === path)
      .sort((one, other) => comparePoints(one.at, other.at));
  }

  take(event: DovecoteEvent, at: Point): void {
    this.plan.take(event, at);
    this.takeSession(event);
    this.takeTurn(event);
    this.takeStart(event);
    this.takeMail(event, at);
  }

  private takeSession(event: DovecoteEvent): void {
    if (event.type === "session.created") this.capacity = event.capacity;
    if (event.type === "capacity.changed") this.capacity = event.to;
    if (event.type === "session.closing") this.closing = true;
    if (event.type === "session.opened") this.open();
    if (event.type === "hold.taken") this.count(event.name, 1);
    if (event.type === "hold.released") this.count(event.name, -1);
    if (event.type === "agent.ending") this.ending.add(event.path);
    if (event.type === "agent.retired") this.retire(event);
  }

  /** What belongs to one run is gone with it (W9). */
  private open(): void {
    this.closing = false;
    this.marked.clear();
    this.reserved.clear();
    this.holds.clear();
    this.wakes = 0;
    for (const [key, entry] of this.unread) this.unread.set(key, { ...entry, fresh: false });
  }

  private count(name: string, by: number): void {
    const count = (this.holds.get(name) ?? 0) + by;
    if (count === 0) this.holds.delete(name);
    else this.holds.set(name, count);
  }

  private retire({ path: top, members }: EventOf<"agent.retired">): void {
    this.ending.delete(top);
    for (const { path } of members) {
      this.live.delete(path);
      this.marked.delete(path);
      for (const { at } of this.queueOf(path)) {
        this.unread.delete(formatPoint(at));
        this.expired.add(formatPoint(at));
      }
    }
  }

  private takeTurn(event: DovecoteEvent): void {
    if (event.type === "agent.spawned") {
      this.live.set(event.path, false);
      this.generations.set(event.path, event.gen);
    }
    if (event.type === "turn.started") {
      this.live.set(event.path, true);
      this.turns++;
      if (event.start === "wake") this.wakes++;
    }
    if (event.type === "settlement.attempted") this.trying = event.path;
    if (event.type === "settlement.failed") this.trying = null;
    if (event.type === "turn.settled") {
      this.live.set(event.path, false);
      if (this.trying === event.path) this.trying = null;
    }
    if (event.type === "wake.marked") this.marked.add(event.path);
    if (event.type === "wake.cleared") this.marked.delete(event.path);
  }

  private takeStart(event: DovecoteEvent): void {
    if (event.type === "start.reserved") {
      const { path, start, mark } = event;
      this.reserved.set(event.reservation, { path, start, marked: mark !== undefined });
    }
    if (event.type === "start.claimed") {
      this.reserved.set(event.reservation, { path: event.path, start: "prompt", marked: false });
    }
    if (event.type === "start.released") this.reserved.delete(event.reservation);
    if (event.type === "turn.started" && event.reservation !== undefined) {
      this.reserved.delete(event.reservation);
    }
  }

  private takeMail(event: DovecoteEvent, at: Point): void {
    if (event.type === "mail.queued") {
      const { path: to, mail, from, text = "", withheld = false } = event;
      this.unread.set(formatPoint(at), { to, mail, from, text, at, withheld, fresh: true });
      if (from === "person") this.wakes = 0;
    }
    if (event.type === "mail.moved") {
      const entry = this.unread.get(formatPoint(event.record));
      this.unread.delete(formatPoint(event.record));
      if (entry !== undefined) this.unread.set(formatPoint(at), { ...entry, to: event.path, at });
    }
    if (event.type === "mail.consumed") {
      this.unread.delete(formatPoint(event.record));
      this.consumed.add(formatPoint(event.record));
    }
    if (event.type === "mail.returned") {
      const entry = this.unread.get(formatPoint(event.record));
      if (entry !== undefined)
        this.unread.set(formatPoint(event.record), { ...entry, withheld: false });
    }
    if (event.type !== "mail.delivered") return;
    for (const record of event.records) {
      const key = formatPoint(record);
      this.unread.delete(key);
      this.delivered.set(key, (this.delivered.get(key) ?? 0) + 1);
    }
  }
}
