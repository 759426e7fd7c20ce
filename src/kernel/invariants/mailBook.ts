/**
 * The book of mail: every accepted record, where it is, and how many have gone where. Kept from the events alone, and
 * sharing no code with the kernel's folds.
 */
import type { AgentRef, EventOf, MailType, Sender } from "../../events/events.js";
import { type Point, comparePoints, formatPoint } from "../../events/point.js";
import type { AgentPath } from "../../paths.js";

/** An accepted record that nobody has taken yet. */
export interface BookRecord {
  /** Where it stands in its queue: the point of its acceptance, or of its move. */
  readonly at: Point;
  readonly to: AgentPath;
  readonly gen: number;
  readonly mail: MailType;
  readonly from: Sender;
  readonly execution: number | null;
  /** A handler has it (S7). */
  readonly withheld: boolean;
  /** It marks nobody: a RESULT of a turn that was stopped with a whole tree (I6), or a message of an operation (O6). */
  readonly muted: boolean;
  /** It came in the run that is under way. */
  readonly fresh: boolean;
}

type MailEvent = EventOf<"mail.moved" | "mail.delivered" | "mail.consumed" | "mail.returned">;

/** See the module header. */
export class MailBook {
  /** Unread records by the point of their place in the queue; the expired ones too. */
  unread = new Map<string, BookRecord>();
  /** How many records have been accepted, and how many have left their queues for good, by where to. */
  accepted = 0;
  delivered = 0;
  consumed = 0;
  /** How many are of agents that have ended (A5): nobody gets those. */
  expired = 0;

  /** A copy that goes on by itself. */
  fork(): MailBook {
    const twin = new MailBook();
    if (this.unread.size > 0) twin.unread = new Map(this.unread);
    twin.accepted = this.accepted;
    twin.delivered = this.delivered;
    twin.consumed = this.consumed;
    twin.expired = this.expired;
    return twin;
  }

  /** The unread records of an agent, oldest first (M4). */
  queueOf({ path, gen }: AgentRef): readonly BookRecord[] {
    const queue: BookRecord[] = [];
    for (const record of this.unread.values()) {
      if (record.to === path && record.gen === gen) queue.push(record);
    }
    return queue.sort((one, other) => comparePoints(one.at, other.at));
  }

  /** The unread record of that place. */
  at(point: Point): BookRecord | undefined {
    return this.unread.get(formatPoint(point));
  }

  /** A run begins: whatever is here is of an earlier one (W9). */
  age(): void {
    for (const [key, record] of this.unread) {
      if (record.fresh) this.unread.set(key, { ...record, fresh: false });
    }
  }

  /** An agent has ended: its unread records stay, and are nobody's. */
  expire(ref: AgentRef): void {
    this.expired += this.queueOf(ref).length;
  }

  /** Enters a record that was accepted. */
  queue(event: EventOf<"mail.queued">, at: Point, muted: boolean): void {
    const { path: to, gen, mail, from, execution = null, withheld = false } = event;
    const record = { at, to, gen, mail, from, execution, withheld, muted, fresh: true };
    this.unread.set(formatPoint(at), record);
    this.accepted++;
  }

  /** Enters an event about records that are unread. */
  enter(event: MailEvent, at: Point): void {
    switch (event.type) {
      case "mail.moved": {
        const record = this.take(event.record);
        if (record === undefined) break;
        const { path: to, gen } = event;
        this.unread.set(formatPoint(at), { ...record, at, to, gen });
        break;
      }
      case "mail.delivered":
        for (const record of event.records) if (this.take(record)) this.delivered++;
        break;
      case "mail.consumed":
        if (this.take(event.record)) this.consumed++;
        break;
      case "mail.returned": {
        const record = this.at(event.record);
        const key = formatPoint(event.record);
        // Ordinary waking mail from here on, whatever had stopped its sender (S7).
        if (record !== undefined)
          this.unread.set(key, { ...record, withheld: false, muted: false });
        break;
      }
    }
  }

  private take(point: Point): BookRecord | undefined {
    const key = formatPoint(point);
    const record = this.unread.get(key);
    this.unread.delete(key);
    return record;
  }
}
