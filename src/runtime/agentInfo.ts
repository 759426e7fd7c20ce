/**
 * A line of `list`: what a roster entry says to callers, without internal ids (A8).
 */
import { Refused } from "../errors.js";
import type { OutcomeKind, TurnRef } from "../events/events.js";
import { findCaller, roleFault } from "../kernel/rules/targets.js";
import { Stage } from "../kernel/stage.js";
import { isReadOnly } from "../kernel/guards.js";
import type { Blocker, State } from "../kernel/state.js";
import type { RosterEntry } from "../projections/roster.js";
import type { AgentInfo, Blocked } from "./api.js";

/** The public face of a roster entry. */
export function infoOf(state: State, entry: RosterEntry): AgentInfo {
  const outcome: OutcomeKind | undefined = entry.last?.outcome;
  const blocker = entry.blockers.at(-1);
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
    readOnly: entry.phase !== "idle" && isReadOnly(state, entry.path),
    ...(outcome === undefined ? {} : { lastOutcome: outcome }),
    ...(blocker === undefined ? {} : { blocked: blockedOf(blocker) }),
  };
}

/** A blocker in the words of callers. */
export function blockedOf({ token, label, since }: Blocker): Blocked {
  return { token, question: label, since };
}

/** Refuses a reading tool to a turn that is over (T1) and to a role that lacks it (A7). */
export function checkMayUse(state: State, turn: TurnRef, tool: string): void {
  const caller = findCaller(new Stage(state), turn);
  if (!caller.ok) throw new Refused(caller.rejection);
  const fault = roleFault(caller.agent, tool);
  if (fault !== null) throw new Refused(fault.rejection);
}
