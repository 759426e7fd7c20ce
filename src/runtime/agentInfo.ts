/**
 * A line of `list`: what a roster entry says to callers, without internal ids (A8).
 */
import type { OutcomeKind } from "../events/events.js";
import type { RosterEntry } from "../projections/roster.js";
import type { AgentInfo } from "./api.js";

/** The public face of a roster entry. */
export function infoOf(entry: RosterEntry): AgentInfo {
  const outcome: OutcomeKind | undefined = entry.last?.outcome;
  return {
    path: entry.path,
    generation: entry.gen,
    phase: entry.phase,
    preparing: entry.preparing !== null,
    marked: entry.marked !== null,
    unread: entry.unread,
    role: entry.role,
    behavior: entry.behavior,
    turns: entry.turns,
    ...(outcome === undefined ? {} : { lastOutcome: outcome }),
  };
}
