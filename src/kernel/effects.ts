/**
 * Session effects as data: what a decision asks the shell to do besides appending. Agent effects (run a turn, hold a
 * wait, try a settlement) are not here: an agent's actor performs them on the folded event.
 */
import type { Command } from "./command.js";
import type { Reservation } from "./state.js";

/** One thing for the shell to do, after the events of its decision are durable. */
export type Effect =
  /** After `afterMs` milliseconds of monotonic time, submit that command. */
  | {
      readonly kind: "timer.arm";
      readonly timer: string;
      readonly afterMs: number;
      readonly submit: Command;
    }
  | { readonly kind: "timer.disarm"; readonly timer: string }
  /** Call the host's preparation hook; answer with the command `prepared` (T2). */
  | { readonly kind: "prepare"; readonly reservation: Reservation }
  /** Abort that preparation: what it still answers is dropped (T2). */
  | { readonly kind: "prepare.abort"; readonly reservation: number };
