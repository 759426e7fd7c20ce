/**
 * A line of `list`: what a roster entry says to callers, without internal ids (A8).
 */
import { Refused } from "../errors.js";
import type { OutcomeKind, TurnRef } from "../events/events.js";
import { findCaller, roleFault } from "../kernel/rules/targets.js";
import { Stage } from "../kernel/stage.js";
import type { State } from "../kernel/state.js";
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

/** Refuses a listing to a turn that is over (T1) and to a role that lacks it (A7). */
export function checkMayList(state: State, turn: TurnRef): void {
  const caller = findCaller(new Stage(state), turn);
  if (!caller.ok) throw new Refused(caller.rejection);
  const fault = roleFault(caller.agent, "ListAgents");
  if (fault !== null) throw new Refused(fault.rejection);
}
