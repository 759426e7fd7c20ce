/**
 * Blockers: what a turn waits for from outside, an approval or a question to the person. They stack as tokens (T1).
 */
import type { Cause } from "../../events/events.js";
import type { Answers, CommandOf } from "../command.js";
import { type Stage, turnRef } from "../stage.js";
import type { Agent, Turn } from "../state.js";
import { sizeFault, textFault } from "../text.js";
import { type Verdict, DONE, accept } from "../verdict.js";
import { findCaller } from "./targets.js";

/** Blocks a turn. The newest blocker is shown. */
export function block(stage: Stage, command: CommandOf<"block">): Verdict<Answers["block"]> {
  const caller = findCaller(stage, command.turn);
  if (!caller.ok) return caller;
  const fault = textFault(command.label, "question");
  if (fault !== null) return fault;
  const token = caller.turn.blocked + 1;
  const cause = caller.turn.told;
  stage.emit({ type: "blocker.added", cause, ...command.turn, token, label: command.label });
  return accept(() => ({ token }));
}

/** Releases a blocker, with an answer or without. It belongs to its turn, and a second time changes nothing (T1). */
export function unblock(stage: Stage, command: CommandOf<"unblock">): Verdict<null> {
  const fault = command.answer === undefined ? null : sizeFault(command.answer, "answer");
  if (fault !== null) return fault;
  const live = stage.live(command.turn);
  if (live === undefined || !live.turn.blockers.some(({ token }) => token === command.token)) {
    return DONE;
  }
  const { turn, token, answer } = command;
  stage.emit({
    type: "blocker.released",
    cause: "person:answer",
    ...turn,
    token,
    left: live.turn.blockers.length - 1,
    ...(answer === undefined ? {} : { answer: answer.toWellFormed() }),
  });
  return DONE;
}

/** A turn that ends is blocked no more (S2). */
export function releaseBlockers(stage: Stage, agent: Agent, turn: Turn, cause: Cause): void {
  for (const [index, { token }] of turn.blockers.entries()) {
    const left = turn.blockers.length - index - 1;
    stage.emit({ type: "blocker.released", cause, ...turnRef(agent, turn), token, left });
  }
}
