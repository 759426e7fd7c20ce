/**
 * Settlement: ending a turn, once, with one RESULT to the spawn parent (S1, S2, S5, S8, W3-W5).
 */
import type {
  AgentRef,
  AttemptRef,
  Cause,
  Outcome,
  OutcomeKind,
  TurnRef,
} from "../../events/events.js";
import { type Point, comparePoints } from "../../events/point.js";
import { ROOT, parentPath } from "../../paths.js";
import type { CommandOf, TurnEnd } from "../command.js";
import { type Stage, turnRef } from "../stage.js";
import type { Agent, Turn, Unread } from "../state.js";
import { isTooLarge, shortReason } from "../text.js";
import { type Verdict, DONE } from "../verdict.js";
import { turnTimer } from "../offers.js";
import { releaseBlockers } from "./blockers.js";
import { boundHandler, handlerOf, returnWithheld } from "./handlers.js";
import { isJob } from "./jobs.js";
import { clearMark, deliverable, endWait, tell } from "./mail.js";
import { release, releaseSpawns } from "./starts.js";
import { completeExecution } from "./turns.js";

/** The behaviour of a turn has returned or thrown. Only the first end of a turn counts (S1). */
export function turnFinish(stage: Stage, command: CommandOf<"turn.finish">): Verdict<null> {
  const live = stage.live(command.turn);
  if (live === undefined || live.turn.settling !== null) return DONE;
  const outcome = outcomeOf(live.turn, command.end);
  if (extend(stage, live.agent, live.turn, outcome)) return DONE;
  beginSettlement(stage, live.agent, live.turn, outcome, live.turn.told);
  return DONE;
}

/**
 * Where late mail is the same turn's, an answer that is not yet fixed gives way to it: the behaviour is called again, once
 * for what has come since the last time (J6). Answers whether it is.
 */
function extend(stage: Stage, agent: Agent, turn: Turn, outcome: Outcome): boolean {
  const { response } = outcome;
  if (stage.policies.lateMail === "turn" || !isJob(stage, agent.path)) return false;
  if (agent.phase !== "running" || outcome.kind !== "completed" || response === undefined)
    return false;
  const isLate = ({ at }: Unread): boolean =>
    turn.extended === null || comparePoints(at, turn.extended) > 0;
  if (!deliverable(agent).some((record) => record.mail === "MAIL" && isLate(record))) return false;
  const ref = turnRef(agent, turn);
  if (turn.open !== null) {
    const failed = "The behaviour returned while it was open.";
    stage.emit({ type: "sample.ended", cause: turn.told, ...ref, attempt: turn.open, failed });
  }
  stage.emit({ type: "turn.extended", cause: turn.told, ...ref, response });
  return true;
}

function outcomeOf(turn: Turn, end: TurnEnd): Outcome {
  if (end.kind === "errored") return { kind: "errored", reason: shortReason(end.reason) };
  const said: unknown = end.response;
  if (typeof said !== "string") return unsaid(turn, said);
  const response = said.toWellFormed();
  if (isTooLarge(response)) {
    return {
      kind: "errored",
      reason: "The final response takes more than 64 MiB in the log (L2).",
    };
  }
  return {
    kind: "completed",
    response: { text: response },
    ...(response === said ? {} : { repaired: true }),
  };
}

/** A response that is given by reference (M6), or is no text at all: a caller without types may give anything. */
function unsaid(turn: Turn, said: unknown): Outcome {
  const isSample = typeof said === "object" && said !== null && "sample" in said;
  if (!isSample) return { kind: "errored", reason: "The final response is not text (S1)." };
  const at = turn.lastResult;
  return { kind: "completed", response: at === null ? { text: "" } : { at } };
}

/** What a turn that is cut short had said so far, by reference: the open sample's text, else its newest result (S1). */
export function partialOf(turn: Turn): readonly Point[] {
  if (turn.partials.length > 0) return turn.partials.toArray();
  return turn.lastResult === null ? [] : [turn.lastResult];
}

/** Fixes the outcome: durable, and from here on the behaviour's handle is refused (S2, T1). */
export function beginSettlement(
  stage: Stage,
  agent: Agent,
  turn: Turn,
  outcome: Outcome,
  cause: Cause,
  quiet = false,
): void {
  if (agent.phase === "waiting") {
    endWait(stage, agent, outcome.kind === "interrupted" ? "interrupted" : "settled", cause);
  }
  const ref = turnRef(agent, turn);
  endOwned(stage, agent, cause, quiet);
  releaseBlockers(stage, agent, turn, cause);
  const began = stage.emit({ type: "settlement.began", cause, ...ref, outcome });
  releaseSpawns(stage, ref, began);
  returnWithheld(stage, agent, ref, began, quiet);
  if (stage.host.turnTimeoutMs !== null) {
    stage.effect({ kind: "timer.disarm", timer: turnTimer(ref) });
  }
}

/** The jobs of a job end with it (J6). */
function endOwned(stage: Stage, owner: Agent, cause: Cause, quiet: boolean): void {
  if (!isJob(stage, owner.path)) return;
  for (const one of stage.volatile.reservations) {
    if (parentPath(one.path) === owner.path) release(stage, one, "ended", cause);
  }
  for (const agent of stage.durable.agents.values()) {
    const { parent, turn } = agent;
    if (parent?.path !== owner.path || turn === null || turn.settling !== null) continue;
    const reason = `its owner ${owner.path} ended (J6)`;
    const outcome = { kind: "interrupted", reason, partial: partialOf(turn) } as const;
    beginSettlement(stage, agent, turn, outcome, cause, quiet);
  }
}

/** A turn has passed its deadline (X1). */
export function turnTimeout(stage: Stage, command: CommandOf<"turn.timeout">): Verdict<null> {
  const live = stage.live(command.turn);
  if (live === undefined || live.turn.settling !== null) return DONE;
  const reason = `it passed its deadline of ${stage.host.turnTimeoutMs} ms (X1)`;
  const outcome = { kind: "interrupted", reason, partial: partialOf(live.turn) } as const;
  beginSettlement(stage, live.agent, live.turn, outcome, "clock:deadline");
  return DONE;
}

/**
 * Lets the next settlement run, if none does (W3). A turn that owns nothing settles here and now;
 * else its actor tries to end what it owns. Answers whether a turn settled, after which an offer is due.
 */
export function nextSettlement(stage: Stage): boolean {
  if (stage.durable.trying !== null || stage.durable.settling.length === 0) return false;
  for (const path of stage.durable.settling) {
    const agent = stage.agent(path);
    const turn = agent?.turn;
    if (agent === undefined || turn?.settling == null || turn.settling.paused) continue;
    if (turn.executions.size === 0 && !stage.host.finalises) {
      finishSettlement(stage, agent, turn);
      return true;
    }
    trySettlement(stage, agent, turn, turn.settling.began);
    return false;
  }
  return false;
}

/** How often ending a turn is tried, and the pause before each further try, in milliseconds (S3). */
const PAUSES_MS = [1_000, 5_000];

function trySettlement(stage: Stage, agent: Agent, turn: Turn, cause: Cause): void {
  const attempt = { ...turnRef(agent, turn), attempt: turn.attempts + 1 };
  stage.emit({ type: "settlement.attempted", cause, ...attempt });
  const reason = `it did not end within ${stage.host.settleTimeoutMs} ms`;
  stage.effect({
    kind: "timer.arm",
    timer: settleTimer(attempt),
    afterMs: stage.host.settleTimeoutMs,
    submit: { kind: "settlement.fail", attempt, reason },
  });
}

function settleTimer({ path, gen, turn }: TurnRef): string {
  return `settle:${path}#${gen}.${turn}`;
}

/** The try of an attempt, if it is the one that runs: anything else is late, and dropped (T1). */
function findTry(stage: Stage, attempt: AttemptRef): { agent: Agent; turn: Turn } | undefined {
  const live = stage.live(attempt);
  if (live === undefined || stage.durable.trying !== attempt.path) return undefined;
  return live.turn.attempts === attempt.attempt ? live : undefined;
}

/** A settlement try has ended: everything the turn owned is gone (S2). */
export function settlementEnd(stage: Stage, command: CommandOf<"settlement.end">): Verdict<null> {
  const live = findTry(stage, command.attempt);
  if (live === undefined) return DONE;
  stage.effect({ kind: "timer.disarm", timer: settleTimer(command.attempt) });
  finishSettlement(stage, live.agent, live.turn);
  return DONE;
}

/** A try failed or ran out of time: nothing is published, and it is tried again; the third time it settles as errored (S3). */
export function settlementFail(stage: Stage, command: CommandOf<"settlement.fail">): Verdict<null> {
  const live = findTry(stage, command.attempt);
  if (live === undefined) return DONE;
  const reason = shortReason(command.reason);
  const timer = settleTimer(command.attempt);
  stage.effect({ kind: "timer.disarm", timer });
  const at = stage.emit({
    type: "settlement.failed",
    cause: live.turn.told,
    ...command.attempt,
    reason,
  });
  const agent = stage.retained(command.attempt);
  const turn = agent?.turn;
  if (agent === undefined || turn?.settling == null) return DONE;
  const afterMs = PAUSES_MS[turn.settling.failures - 1];
  if (afterMs === undefined) finishSettlement(stage, agent, turn, { failed: reason, cause: at });
  else {
    const submit = { kind: "settlement.retry", turn: turnRef(agent, turn) } as const;
    stage.effect({ kind: "timer.arm", timer, afterMs, submit });
  }
  return DONE;
}

/** The pause after a failed try is over (S3). */
export function settlementRetry(
  stage: Stage,
  command: CommandOf<"settlement.retry">,
): Verdict<null> {
  const live = stage.live(command.turn);
  if (live?.turn.settling?.paused !== true) return DONE;
  stage.effect({ kind: "timer.disarm", timer: settleTimer(command.turn) });
  stage.emit({ type: "settlement.resumed", cause: "clock:pause", ...command.turn });
  return DONE;
}

/** How a turn is ended other than in the usual way. */
interface Ending {
  /** Recovery ends it: nothing of it marks or is handled (R2). */
  readonly quiet?: true;
  /** Why ending it failed for good (S3). */
  readonly failed?: string;
  readonly cause?: Cause;
}

/**
 * The commit that ends a turn (S2): idle, slot free, RESULT to the spawn parent, then the agent's own unread EXECUTIONs,
 * in order of completion (S5).
 */
export function finishSettlement(
  stage: Stage,
  agent: Agent,
  turn: Turn,
  ending: Ending = {},
): void {
  const { settling } = turn;
  if (settling === null) return;
  for (const execution of [...turn.executions.values()].sort((a, b) => a - b)) {
    completeExecution(stage, agent, turn, { execution, text: "", stopped: true }, true);
  }
  const { failed } = ending;
  const outcome = failed === undefined ? settling.outcome : "errored";
  const settled = stage.emit({
    type: "turn.settled",
    cause: ending.cause ?? settling.began,
    ...turnRef(agent, turn),
    outcome,
    ...(failed === undefined ? {} : { failed }),
  });
  // An errored turn is not started again by old mail, nor the root after an interrupt (W5, W7).
  const cleared = agent.path === ROOT ? outcome !== "completed" : outcome === "errored";
  if (cleared) clearMark(stage, agent, outcome === "errored" ? outcome : "interrupted", settled);
  if (agent.parent !== null)
    report(stage, agent, turn, agent.parent, { ...ending, settled, outcome });
}

function report(
  stage: Stage,
  agent: Agent,
  turn: Turn,
  parent: AgentRef,
  end: Ending & { readonly settled: Point; readonly outcome: OutcomeKind },
): void {
  const { quiet, failed, settled, outcome } = end;
  const handler = quiet === true ? undefined : handlerOf(stage, agent);
  const record = stage.emit({
    type: "mail.queued",
    cause: settled,
    path: parent.path,
    gen: parent.gen,
    mail: "RESULT",
    from: agent.path,
    ...(turn.settling === null ? {} : { source: turn.settling.began }),
    outcome,
    by: turnRef(agent, turn),
    ...(handler === undefined ? {} : { withheld: true }),
    ...(failed === undefined ? {} : { failed }),
  });
  const moved = moveExecutions(stage, agent, parent, settled);
  if (quiet === true) return;
  if (handler === undefined) return tell(stage, parent, record, !turn.muted);
  boundHandler(stage, handler.turn, record);
  if (moved) tell(stage, parent, record, false);
}

/** Answers whether there were any. */
function moveExecutions(stage: Stage, owner: AgentRef, to: AgentRef, cause: Cause): boolean {
  const from = { path: owner.path, gen: owner.gen };
  const own = (stage.agent(owner.path)?.unread.toArray() ?? []).filter(
    (record) => record.mail === "EXECUTION" && record.from === owner.path,
  );
  for (const { at } of own) {
    stage.emit({ type: "mail.moved", cause, path: to.path, gen: to.gen, record: at, from });
  }
  return own.length > 0;
}
