/**
 * Who is read-only, kept from the events alone: the switch, stamped records that are unread, and turns that have read one
 * or were given a stamped task (P1, P2). Shares no code with the kernel.
 */
import type { DovecoteEvent, TurnRef } from "../../events/events.js";
import { type Point, formatPoint } from "../../events/point.js";
import type { AgentPath } from "../../paths.js";

/** See the module header. */
export class PlanBook {
  on = false;
  /** Unread stamped records, and whose they are. */
  private stamped = new Map<string, AgentPath>();
  private bound = new Set<AgentPath>();

  /** A copy that goes on by itself. */
  fork(): PlanBook {
    const twin = new PlanBook();
    twin.on = this.on;
    if (this.stamped.size > 0) twin.stamped = new Map(this.stamped);
    if (this.bound.size > 0) twin.bound = new Set(this.bound);
    return twin;
  }

  /** Whether the live turn of an agent may only read. */
  isReadOnly(path: AgentPath): boolean {
    if (this.on) return true;
    if (path === "/root") return false;
    return this.bound.has(path) || [...this.stamped.values()].includes(path);
  }

  /** Whether what a turn sends or gives as a task is stamped; the host or the person where there is none. */
  stamps(by: TurnRef | undefined): boolean {
    return by === undefined ? this.on : this.isReadOnly(by.path);
  }

  /** Enters one event. */
  enter(event: DovecoteEvent, at: Point): void {
    switch (event.type) {
      case "plan.switched":
        this.on = event.on;
        break;
      case "session.opened":
        this.stamped.clear();
        this.bound.clear();
        break;
      case "mail.queued":
        if (event.stamped === true) this.stamped.set(formatPoint(at), event.path);
        break;
      case "mail.delivered":
        if (this.stamped.size === 0) break;
        for (const record of event.records) {
          if (this.stamped.delete(formatPoint(record))) this.bound.add(event.path);
        }
        break;
      case "turn.started":
        if (event.stamped === true) this.bound.add(event.path);
        break;
      case "turn.settled":
        this.bound.delete(event.path);
        break;
      case "agent.retired":
        for (const { path } of event.members) {
          for (const [key, owner] of this.stamped) if (owner === path) this.stamped.delete(key);
        }
        break;
      default:
    }
  }
}
