/**
 * The one door for nondeterminism: wall clock, monotonic timers, ids, and the end of a tick.
 * Everything else in the library gets these handed in.
 */
import { randomUUID } from "node:crypto";

/** Cancels a timer; more than once is fine. */
export type Cancel = () => void;

/** What the shell needs from the world. */
export interface Ports {
  /** Wall-clock time in milliseconds since 1970: for people, never an order. */
  now(): number;
  /** Calls back once, after that many milliseconds of monotonic time (V3). `what` names the timer, for whoever looks on. */
  after(ms: number, callback: () => void, what?: string): Cancel;
  /** Calls back once what is running now, and its promises, have come to rest. */
  soon(callback: () => void): Cancel;
  /** A new unique id for a commit (M3). */
  id(): string;
}

/** The longest delay that a Node timer takes, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The real world. Timers do not keep the process alive by themselves unless somebody waits for them. */
export function systemPorts(): Ports {
  return {
    now: () => Date.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER_MS));
      return () => clearTimeout(timer);
    },
    soon(callback) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    },
    id: () => randomUUID(),
  };
}
