/**
 * The one place that starts agents (W2), and the guards that keep it from doing so.
 * It ends every decision; it has two callers: the offer, and an explicit start (spawn, prompt, assignment).
 */
import type {
  AgentRef,
  Cause,
  Role,
  Sender,
  StartKind,
  TextSource,
  TurnRef,
} from "../events/events.js";
import { type AgentPath, ROOT } from "../paths.js";
import type { Stage } from "./stage.js";
import type { Agent, Reservation, State } from "./state.js";
import { isLive } from "./volatile.js";

/** Why an agent does not start now: what stands in the way, and the rule. */
export type StartGuard =
  | { readonly guard: "closing"; readonly rule: "L8" }
  | { readonly guard: "settlement"; readonly rule: "W3"; readonly of: AgentPath }
  | { readonly guard: "active"; readonly rule: "T1" }
  | { readonly guard: "preparing"; readonly rule: "T2" }
  | { readonly guard: "unmarked"; readonly rule: "W1" }
  | { readonly guard: "behavior"; readonly rule: "R1"; readonly behavior: string }
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

/** What keeps an agent from being started by the offer; `null` when it would start. Capacity is asked last (M7). */
export function startGuard(state: State, agent: Agent): StartGuard | null {
  if (state.volatile.closing) return { guard: "closing", rule: "L8" };
  if (agent.phase !== "idle") return { guard: "active", rule: "T1" };
  if (state.volatile.reservations.some((one) => one.path === agent.path)) {
    return { guard: "preparing", rule: "T2" };
  }
  if (!isDue(state, agent)) return { guard: "unmarked", rule: "W1" };
  if (!state.host.behaviors.has(agent.behavior)) {
    return { guard: "behavior", rule: "R1", behavior: agent.behavior };
  }
  const trying = state.durable.trying;
  if (trying !== null) return { guard: "settlement", rule: "W3", of: trying };
  if (agent.path !== ROOT && freeSlots(state) <= 0) {
    const used = usedSlots(state);
    return { guard: "capacity", rule: "W6", used, capacity: state.durable.capacity };
  }
  return null;
}

function isDue(state: State, agent: Agent): boolean {
  if (state.volatile.marks.has(agent.path)) return true;
  return agent.path === ROOT && state.volatile.inputs.length > 0;
}

/** Whether a new identity may have a slot: marked idle agents that could start go first (T3). */
export function mayGrow(state: State): boolean {
  let left = freeSlots(state);
  for (const entry of state.volatile.markOrder) {
    if (left <= 0) return false;
    if (entry.path === ROOT || !isLive(state.volatile.marks, entry)) continue;
    const agent = state.durable.agents.get(entry.path);
    const guard = agent === undefined ? "unmarked" : startGuard(state, agent)?.guard;
    if (guard === undefined || guard === "settlement") left--;
  }
  return left > 0;
}

/** A start that is asked for. */
export interface Start extends AgentRef {
  readonly start: StartKind;
  readonly behavior: string;
  readonly role: Role;
  readonly task: TextSource | null;
  readonly from: Sender | null;
  readonly by: TurnRef | null;
  readonly cause: Cause;
}

/**
 * Starts an agent now, or reserves its slot: while a settlement runs (T7), or when the host prepares starts (T2).
 * Answers the reservation, or `null` when the turn has started.
 */
export function begin(stage: Stage, start: Start): number | null {
  if (!stage.host.prepares && stage.durable.trying === null) {
    go(stage, start, null);
    return null;
  }
  const reservation = stage.volatile.reserved + 1;
  const at = stage.emit({
    type: "start.reserved",
    cause: start.cause,
    path: start.path,
    gen: start.gen,
    start: start.start,
    reservation,
    behavior: start.behavior,
    role: start.role,
    ...(start.task === null ? {} : { task: start.task }),
    ...(start.from === null ? {} : { from: start.from }),
    ...(start.by === null ? {} : { by: start.by }),
  });
  takeMark(stage, start, at);
  const made = stage.reservationOf(start.path);
  if (stage.host.prepares && made !== undefined) {
    stage.effect({ kind: "prepare", reservation: made });
    stage.effect({
      kind: "timer.arm",
      timer: prepareTimer(reservation),
      afterMs: stage.host.prepareTimeoutMs,
      submit: { kind: "prepared", reservation, late: true },
    });
  } else {
    stage.emit({
      type: "start.prepared",
      cause: at,
      path: start.path,
      gen: start.gen,
      reservation,
    });
  }
  return reservation;
}

/** The name of the timer that bounds a preparation. */
export function prepareTimer(reservation: number): string {
  return `prepare:${reservation}`;
}

function takeMark(stage: Stage, ref: AgentRef, cause: Cause): void {
  if (!stage.volatile.marks.has(ref.path)) return;
  stage.emit({ type: "wake.cleared", cause, path: ref.path, gen: ref.gen, why: "started" });
}

function go(stage: Stage, start: Start, reservation: Reservation | null): void {
  const { path, gen, cause } = start;
  if (start.start === "spawn") {
    stage.emit({
      type: "agent.spawned",
      cause,
      path,
      gen,
      behavior: start.behavior,
      role: start.role,
      ...(start.by === null ? {} : { by: start.by }),
    });
  }
  // A reservation took its mark when it was made; one that has come since belongs to later mail (T4).
  if (reservation === null) takeMark(stage, start, cause);
  const input = start.start === "prompt" ? oldestInput(stage) : undefined;
  const task: TextSource | null = input === undefined ? start.task : { at: input };
  const turn = (stage.agent(path)?.turns ?? 0) + 1;
  const started = stage.emit({
    type: "turn.started",
    cause,
    path,
    gen,
    turn,
    start: start.start,
    ...(reservation === null ? {} : { reservation: reservation.reservation }),
    ...(task === null ? {} : { task }),
    ...(start.from === null ? {} : { from: start.from }),
  });
  if (input === undefined) return;
  const records = [input];
  stage.emit({ type: "mail.delivered", cause: started, path, gen, turn, attempt: 0, records });
}

function oldestInput(stage: Stage): readonly [number, number] | undefined {
  return stage.volatile.inputs[0];
}

/** Starts everything that may start: prepared starts, then the root, then marked agents, oldest mark first (T7, W2). */
export function offer(stage: Stage): void {
  if (stage.volatile.closing || stage.durable.trying !== null) return;
  for (const one of stage.volatile.reservations) if (one.ready) goPrepared(stage, one);
  const root = stage.agent(ROOT);
  if (root !== undefined && startGuard(stage.state, root) === null)
    begin(stage, dueRoot(stage, root));
  for (const entry of stage.volatile.markOrder) {
    if (freeSlots(stage.state) <= 0) return;
    if (entry.path === ROOT || !isLive(stage.volatile.marks, entry)) continue;
    const agent = stage.agent(entry.path);
    if (agent === undefined || startGuard(stage.state, agent) !== null) continue;
    begin(stage, wakeOf(agent, entry.record));
  }
}

function goPrepared(stage: Stage, one: Reservation): void {
  // An INPUT that came while the root was being prepared for mail takes the start over (W8).
  const taken = one.path === ROOT && one.start === "wake" && oldestInput(stage) !== undefined;
  go(
    stage,
    {
      path: one.path,
      gen: one.gen,
      start: taken ? "prompt" : one.start,
      behavior: one.behavior,
      role: one.role,
      task: one.task === null ? null : { at: one.task },
      from: taken ? "person" : one.from,
      by: one.by,
      cause: one.at,
    },
    one,
  );
}

/** Starts the idle root for the person's INPUT, or reserves its start during a settlement (W8, T7). */
export function beginPrompt(stage: Stage): void {
  const root = stage.agent(ROOT);
  if (root?.phase !== "idle" || stage.reservationOf(ROOT) !== undefined) return;
  begin(stage, dueRoot(stage, root));
}

function dueRoot(stage: Stage, root: Agent): Start {
  const input = oldestInput(stage);
  if (input === undefined) return wakeOf(root, stage.volatile.marks.get(ROOT) ?? stage.state.next);
  return { ...wakeOf(root, input), start: "prompt", from: "person" };
}

function wakeOf(agent: Agent, cause: Cause): Start {
  return {
    path: agent.path,
    gen: agent.gen,
    start: "wake",
    behavior: agent.behavior,
    role: agent.role,
    task: null,
    from: null,
    by: null,
    cause,
  };
}
