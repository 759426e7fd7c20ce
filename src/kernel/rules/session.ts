/**
 * The session itself: made, opened with recovery, its capacity, closed (W6, R1, R2, L8).
 */
import type { TurnRef } from "../../events/events.js";
import { ROOT } from "../../paths.js";
import type { Answers, CommandOf } from "../command.js";
import { type Stage, turnRef } from "../stage.js";
import type { Agent } from "../state.js";
import { type Verdict, DONE, accept, reject } from "../verdict.js";
import { deepestFirst } from "./end.js";
import { beginSettlement, finishSettlement, partialOf } from "./settle.js";
import { release } from "./starts.js";

/** A session's capacity unless one is given (W6). */
export const DEFAULT_CAPACITY = 10;

function capacityFault(capacity: number): ReturnType<typeof reject> | null {
  if (Number.isSafeInteger(capacity) && capacity > 0) return null;
  return reject(
    "capacity-invalid",
    "W6",
    `Capacity is a positive integer; ${String(capacity)} is none.`,
  );
}

/** The first commit: the session and its root. */
export function create(stage: Stage, command: CommandOf<"create">): Verdict<null> {
  const fault = capacityFault(command.capacity);
  if (fault !== null) return fault;
  const { id, capacity, behavior, preset = "tree" } = command;
  const created = stage.emit({
    type: "session.created",
    cause: "host:create",
    id,
    capacity,
    ...(preset === "tree" ? {} : { preset }),
  });
  stage.emit({
    type: "agent.spawned",
    cause: created,
    path: ROOT,
    gen: 1,
    behavior,
    role: "delegator",
  });
  stage.emit({ type: "session.opened", cause: created, run: 1 });
  return DONE;
}

/** Opens a run, and settles what was live when the last one died, deepest first (R2). Nothing of it marks (W9). */
export function open(stage: Stage, command: CommandOf<"open">): Verdict<Answers["open"]> {
  const { capacity } = command;
  const fault = capacity === null ? null : capacityFault(capacity);
  if (fault !== null) return fault;
  stage.emit({ type: "session.opened", cause: "host:open", run: stage.durable.run + 1 });
  changeCapacity(stage, capacity);
  const live = [...stage.durable.agents.values()].filter((agent) => agent.turn !== null);
  const recovered = live.sort(deepestFirst).flatMap((agent) => recover(stage, agent));
  let unread = 0;
  for (const agent of stage.durable.agents.values()) unread += agent.unread.length;
  if (recovered.length > 0) {
    const turns = recovered.length;
    stage.emit({ type: "session.recovered", cause: "host:open", turns, unread });
  }
  return accept(() => ({ recovered, unread }));
}

/** Settles one turn of a dead run: as interrupted, or with the outcome that it had already fixed. No finaliser runs. */
function recover(stage: Stage, found: Agent): readonly TurnRef[] {
  const agent = stage.agent(found.path);
  if (agent?.turn == null) return [];
  if (agent.turn.settling === null) {
    const reason = "the process ended while this turn was live";
    const outcome = { kind: "interrupted", reason, partial: partialOf(agent.turn) } as const;
    beginSettlement(stage, agent, agent.turn, outcome, "host:open", true);
  }
  const settling = stage.agent(found.path);
  if (settling?.turn == null) return [];
  const ref = turnRef(settling, settling.turn);
  finishSettlement(stage, settling, settling.turn, { quiet: true });
  return [ref];
}

function changeCapacity(stage: Stage, to: number | null): void {
  const from = stage.durable.capacity;
  if (to === null || to === from) return;
  stage.emit({ type: "capacity.changed", cause: "host:capacity", from, to });
}

/** Another capacity for a running session: more slots are offered at once, fewer wear off (W6). */
export function setCapacity(stage: Stage, command: CommandOf<"setCapacity">): Verdict<null> {
  const fault = capacityFault(command.capacity);
  if (fault !== null) return fault;
  changeCapacity(stage, command.capacity);
  return DONE;
}

/** Turns Plan, the sticky read-only switch (P1). */
export function setPlan(stage: Stage, command: CommandOf<"setPlan">): Verdict<null> {
  const { on } = command;
  if (stage.durable.plan !== on) stage.emit({ type: "plan.switched", cause: "person:plan", on });
  return DONE;
}

/** Closing: no more admissions, live turns are interrupted, no offer follows (L8). */
export function close(stage: Stage): Verdict<null> {
  if (stage.volatile.closing) return DONE;
  const at = stage.emit({ type: "session.closing", cause: "host:close", run: stage.durable.run });
  for (const one of stage.volatile.reservations) release(stage, one, "closed", at);
  const live = [...stage.durable.agents.values()].sort(deepestFirst);
  for (const agent of live) {
    if (agent.turn === null || agent.turn.settling !== null) continue;
    const partial = partialOf(agent.turn);
    const outcome = { kind: "interrupted", reason: "session closed", partial } as const;
    beginSettlement(stage, agent, agent.turn, outcome, at);
  }
  return DONE;
}

/** Once the last turn of a closing session has settled, the run is over (L8). */
export function endRun(stage: Stage): void {
  const { closing, closed } = stage.volatile;
  if (!closing || closed || stage.durable.settling.length > 0) return;
  stage.emit({ type: "session.closed", cause: "host:close", run: stage.durable.run });
}
