/**
 * What keeps an agent from being started, as data: the offer asks here, and so does everybody who explains why not.
 */
import { type AgentPath, ROOT, isWithin } from "../paths.js";
import type { Agent, Hold, State } from "./state.js";
import { isLive } from "./volatile.js";

/** Why an agent does not start now: what stands in the way, and the rule. */
export type StartGuard =
  | { readonly guard: "closing"; readonly rule: "L8" }
  | { readonly guard: "ending"; readonly rule: "A5"; readonly of: AgentPath }
  | { readonly guard: "active"; readonly rule: "T1" }
  | { readonly guard: "preparing"; readonly rule: "T2" }
  | { readonly guard: "unmarked"; readonly rule: "W1" }
  | { readonly guard: "behavior"; readonly rule: "R1"; readonly behavior: string }
  | { readonly guard: "held"; readonly rule: "W7"; readonly holds: readonly Hold[] }
  | { readonly guard: "turns"; readonly rule: "X2"; readonly limit: number }
  | { readonly guard: "wakes"; readonly rule: "X2"; readonly limit: number }
  | { readonly guard: "settlement"; readonly rule: "W3"; readonly of: AgentPath }
  | {
      readonly guard: "capacity";
      readonly rule: "W6";
      readonly used: number;
      readonly capacity: number;
    };

/** Slots in use: active non-root turns and reservations (W6). */
export function usedSlots(state: State): number {
  let reserved = 0;
  for (const one of state.volatile.reservations) if (one.path !== ROOT) reserved++;
  return state.durable.active + reserved;
}

/** Slots that are free. Negative while a lowered capacity is being worn off. */
export function freeSlots(state: State): number {
  return state.durable.capacity - usedSlots(state);
}

/** The subtree that is being ended and holds this path; `undefined` when none does (A5). */
export function endingOf(state: State, path: AgentPath): AgentPath | undefined {
  return state.durable.endings.find((top) => isWithin(path, top));
}

/** Whether the bound on turns in all is reached (X2). Reservations are turns to come. */
export function turnsSpent(state: State): number | null {
  const limit = state.host.limits.turns;
  if (limit === null) return null;
  return state.durable.turns + state.volatile.reservations.length >= limit ? limit : null;
}

/** What keeps an agent from being started by the offer; `null` when it would start. Capacity is asked last (M7). */
export function startGuard(state: State, agent: Agent): StartGuard | null {
  if (state.volatile.closing) return { guard: "closing", rule: "L8" };
  const ending = endingOf(state, agent.path);
  if (ending !== undefined) return { guard: "ending", rule: "A5", of: ending };
  if (agent.phase !== "idle") return { guard: "active", rule: "T1" };
  if (state.volatile.reservations.some((one) => one.path === agent.path)) {
    return { guard: "preparing", rule: "T2" };
  }
  const prompted = agent.path === ROOT && state.volatile.inputs.length > 0;
  if (!prompted && !state.volatile.marks.has(agent.path)) return { guard: "unmarked", rule: "W1" };
  if (!state.host.behaviors.has(agent.behavior)) {
    return { guard: "behavior", rule: "R1", behavior: agent.behavior };
  }
  return policyGuard(state, agent, prompted) ?? roomGuard(state, agent);
}

/** Holds and limits. The person's INPUT passes by holds (W8), and lifts the limit on wakes (X2). */
function policyGuard(state: State, agent: Agent, prompted: boolean): StartGuard | null {
  const { holds } = state.volatile;
  if (agent.path === ROOT && !prompted && holds.length > 0) {
    return { guard: "held", rule: "W7", holds };
  }
  const turns = turnsSpent(state);
  if (turns !== null) return { guard: "turns", rule: "X2", limit: turns };
  const limit = state.host.limits.wakes;
  if (!prompted && limit !== null && wakesInARow(state) >= limit) {
    return { guard: "wakes", rule: "X2", limit };
  }
  return null;
}

/** Wakes in a row since the person last wrote (X2). Reservations are wakes to come. */
function wakesInARow({ volatile }: State): number {
  let wakes = volatile.wakes;
  for (const one of volatile.reservations) if (one.start === "wake") wakes++;
  return wakes;
}

function roomGuard(state: State, agent: Agent): StartGuard | null {
  const { trying, capacity } = state.durable;
  if (trying !== null) return { guard: "settlement", rule: "W3", of: trying };
  if (agent.path === ROOT || freeSlots(state) > 0) return null;
  return { guard: "capacity", rule: "W6", used: usedSlots(state), capacity };
}

/** Whether a new identity may have a slot: marked idle agents that could start go first (T3). */
export function mayGrow(state: State): boolean {
  let left = freeSlots(state);
  if (state.volatile.marks.size === 0) return left > 0;
  for (const entry of state.volatile.markOrder) {
    if (left <= 0) return false;
    if (entry.path === ROOT || !isLive(state.volatile.marks, entry)) continue;
    const agent = state.durable.agents.get(entry.path);
    const guard = agent === undefined ? "unmarked" : startGuard(state, agent)?.guard;
    if (guard === undefined || guard === "settlement") left--;
  }
  return left > 0;
}

/** Whether an agent's live turn is read-only: the switch for all; a stamped record or task for all but the root (P1, P2). */
export function isReadOnly(state: State, path: AgentPath): boolean {
  if (state.durable.plan) return true;
  if (path === ROOT) return false;
  const stamped = (state.volatile.stamps.get(path) ?? []).length > 0;
  return stamped || state.volatile.readOnly.includes(path);
}
