/**
 * What a live turn does: samples, partial text, entries of the host's own, waits, executions (T1, M5, M6, V1-V4, S5).
 */
import type { EventOf, Json, TurnRef, Usage } from "../../events/events.js";
import { ROOT } from "../../paths.js";
import type { Answers, CommandOf } from "../command.js";
import { type Stage, turnRef } from "../stage.js";
import type { Agent, Turn } from "../state.js";
import { fittingText, isJsonTooLarge, shortReason, sizeFault, tooLarge } from "../text.js";
import { type Verdict, DONE, accept, reject } from "../verdict.js";
import { deliver, deliverable, endWait, tell, waitTimer, wakesWait } from "./mail.js";
import { findCaller, roleFault } from "./targets.js";

/** A wait's time when none is given, and its bounds, in milliseconds (V3). */
export const WAIT_TIME = { defaultMs: 30_000, leastMs: 10_000, mostMs: 3_600_000 } as const;

/** A caller whose turn is live and has neither a sample nor a wait open (T1). */
function findFree(
  stage: Stage,
  by: TurnRef,
): ({ readonly ok: true } & { agent: Agent; turn: Turn }) | ReturnType<typeof reject> {
  const caller = findCaller(stage, by);
  if (!caller.ok || caller.turn.open === null) return caller;
  const doing = caller.agent.phase === "waiting" ? "a wait" : "a sample";
  return reject(
    "turn-busy",
    "T1",
    `${by.path} has ${doing} open already: a turn has at most one sample or wait at a time. Let it end first.`,
  );
}

/** The boundary, then the sample (M5). */
export function sampleBegin(
  stage: Stage,
  command: CommandOf<"sample.begin">,
): Verdict<Answers["sample.begin"]> {
  const caller = findFree(stage, command.turn);
  if (!caller.ok) return caller;
  const attempt = { ...command.turn, attempt: caller.turn.attempts + 1 };
  const mail = deliverable(caller.agent);
  const notices = command.turn.path === ROOT ? stage.volatile.notices.toArray() : [];
  deliver(stage, caller.agent, attempt.attempt, caller.turn.told);
  stage.emit({ type: "sample.began", cause: caller.turn.told, ...attempt });
  return accept(() => ({ attempt, mail, notices }));
}

/** A sample's end. One that no longer matches is dropped (T1). */
export function sampleEnd(stage: Stage, command: CommandOf<"sample.end">): Verdict<null> {
  const fault = usageFault(command.usage);
  if (fault !== null) return fault;
  const live = stage.live(command.attempt);
  if (live?.agent.phase !== "running" || live.turn.open !== command.attempt.attempt) return DONE;
  stage.emit({
    type: "sample.ended",
    cause: live.turn.told,
    ...command.attempt,
    ...resultOf(command),
    ...(command.usage === undefined ? {} : { usage: command.usage }),
  });
  return DONE;
}

/** A result over the bound can't be refused, for the sample is over: it counts as failed, which says why (L2). */
function resultOf({
  result,
  opaque,
  failed,
}: CommandOf<"sample.end">): Pick<EventOf<"sample.ended">, "result" | "opaque" | "failed"> {
  if (result !== undefined && isJsonTooLarge(result)) {
    return { failed: "Its result takes more than 64 MiB in the log (L2)." };
  }
  return {
    ...(result === undefined ? {} : { result }),
    ...(opaque === undefined ? {} : { opaque }),
    ...(failed === undefined ? {} : { failed: shortReason(failed) }),
  };
}

/** Refuses a report of usage that can't be summed (X3); `null` when it can, or there is none. */
export function usageFault(usage: Usage | undefined): ReturnType<typeof reject> | null {
  if (usage === undefined) return null;
  const isObject = typeof usage === "object" && usage !== null && !Array.isArray(usage);
  const amounts = isObject ? Object.values(usage) : [Number.NaN];
  if (amounts.every((amount) => Number.isFinite(amount) && amount >= 0)) return null;
  return reject(
    "usage-invalid",
    "X3",
    "Usage is an object of finite numbers that are not negative, such as { tokens: 812 }.",
  );
}

/** A piece of an open sample's text: kept for the case that the turn is cut short (S1). */
export function partial(stage: Stage, command: CommandOf<"partial">): Verdict<null> {
  const caller = findCaller(stage, command.turn);
  if (!caller.ok) return caller;
  const fault = sizeFault(command.text, "partial text");
  if (fault !== null) return fault;
  const { agent, turn } = caller;
  if (agent.phase !== "running" || turn.open === null) {
    return reject(
      "turn-busy",
      "T1",
      "Partial text belongs to an open sample. Call it inside turn.sample.",
    );
  }
  if (command.text === "") return DONE;
  stage.emit({
    type: "partial.recorded",
    cause: turn.told,
    ...command.turn,
    attempt: turn.open,
    text: command.text.toWellFormed(),
  });
  return DONE;
}

/** An entry of the host's own in the transcript (M6). */
export function record(stage: Stage, command: CommandOf<"record">): Verdict<null> {
  const caller = findCaller(stage, command.turn, command.finaliser);
  if (!caller.ok) return caller;
  const entry: Json = command.entry;
  if (isJsonTooLarge(entry)) return tooLarge("entry");
  stage.emit({ type: "transcript.recorded", cause: caller.turn.told, ...command.turn, entry });
  return DONE;
}

/** WaitAgent (V1-V4). Mail that is already there ends it in the same decision. */
export function wait(stage: Stage, command: CommandOf<"wait">): Verdict<Answers["wait"]> {
  const caller = findFree(stage, command.turn);
  if (!caller.ok) return caller;
  const fault = roleFault(caller.agent, "WaitAgent");
  if (fault !== null) return fault;
  const badTime = timeoutFault(command.timeout);
  if (badTime !== null) return badTime;
  const timeoutMs = readTimeout(command.timeout) ?? WAIT_TIME.defaultMs;
  const attempt = { ...command.turn, attempt: caller.turn.attempts + 1 };
  const began = stage.emit({
    type: "wait.began",
    cause: caller.turn.told,
    ...attempt,
    timeoutMs,
    ...(command.for === undefined ? {} : { for: command.for }),
  });
  const waiting = stage.retained(attempt);
  const why = waiting === undefined ? null : wakesWait(waiting);
  if (waiting !== undefined && why !== null) {
    endWait(stage, waiting, why, began);
  } else {
    stage.effect({
      kind: "timer.arm",
      timer: waitTimer(attempt),
      afterMs: timeoutMs,
      submit: { kind: "wait.timeout", attempt },
    });
  }
  return accept(() => ({ attempt }));
}

/** Refuses what is no time to wait (V3); `null` when it is one, or is left out. */
export function timeoutFault(value: unknown): ReturnType<typeof reject> | null {
  if (readTimeout(value) !== undefined) return null;
  return reject(
    "timeout-invalid",
    "V3",
    "The timeout is neither a number of milliseconds nor a decimal string. Give one from 10000 to 3600000.",
  );
}

/** Reads a wait's time: rounded and clamped; `undefined` for what is no time (V3). */
export function readTimeout(value: unknown): number | undefined {
  if (value === undefined) return WAIT_TIME.defaultMs;
  const number = typeof value === "string" ? readDecimal(value) : value;
  if (typeof number !== "number" || Number.isNaN(number)) return undefined;
  return Math.min(Math.max(Math.round(number), WAIT_TIME.leastMs), WAIT_TIME.mostMs);
}

function readDecimal(text: string): number {
  const trimmed = text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

/** A wait's time is up. A late timer of a wait that has ended is dropped (V3, V4). */
export function waitTimeout(stage: Stage, command: CommandOf<"wait.timeout">): Verdict<null> {
  const live = stage.live(command.attempt);
  if (live?.agent.phase !== "waiting" || live.turn.open !== command.attempt.attempt) return DONE;
  endWait(stage, live.agent, "timeout", "clock:timeout");
  return DONE;
}

/** A command runs on while the turn works (S5). The turn's actor starts it on the folded event. */
export function yieldExecution(
  stage: Stage,
  command: CommandOf<"yield">,
): Verdict<Answers["yield"]> {
  const caller = findCaller(stage, command.turn);
  if (!caller.ok) return caller;
  if (caller.agent.phase !== "running") {
    return reject("turn-busy", "T1", `${command.turn.path} waits; a waiting turn yields nothing.`);
  }
  const execution = caller.agent.executions + 1;
  stage.emit({
    type: "execution.yielded",
    cause: caller.turn.told,
    ...command.turn,
    execution,
    command: fittingText(command.command),
  });
  return accept(() => ({ execution }));
}

/** A yielded command completed: EXECUTION mail to its own agent, which never marks (S5, W1). */
export function executionComplete(
  stage: Stage,
  command: CommandOf<"execution.complete">,
): Verdict<null> {
  const live = stage.live(command.turn);
  if (live === undefined || !live.turn.executions.has(`${command.execution}`)) return DONE;
  completeExecution(stage, live.agent, live.turn, command);
  return DONE;
}

/** Records that an execution ended, and queues what it printed to its owner. `quiet` wakes nobody (R2). */
export function completeExecution(
  stage: Stage,
  agent: Agent,
  turn: Turn,
  end: { readonly execution: number; readonly text: string; readonly stopped: boolean },
  quiet = false,
): void {
  const { execution } = end;
  const done = stage.emit({
    type: "execution.completed",
    cause: turn.told,
    ...turnRef(agent, turn),
    execution,
    ...(end.stopped ? { stopped: true } : {}),
  });
  const queued = stage.emit({
    type: "mail.queued",
    cause: done,
    path: agent.path,
    gen: agent.gen,
    mail: "EXECUTION",
    from: agent.path,
    text: fittingText(end.text),
    execution,
    by: turnRef(agent, turn),
  });
  if (!quiet) tell(stage, agent, queued, false);
}
