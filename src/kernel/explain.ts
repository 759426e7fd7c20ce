/**
 * What keeps a record from being read and a turn from being settled, as data: the questions that `guards.ts` does not
 * answer already. Pure, and asked of any state, live or recorded.
 */
import type { Point } from "../events/point.js";
import type { AgentPath } from "../paths.js";
import { type StartGuard, startGuard } from "./guards.js";
import type { Agent, State, Unread } from "./state.js";

/** Why an unread record has not been read yet. */
export type DeliveryGuard =
  | { readonly guard: "withheld"; readonly rule: "S7" }
  /** Its agent rests; `start` is what keeps it from starting, `null` when it is about to. */
  | { readonly guard: "idle"; readonly rule: "M5"; readonly start: StartGuard | null }
  | { readonly guard: "sample"; readonly rule: "T5"; readonly attempt: number }
  | { readonly guard: "no-sample"; readonly rule: "M5"; readonly told: Point }
  | { readonly guard: "settling"; readonly rule: "W3" };

/** What keeps an unread record of an agent from being read (M5, S7). */
export function deliveryGuard(state: State, agent: Agent, record: Unread): DeliveryGuard {
  if (record.withheld) return { guard: "withheld", rule: "S7" };
  if (agent.turn === null) {
    return { guard: "idle", rule: "M5", start: startGuard(state, agent) };
  }
  if (agent.phase === "settling") return { guard: "settling", rule: "W3" };
  const { open, told } = agent.turn;
  return agent.phase === "running" && open !== null
    ? { guard: "sample", rule: "T5", attempt: open }
    : { guard: "no-sample", rule: "M5", told };
}

/** Why a live turn has not settled yet. */
export type SettleGuard =
  | { readonly guard: "no-turn"; readonly rule: "T1" }
  | { readonly guard: "sample"; readonly rule: "S1"; readonly attempt: number }
  | { readonly guard: "wait"; readonly rule: "V1"; readonly attempt: number }
  | { readonly guard: "behaviour"; readonly rule: "S1"; readonly told: Point }
  | { readonly guard: "paused"; readonly rule: "S3"; readonly failures: number }
  | { readonly guard: "queued"; readonly rule: "W3"; readonly of: AgentPath }
  | { readonly guard: "trying"; readonly rule: "S2"; readonly executions: number };

/** What keeps an agent's turn from being settled (S1-S3, W3). */
export function settleGuard(state: State, agent: Agent): SettleGuard {
  const { turn } = agent;
  if (turn === null) return { guard: "no-turn", rule: "T1" };
  if (turn.settling === null) {
    if (turn.open === null) return { guard: "behaviour", rule: "S1", told: turn.told };
    return agent.phase === "waiting"
      ? { guard: "wait", rule: "V1", attempt: turn.open }
      : { guard: "sample", rule: "S1", attempt: turn.open };
  }
  const { trying } = state.durable;
  if (trying === agent.path) {
    return { guard: "trying", rule: "S2", executions: turn.executions.size };
  }
  if (trying !== null) return { guard: "queued", rule: "W3", of: trying };
  return { guard: "paused", rule: "S3", failures: turn.settling.failures };
}
