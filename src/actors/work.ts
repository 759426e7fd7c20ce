/**
 * What an agent's actor does when it enters a state: the seam between the machine and the shell.
 * The machine decides when, by the folded events alone; the shell brings behaviours, waits and executions.
 */
import type { DovecoteEvent, EventOf, EventType } from "../events/events.js";
import type { Point } from "../events/point.js";

/** A folded event as an actor receives it: xstate's word for it is event, ours is signal. */
export interface Signal<Type extends EventType = EventType> {
  readonly type: Type;
  readonly event: EventOf<Type>;
  readonly at: Point;
}

/** An event as a signal. */
export function signalOf(event: DovecoteEvent, at: Point): Signal {
  return { type: event.type, event, at };
}

/** The agent effects of one agent. Only its actor calls these. */
export interface AgentWork {
  /** Calls the behaviour, once. The function it gives back aborts the turn, unless the behaviour has returned. */
  runTurn(started: Signal<"turn.started">): () => void;
  /** Calls the behaviour of the turn that runs once more, for mail that came before its answer was fixed (J6). */
  extendTurn(extended: Signal<"turn.extended">): void;
  /** Holds the wait; the function it gives back drops it, whether or not it was released. */
  holdWait(began: Signal<"wait.began">): () => void;
  /** Gives the held wait its answer (V2). */
  releaseWait(ended: Signal<"wait.ended">): void;
  /** Starts a command that the turn has yielded (S5). */
  startExecution(yielded: Signal<"execution.yielded">): void;
  /** Calls the handler that waits for this withheld RESULT (S7). */
  handleResult(queued: Signal<"mail.queued">): void;
  /** The RESULT has been taken from its handler, whose time is up (S7). */
  stopHandler(returned: Signal<"mail.returned">): void;
  /** Answers a question, or ends it without an answer when its turn is over (T1). */
  releaseBlocker(released: Signal<"blocker.released">): void;
  /** One try at ending what the turn owns (S2). `signal` aborts when the try is over. Never rejects. */
  trySettlement(attempted: Signal<"settlement.attempted">, signal: AbortSignal): Promise<void>;
  /** The actor stops: nothing it started may outlive it. */
  dropAll(): void;
}
