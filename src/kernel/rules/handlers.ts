/**
 * Handlers: a turn takes a child's RESULT itself; nobody is woken by it while it does (S7).
 */
import type { Cause, TurnRef } from "../../events/events.js";
import type { Point } from "../../events/point.js";
import { samePoint } from "../../events/point.js";
import type { Answers, CommandOf } from "../command.js";
import type { Stage } from "../stage.js";
import type { Agent, Handler } from "../state.js";
import { shortReason } from "../text.js";
import { type Verdict, DONE, accept, reject } from "../verdict.js";
import { tell } from "./mail.js";
import { findCaller, findTarget, roleFault } from "./targets.js";

/** Registers a handler for a child's next RESULT; one a child (S7). */
export function takeResult(
  stage: Stage,
  command: CommandOf<"takeResult">,
): Verdict<Answers["takeResult"]> {
  const caller = findCaller(stage, command.turn);
  if (!caller.ok) return caller;
  const fault = roleFault(caller.agent, "takeResult");
  if (fault !== null) return fault;
  const target = findTarget(stage, command.turn, command.child);
  if (!target.ok) return target;
  const child = target.agent;
  if (child.parent?.path !== command.turn.path) {
    return reject(
      "not-a-child",
      "S7",
      `${child.path} is no child of ${command.turn.path}, which gets no RESULT of it. Await your own children.`,
    );
  }
  if (stage.volatile.handlers.some((one) => isOf(one, child))) {
    return reject("handler-taken", "S7", `The RESULT of ${child.path} is awaited already.`);
  }
  const ref = { path: child.path, gen: child.gen };
  const cause = caller.turn.told;
  stage.emit({ type: "handler.registered", cause, ...command.turn, child: ref });
  return accept(() => ({ child: ref }));
}

/** The handler that waits for an agent's RESULT, if one does. */
export function handlerOf(stage: Stage, child: Agent): Handler | undefined {
  return stage.volatile.handlers.find((one) => isOf(one, child) && one.record === null);
}

function isOf({ child }: Handler, agent: Agent): boolean {
  return child.path === agent.path && child.gen === agent.gen;
}

/** The name of the timer that bounds a handler. */
export function handlerTimer(record: Point): string {
  return `handler:${record[0]}.${record[1]}`;
}

/** Bounds a handler that has been given its record. */
export function boundHandler(stage: Stage, turn: TurnRef, record: Point): void {
  stage.effect({
    kind: "timer.arm",
    timer: handlerTimer(record),
    afterMs: stage.host.settleTimeoutMs,
    submit: { kind: "handler.end", turn, record, failed: "the handler ran out of time" },
  });
}

/** A handler has ended: its record is consumed, or goes back to the queue as ordinary waking mail (S7). */
export function handlerEnd(stage: Stage, command: CommandOf<"handler.end">): Verdict<null> {
  const { record, failed } = command;
  const handler = findRunning(stage, record);
  if (handler === undefined) return DONE;
  const { path, gen } = handler.turn;
  stage.effect({ kind: "timer.disarm", timer: handlerTimer(record) });
  if (failed === undefined) {
    stage.emit({ type: "mail.consumed", cause: record, path, gen, record });
    return DONE;
  }
  giveBack(stage, handler.turn, record, `its handler failed: ${shortReason(failed)}`, record);
  tell(stage, handler.turn, record, true);
  return DONE;
}

function findRunning(stage: Stage, record: Point): Handler | undefined {
  return stage.volatile.handlers.find(
    (one) => one.record !== null && samePoint(one.record, record),
  );
}

function giveBack(
  stage: Stage,
  { path, gen }: TurnRef,
  record: Point,
  warning: string,
  cause: Cause,
): void {
  stage.emit({ type: "mail.returned", cause, path, gen, record, warning });
}

/**
 * The awaiting turn ends: what its handlers have is ordinary unread mail again (S7). `quiet` marks nobody: recovery, and
 * an interrupt, which clears the marks of all mail that was there when it was asked (R2, I2, W5).
 */
export function returnWithheld(
  stage: Stage,
  agent: Agent,
  ref: TurnRef,
  cause: Cause,
  quiet: boolean,
): void {
  for (const record of stage.agent(agent.path)?.unread ?? []) {
    if (!record.withheld) continue;
    stage.effect({ kind: "timer.disarm", timer: handlerTimer(record.at) });
    giveBack(stage, ref, record.at, "the turn that awaited it ended first", cause);
    if (!quiet) tell(stage, ref, record.at, true);
  }
}
