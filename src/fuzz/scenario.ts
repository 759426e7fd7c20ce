/** Scenarios of the behaviour world: a user's own behaviours, what the host does with them, and what must hold. */
import type { Behavior } from "../runtime/api.js";
import type { SessionOptions } from "../runtime/openSession.js";
import type { Session } from "../runtime/session.js";

/** Faults of the behaviour world: an append fails, the process dies and comes back, somebody is interrupted. */
export type BehaviorFault = "append" | "crash" | "interrupt";

/** Says whether something holds, from what can be seen of the session. */
export type Holds = (session: Session) => boolean;

/** One run of a scenario, with state of its own. */
export interface Played {
  readonly behaviors: Readonly<Record<string, Behavior>>;
  /** What the host does, once the session is open, and again when it was opened anew (`session.opening.run`). Its answers are steps. */
  readonly host?: (session: Session) => unknown;
  /** What else happens once in a run, at any moment: what the person does, most of all. */
  readonly actions?: Readonly<Record<string, (session: Session) => unknown>>;
  /** What holds after each step. */
  readonly always?: Readonly<Record<string, Holds>>;
  /** What holds after no step. */
  readonly never?: Readonly<Record<string, Holds>>;
  /** What holds in the end, when faults have stopped and everything has come to rest. */
  readonly eventually?: Readonly<Record<string, Holds>>;
  /** How the session is opened. */
  readonly session?: Omit<SessionOptions<string>, "log" | "ports" | "behaviors">;
  /** What may go wrong: everything, unless given. */
  readonly faults?: readonly BehaviorFault[];
}
