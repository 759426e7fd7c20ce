/**
 * Settlement: ending a turn, once, with one RESULT to the spawn parent (S1, S2, S5, S8, W3-W5).
 */
import type { Cause, Outcome } from "../../events/events.js";
import type { Point } from "../../events/point.js";
import { ROOT } from "../../paths.js";
import type { CommandOf, TurnEnd } from "../command.js";
import { type Stage, turnRef } from "../stage.js";
import type { Agent, Turn } from "../state.js";
import { isTooLarge } from "../text.js";
import { type Verdict, DONE } from "../verdict.js";
import { clearMark, endWait, marks, tell } from "./mail.js";
import { releaseSpawns } from "./starts.js";
import { completeExecution } from "./turns.js";

/** The behaviour of a turn has returned or thrown. Only the first end of a turn counts (S1). */
export function turnFinish(stage: Stage, command: CommandOf<"turn.finish">): Verdict<null> {
  const live = stage.live(command.turn);
  if (live === undefined || live.turn.settling !== null) return DONE;
  beginSettlement(stage, live.agent, live.turn, outcomeOf(live.turn, command.end), live.turn.told);
  return DONE;
}

function outcomeOf(turn: Turn, end: TurnEnd): Outcome {
  if (end.kind === "errored") return { kind: "errored", reason: end.reason.toWellFormed() };
  if (typeof end.response !== "string") {
    const at = turn.lastResult;
    return at === null
      ? { kind: "completed", response: { text: "" } }
      : { kind: "completed", response: { at } };
  }
  const response = end.response.toWellFormed();
  if (isTooLarge(response)) {
    return {
      kind: "errored",
      reason: "The final response takes more than 64 MiB in the log (L2).",
    };
  }
  return {
    kind: "completed",
    response: { text: response },
    ...(response === end.response ? {} : { repaired: true }),
  };
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
): void {
  if (agent.phase === "waiting") {
    endWait(stage, agent, outcome.kind === "interrupted" ? "interrupted" : "settled", cause);
  }
  const began = stage.emit({ type: "settlement.began", cause, ...turnRef(agent, turn), outcome });
  releaseSpawns(stage, turnRef(agent, turn), began);
}

/**
 * Lets the next settlement run, if none does (W3). A turn that owns nothing settles here and now;
 * else its actor tries to end what it owns. Answers whether a turn settled, after which an offer is due.
 */
export function nextSettlement(stage: Stage): boolean {
  const path = stage.durable.settling.first();
  if (stage.durable.trying !== null || path === undefined) return false;
  const agent = stage.agent(path);
  const turn = agent?.turn;
  if (agent === undefined || turn?.settling == null) return false;
  if (turn.executions.length === 0) {
    finishSettlement(stage, agent, turn);
    return true;
  }
  const attempt = turn.attempts + 1;
  const cause = turn.settling.began;
  stage.emit({ type: "settlement.attempted", cause, ...turnRef(agent, turn), attempt });
  return false;
}

/** A settlement try has ended: everything the turn owned is gone (S2). */
export function settlementEnd(stage: Stage, command: CommandOf<"settlement.end">): Verdict<null> {
  const { attempt } = command;
  const live = stage.live(attempt);
  if (live === undefined || stage.durable.trying !== attempt.path) return DONE;
  if (live.turn.attempts !== attempt.attempt) return DONE;
  finishSettlement(stage, live.agent, live.turn);
  return DONE;
}

/**
 * The commit that ends a turn (S2): idle, slot free, RESULT to the spawn parent, then the agent's own unread EXECUTIONs,
 * in order of completion (S5). `quiet` is recovery's: nothing of it marks (R2).
 */
export function finishSettlement(stage: Stage, agent: Agent, turn: Turn, quiet = false): void {
  const settling = turn.settling;
  if (settling === null) return;
  for (const execution of turn.executions) {
    completeExecution(stage, agent, turn, { execution, text: "", stopped: true }, true);
  }
  const { path, gen } = agent;
  const { outcome, began } = settling;
  const settled = stage.emit({
    type: "turn.settled",
    cause: began,
    ...turnRef(agent, turn),
    outcome,
  });
  const cleared = path === ROOT ? outcome !== "completed" : outcome === "errored";
  if (cleared) clearMark(stage, agent, "errored", settled);
  if (agent.parent === null) return;
  const record = stage.emit({
    type: "mail.queued",
    cause: settled,
    path: agent.parent.path,
    gen: agent.parent.gen,
    mail: "RESULT",
    from: path,
    source: began,
    outcome,
    by: turnRef(agent, turn),
  });
  moveExecutions(stage, { path, gen }, agent.parent, settled);
  if (!quiet) tell(stage, agent.parent, record, marks("RESULT", path, agent.parent.path));
}

function moveExecutions(
  stage: Stage,
  from: { path: Agent["path"]; gen: number },
  to: { path: Agent["path"]; gen: number },
  cause: Cause,
): void {
  for (const record of stage.agent(from.path)?.unread ?? []) {
    if (record.mail !== "EXECUTION" || record.from !== from.path) continue;
    stage.emit({ type: "mail.moved", cause, path: to.path, gen: to.gen, record: record.at, from });
  }
}
