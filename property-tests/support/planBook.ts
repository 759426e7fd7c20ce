/**
 * Who is read-only, kept from the events alone: the switch, stamped records that are unread, and turns that have read one
 * or were given a stamped task (P1, P2). Shares no code with the kernel.
 */
import type { DovecoteEvent, TurnRef } from "../../src/events/events.js";
import { type Point, formatPoint } from "../../src/events/point.js";
import type { AgentPath } from "../../src/paths.js";

/** See the module header. */
export class PlanBook {
  on = false;
  /** Unread stamped records, and whose they are. */
  private readonly stamped = new Map<string, AgentPath>();
  private readonly bound = new Set<AgentPath>();

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

  take(event: DovecoteEvent, at: Point): void {
    if (event.type === "plan.switched") this.on = event.on;
    if (event.type === "session.opened") {
      this.stamped.clear();
      this.bound.clear();
    }
    if (event.type === "mail.queued" && event.stamped === true) {
      this.stamped.set(formatPoint(at), event.path);
    }
    if (event.type === "mail.delivered") {
      for (const record of event.records) {
        if (this.stamped.delete(formatPoint(record))) this.bound.add(event.path);
      }
    }
    if (event.type === "turn.started" && event.stamped === true) this.bound.add(event.path);
    if (event.type === "turn.settled") this.bound.delete(event.path);
    if (event.type !== "agent.retired") return;
    for (const { path } of event.members) {
      for (const [key, owner] of this.stamped) if (owner === path) this.stamped.delete(key);
    }
  }
}
