/**
 * Promises that nobody may be waiting for. One that is refused because its turn, its session or the store has come to
 * an end must not end the process as an unhandled rejection; one that is refused for a mistake of its caller may.
 */
import { DovecoteError, type ErrorCode } from "../errors.js";

/** Refusals that say nothing about the call itself. */
const OVER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "turn-over",
  "session-closed",
  "session-degraded",
  "outcome-unknown",
]);

/**
 * Makes a call whose promise is safe to leave alone once what it belongs to has ended; `ended` says that it has.
 * The call is made at once; one that throws, for arguments that are none, rejects.
 */
export function owned<T>(call: () => Promise<T>, ended: () => boolean = () => false): Promise<T> {
  const made = new Promise<T>((resolve) => resolve(call()));
  const outer = new Promise<T>((resolve, reject) => {
    made.then(resolve, (error: Error) => {
      const over = error instanceof DovecoteError && OVER.has(error.code);
      if (over || ended()) outer.catch(() => undefined);
      // As it was thrown: the caller may know what it is.
      reject(error);
    });
  });
  return outer;
}
