/**
 * The books, kept from the events alone and in the plainest way, as a second opinion on the kernel's state.
 * Shares no code with the kernel's folds.
 */
import type { DovecoteEvent, MailType, Sender } from "../../src/events/events.js";
import { type Point, comparePoints, formatPoint } from "../../src/events/point.js";
import type { AgentPath } from "../../src/paths.js";

/** An accepted record and where it is now. */
export interface Entry {
  readonly to: AgentPath;
  readonly mail: MailType;
  readonly from: Sender;
  readonly text: string;
  /** Where it stands in its queue: the point of its acceptance, or of its move. */
  readonly at: Point;
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
  /** Reservations of this run, by number. */
  readonly reserved = new Map<number, AgentPath>();
  /** Unread records by order point. */
  readonly unread = new Map<string, Entry>();
  /** How often each accepted record has been delivered, by the point of its acceptance or move. */
  readonly delivered = new Map<string, number>();

  /** Slots in use (W6). */
  get used(): number {
    const taken = [...this.reserved.values()].filter((path) => path !== "/root").length;
    return taken + [...this.live].filter(([path, live]) => live && path !== "/root").length;
  }

  /** Whether an agent has a reservation. */
  isReserved(path: AgentPath): boolean {
    return [...this.reserved.values()].includes(path);
  }

  /** The unread records of an agent, oldest first. */
  queueOf(path: AgentPath): readonly Entry[] {
    return [...this.unread.values()]
      .filter((entry) => entry.to === path)
      .sort((one, other) => comparePoints(one.at, other.at));
  }

  take(event: DovecoteEvent, at: Point): void {
    this.takeSession(event);
    this.takeTurn(event);
    this.takeMail(event, at);
  }

  private takeSession(event: DovecoteEvent): void {
    if (event.type === "session.created") this.capacity = event.capacity;
    if (event.type === "capacity.changed") this.capacity = event.to;
    if (event.type === "session.closing") this.closing = true;
    if (event.type === "session.opened") {
      this.closing = false;
      this.marked.clear();
      this.reserved.clear();
    }
  }

  private takeTurn(event: DovecoteEvent): void {
    if (event.type === "agent.spawned") this.live.set(event.path, false);
    if (event.type === "start.reserved") this.reserved.set(event.reservation, event.path);
    if (event.type === "start.released") this.reserved.delete(event.reservation);
    if (event.type === "turn.started") {
      this.live.set(event.path, true);
      if (event.reservation !== undefined) this.reserved.delete(event.reservation);
    }
    if (event.type === "settlement.attempted") this.trying = event.path;
    if (event.type === "turn.settled") {
      this.live.set(event.path, false);
      if (this.trying === event.path) this.trying = null;
    }
    if (event.type === "wake.marked") this.marked.add(event.path);
    if (event.type === "wake.cleared") this.marked.delete(event.path);
  }

  private takeMail(event: DovecoteEvent, at: Point): void {
    if (event.type === "mail.queued") {
      const { path: to, mail, from, text = "" } = event;
      this.unread.set(formatPoint(at), { to, mail, from, text, at });
    }
    if (event.type === "mail.moved") {
      const entry = this.unread.get(formatPoint(event.record));
      this.unread.delete(formatPoint(event.record));
      if (entry !== undefined) this.unread.set(formatPoint(at), { ...entry, to: event.path, at });
    }
    if (event.type !== "mail.delivered") return;
    for (const record of event.records) {
      const key = formatPoint(record);
      this.unread.delete(key);
      this.delivered.set(key, (this.delivered.get(key) ?? 0) + 1);
    }
  }
}
