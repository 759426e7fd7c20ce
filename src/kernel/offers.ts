/**
 * The one place that starts agents (W2). It has two callers: the offer, which ends every decision, and an explicit
 * start (spawn, prompt, assignment). What keeps an agent from starting is in guards.ts.
 */
import type {
  AgentRef,
  Cause,
  EventOf,
  Role,
  Sender,
  StartKind,
  TextSource,
  TurnRef,
} from "../events/events.js";
import type { Point } from "../events/point.js";
import { ROOT } from "../paths.js";
import { freeSlots, startGuard } from "./guards.js";
import type { Stage } from "./stage.js";
import type { Agent, Reservation } from "./state.js";
import { isLive } from "./volatile.js";

/** A start that is asked for. */
export interface Start extends AgentRef {
  readonly start: StartKind;
  readonly behavior: string;
  readonly role: Role;
  readonly task: TextSource | null;
  readonly from: Sender | null;
  readonly by: TurnRef | null;
  /** Its task came under Plan, or from a read-only turn (P2). */
  readonly stamped: boolean;
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
  const at = stage.emit(reserved(start, reservation, stage.volatile.marks.get(start.path)));
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
    const { path, gen } = start;
    stage.emit({ type: "start.prepared", cause: at, path, gen, reservation });
  }
  return reservation;
}

function reserved(
  start: Start,
  reservation: number,
  mark: Point | undefined,
): EventOf<"start.reserved"> {
  return {
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
    ...(start.stamped ? { stamped: true } : {}),
    ...(mark === undefined ? {} : { mark }),
  };
}

/** The name of the timer that bounds a preparation. */
export function prepareTimer(reservation: number): string {
  return `prepare:${reservation}`;
}

/** The name of the timer that bounds a turn (X1). */
export function turnTimer({ path, gen, turn }: TurnRef): string {
  return `turn:${path}#${gen}.${turn}`;
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
      ...(stage.policies.lifetime === "owner" ? { job: stage.durable.jobs.size + 1 } : {}),
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
    ...(start.stamped ? { stamped: true } : {}),
  });
  if (input !== undefined) {
    const records = [input];
    stage.emit({ type: "mail.delivered", cause: started, path, gen, turn, attempt: 0, records });
  }
  boundTurn(stage, { path, gen, turn });
}

/** A turn may have a deadline (X1). */
function boundTurn(stage: Stage, turn: TurnRef): void {
  const afterMs = stage.host.turnTimeoutMs;
  if (afterMs === null) return;
  const submit = { kind: "turn.timeout", turn } as const;
  stage.effect({ kind: "timer.arm", timer: turnTimer(turn), afterMs, submit });
}

function oldestInput(stage: Stage): Point | undefined {
  return stage.volatile.inputs[0];
}

/** Starts everything that may start: prepared starts, then the root, then marked agents, oldest mark first (T7, W2). */
export function offer(stage: Stage): void {
  if (stage.volatile.closing || stage.durable.trying !== null) return;
  for (const one of stage.volatile.reservations) if (one.ready) goPrepared(stage, one);
  // Nobody is to be woken: what follows would find nobody, and this is asked after every command.
  if (stage.volatile.marks.size === 0 && stage.volatile.inputs.length === 0) return;
  const root = stage.agent(ROOT);
  if (root !== undefined && mayWake(stage, root)) begin(stage, dueRoot(stage, root));
  for (const entry of stage.volatile.markOrder) {
    if (freeSlots(stage.state) <= 0) return;
    if (entry.path === ROOT || !isLive(stage.volatile.marks, entry)) continue;
    const agent = stage.agent(entry.path);
    if (agent !== undefined && mayWake(stage, agent)) begin(stage, wakeOf(agent, entry.record));
  }
}

/** Whether nothing keeps an agent from starting. The limit on wakes is recorded when it is reached, once (X2). */
function mayWake(stage: Stage, agent: Agent): boolean {
  const guard = startGuard(stage.state, agent);
  if (guard?.guard === "wakes" && !stage.volatile.limited) {
    const { path, gen } = agent;
    const cause = stage.volatile.marks.get(path) ?? "work:wake";
    stage.emit({ type: "wake.limited", cause, path, gen, limit: guard.limit });
  }
  return guard === null;
}

function goPrepared(stage: Stage, one: Reservation): void {
  const start: Start = {
    path: one.path,
    gen: one.gen,
    start: one.start,
    behavior: one.behavior,
    role: one.role,
    task: one.task === null ? null : { at: one.task },
    from: one.from,
    by: one.by,
    stamped: one.stamped,
    cause: one.at,
  };
  go(stage, start, one);
}

/**
 * Starts the idle root for the person's INPUT: now, or as soon as the settlement that runs has ended (W8, T7). A root
 * that is being prepared for its mail is taken over, and is then immune to holds.
 */
export function beginPrompt(stage: Stage): void {
  const root = stage.agent(ROOT);
  const input = oldestInput(stage);
  if (root?.phase !== "idle" || input === undefined) return;
  const preparing = stage.reservationOf(ROOT);
  if (preparing === undefined) begin(stage, dueRoot(stage, root));
  else if (preparing.start === "wake") {
    const { path, gen, reservation } = preparing;
    stage.emit({ type: "start.claimed", cause: input, path, gen, reservation, input });
  }
}

function dueRoot(stage: Stage, root: Agent): Start {
  const input = oldestInput(stage);
  if (input !== undefined) return { ...wakeOf(root, input), start: "prompt", from: "person" };
  return wakeOf(root, stage.volatile.marks.get(ROOT) ?? "work:wake");
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
    stamped: false,
    cause,
  };
}
