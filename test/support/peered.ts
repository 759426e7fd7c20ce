/** The rules of the operation layer brought somewhere: a family of agents at rest, and plans about them. */
import type { OperationPlanned, Recipient } from "../../src/events/operations.js";
import type { AgentRef } from "../../src/events/refs.js";
import type { CommandOf, OfPlan } from "../../src/kernel/command.js";
import { SILENT } from "../../src/kernel/parents.js";
import { commands, turnOf } from "../../src/testing/commands.js";
import { given, type Scenario, type ScenarioHost } from "../../src/testing/scenario.js";

const { spawn, finish, end } = commands;

/** `/root/p` and its child `/root/p/c`, both idle; `/root/p` is not marked. */
export function family(host: ScenarioHost = {}): Scenario {
  return given(host, spawn("p"), spawn("c", { parent: "/root/p" }), finish(turnOf("/root/p/c")))
    .and(commands.sample(turnOf("/root/p")))
    .and(finish(turnOf("/root/p")));
}

/** The child of {@link family}. */
export const CHILD: AgentRef = { path: "/root/p/c", gen: 1 };
/** Its parent. */
export const PARENT: AgentRef = { path: "/root/p", gen: 1 };

/** A plan to write to the child. */
export function planTo(
  child: AgentRef = CHILD,
  more: Partial<CommandOf<"operation.plan">> = {},
): CommandOf<"operation.plan"> {
  return {
    kind: "operation.plan",
    by: null,
    operation: "op",
    child,
    text: "hello",
    requireLive: false,
    report: SILENT,
    ...more,
  };
}

/** One recipient of the plan that the newest commit holds. */
export function ofPlan(scenario: Scenario, recipient: Recipient): OfPlan {
  const n = scenario.commits.findLastIndex((events) =>
    events.some(({ type }) => type === "operation.planned"),
  );
  const events = scenario.commits[n] ?? [];
  const index = events.findIndex(({ type }) => type === "operation.planned");
  return { plan: events[index] as OperationPlanned, at: [n + 1, index], recipient };
}

/** A log with every event of the layer: to both, to one that has ended, and one that can't be told. */
export function peered(): Scenario["commits"] {
  const planned = family().and(planTo());
  const child = ofPlan(planned, "child");
  const parent = ofPlan(planned, "parent");
  const sent = planned.and(
    { kind: "operation.attempt", ...child },
    { kind: "operation.append", ...child },
    { kind: "operation.result", ...child, end: "published" },
    { kind: "operation.attempt", ...parent },
    { kind: "operation.append", ...parent },
    { kind: "operation.result", ...parent, end: "unknown", code: "history-pruned", rule: "O5" },
    end("/root/p/c"),
    planTo(CHILD, { operation: "late" }),
  );
  const late = ofPlan(sent, "child");
  return sent.and(
    { kind: "operation.attempt", ...late },
    { kind: "operation.append", ...late },
    { kind: "operation.result", ...late, end: "published" },
  ).commits;
}
