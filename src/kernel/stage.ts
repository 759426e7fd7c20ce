/**
 * One decision in the making: every event it emits is folded at once, so that the next rule sees it, and gets its order point.
 * A stage that is dropped has changed nothing.
 */
import type { AgentRef, DovecoteEvent, TurnRef } from "../events/events.js";
import type { Point } from "../events/point.js";
import type { AgentPath } from "../paths.js";
import type { Effect } from "./effects.js";
import { evolve } from "./evolve.js";
import { type Policies, policiesOf } from "./presets.js";
import type { Agent, Durable, Host, Reservation, State, Turn, Volatile } from "./state.js";
import { evolveVolatile } from "./volatile.js";

/**
 * Goes up with every change of what the folds give for the same events: a saved state of another version is folded anew
 * (L7).
 */
export const FOLD_VERSION = 4;

/** Folds one event into both states. */
export function fold(state: State, event: DovecoteEvent): State {
  return {
    host: state.host,
    durable: evolve(state.durable, event, state.next),
    volatile: evolveVolatile(state.volatile, event, state.next),
    next: [state.next[0], state.next[1] + 1],
  };
}

/** See the module header. */
export class Stage {
  state: State;
  readonly events: DovecoteEvent[] = [];
  readonly effects: Effect[] = [];

  constructor(state: State) {
    this.state = state;
  }

  get durable(): Durable {
    return this.state.durable;
  }

  /** What the rules look up for this session's way of working (section 12). */
  get policies(): Policies {
    return policiesOf(this.state.durable.preset);
  }

  get volatile(): Volatile {
    return this.state.volatile;
  }

  get host(): Host {
    return this.state.host;
  }

  /** Adds an event and answers where it stands. */
  emit(event: DovecoteEvent): Point {
    const at = this.state.next;
    this.state = fold(this.state, event);
    this.events.push(event);
    return at;
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  agent(path: AgentPath): Agent | undefined {
    return this.durable.agents.get(path);
  }

  /** The agent of a reference, if that generation is retained. */
  retained(ref: AgentRef): Agent | undefined {
    const agent = this.agent(ref.path);
    return agent?.gen === ref.gen ? agent : undefined;
  }

  /** The live turn of a reference; `undefined` when it is over or never was (T1). */
  live(ref: TurnRef): { agent: Agent; turn: Turn } | undefined {
    const agent = this.retained(ref);
    if (agent?.turn?.turn !== ref.turn) return undefined;
    return { agent, turn: agent.turn };
  }

  reservationOf(path: AgentPath): Reservation | undefined {
    return this.volatile.reservations.find((one) => one.path === path);
  }
}

/** The turn of an agent as a reference. */
export function turnRef(agent: Agent, turn: Turn): TurnRef {
  return { path: agent.path, gen: agent.gen, turn: turn.turn };
}
