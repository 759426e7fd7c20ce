/**
 * Dispatch: a command, and the state it meets, to a decision. Every decision ends with the offer (W2).
 * Pure and synchronous: the same state and command always give the same decision.
 */
import type { Rejection } from "../errors.js";
import type { DovecoteEvent } from "../events/events.js";
import type { Answers, Command } from "./command.js";
import type { Effect } from "./effects.js";
import { offer } from "./offers.js";
import { interrupt } from "./rules/interrupt.js";
import { prompt, send } from "./rules/mail.js";
import { close, create, endRun, open, setCapacity } from "./rules/session.js";
import { nextSettlement, settlementEnd, turnFinish } from "./rules/settle.js";
import { assign, prepared, spawn } from "./rules/starts.js";
import { closingFault } from "./rules/targets.js";
import * as turns from "./rules/turns.js";
import { Stage } from "./stage.js";
import type { State } from "./state.js";
import { DONE, type Verdict } from "./verdict.js";

/** What became of a command. A rejected one has no events and no effects. */
export interface Decision<A = Answers[keyof Answers]> {
  readonly state: State;
  readonly events: readonly DovecoteEvent[];
  readonly effects: readonly Effect[];
  readonly outcome:
    | { readonly ok: true; readonly answer: A }
    | { readonly ok: false; readonly rejection: Rejection };
}

/** Decides one command on one state. */
export function decide(state: State, command: Command): Decision {
  const stage = new Stage(state);
  const verdict = admit(stage, command);
  if (!verdict.ok) return { state, events: [], effects: [], outcome: verdict };
  conclude(stage);
  const answer = verdict.answer(stage);
  return {
    state: stage.state,
    events: stage.events,
    effects: stage.effects,
    outcome: { ok: true, answer },
  };
}

/** Requests that a closing session no longer takes; completions of what runs are still taken (L8). */
const REQUESTS: ReadonlySet<Command["kind"]> = new Set<Command["kind"]>([
  "spawn",
  "send",
  "prompt",
  "assign",
  "interrupt",
  "setCapacity",
]);

function admit(stage: Stage, command: Command): Verdict<Answers[keyof Answers]> {
  const closed = REQUESTS.has(command.kind) ? closingFault(stage) : null;
  return closed ?? dispatch(stage, command);
}

function dispatch(stage: Stage, command: Command): Verdict<Answers[keyof Answers]> {
  switch (command.kind) {
    case "create":
      return create(stage, command);
    case "open":
      return open(stage, command);
    case "close":
      return close(stage);
    case "flush":
      return DONE;
    case "setCapacity":
      return setCapacity(stage, command);
    case "spawn":
      return spawn(stage, command);
    case "send":
      return send(stage, command);
    case "prompt":
      return prompt(stage, command);
    case "assign":
      return assign(stage, command);
    case "interrupt":
      return interrupt(stage, command);
    case "prepared":
      return prepared(stage, command);
    case "turn.finish":
      return turnFinish(stage, command);
    case "settlement.end":
      return settlementEnd(stage, command);
    case "sample.begin":
      return turns.sampleBegin(stage, command);
    case "sample.end":
      return turns.sampleEnd(stage, command);
    case "partial":
      return turns.partial(stage, command);
    case "record":
      return turns.record(stage, command);
    case "wait":
      return turns.wait(stage, command);
    case "wait.timeout":
      return turns.waitTimeout(stage, command);
    case "yield":
      return turns.yieldExecution(stage, command);
    case "execution.complete":
      return turns.executionComplete(stage, command);
  }
}

/** The offer, then the next settlement, for as long as one of them settles a turn on the spot (T7). */
function conclude(stage: Stage): void {
  do offer(stage);
  while (nextSettlement(stage));
  endRun(stage);
}
