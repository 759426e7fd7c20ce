/**
 * Dispatch: a command, and the state it meets, to a decision. Every decision ends with the offer (W2).
 * Pure and synchronous: the same state and command always give the same decision.
 */
import type { Rejection } from "../errors.js";
import type { DovecoteEvent } from "../events/events.js";
import type { Answers, Command, CommandOf } from "./command.js";
import type { Effect } from "./effects.js";
import { offer } from "./offers.js";
import * as blockers from "./rules/blockers.js";
import * as ends from "./rules/end.js";
import * as handlers from "./rules/handlers.js";
import { interrupt } from "./rules/interrupt.js";
import { prompt, send } from "./rules/mail.js";
import * as operations from "./rules/operations.js";
import * as root from "./rules/root.js";
import * as session from "./rules/session.js";
import * as settle from "./rules/settle.js";
import * as starts from "./rules/starts.js";
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

/** The rule of every command. */
const RULES: {
  readonly [K in Command["kind"]]: (stage: Stage, command: CommandOf<K>) => Verdict<Answers[K]>;
} = {
  create: session.create,
  open: session.open,
  close: session.close,
  flush: () => DONE,
  setCapacity: session.setCapacity,
  setPlan: session.setPlan,
  hold: root.hold,
  unhold: root.unhold,
  notify: root.notify,
  end: ends.end,
  interruptTree: ends.interruptTree,
  interrupt,
  spawn: starts.spawn,
  assign: starts.assign,
  prepared: starts.prepared,
  send,
  prompt,
  "sample.begin": turns.sampleBegin,
  "sample.end": turns.sampleEnd,
  partial: turns.partial,
  record: turns.record,
  wait: turns.wait,
  "wait.timeout": turns.waitTimeout,
  yield: turns.yieldExecution,
  "execution.complete": turns.executionComplete,
  block: blockers.block,
  unblock: blockers.unblock,
  takeResult: handlers.takeResult,
  "handler.end": handlers.handlerEnd,
  "turn.finish": settle.turnFinish,
  "turn.timeout": settle.turnTimeout,
  "settlement.end": settle.settlementEnd,
  "settlement.fail": settle.settlementFail,
  "settlement.retry": settle.settlementRetry,
  "operation.plan": operations.plan,
  "operation.attempt": operations.attempt,
  "operation.append": operations.append,
  "operation.result": operations.result,
};

/** Requests that a closing session no longer takes; completions of what runs are still taken (L8). */
const REQUESTS: ReadonlySet<Command["kind"]> = new Set<Command["kind"]>([
  "spawn",
  "send",
  "prompt",
  "assign",
  "interrupt",
  "interruptTree",
  "end",
  "hold",
  "unhold",
  "notify",
  "setPlan",
  "setCapacity",
  "operation.plan",
  "operation.attempt",
  "operation.append",
  "operation.result",
]);

function admit(stage: Stage, command: Command): Verdict<Answers[keyof Answers]> {
  const closed = REQUESTS.has(command.kind) ? closingFault(stage) : null;
  if (closed !== null) return closed;
  const rule = RULES[command.kind] as (
    stage: Stage,
    command: Command,
  ) => Verdict<Answers[keyof Answers]>;
  return rule(stage, command);
}

/** The offer, then the next settlement, for as long as one of them settles a turn on the spot (T7). */
function conclude(stage: Stage): void {
  do offer(stage);
  while (settle.nextSettlement(stage));
  ends.retireEnded(stage);
  session.endRun(stage);
}
