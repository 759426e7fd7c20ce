/**
 * The fence around observers: what one throws, or its promise rejects with, is reported and disturbs nobody (Q1).
 */

/** Gets what an observer threw. */
export type Report = (error: unknown) => void;

/** Calls an observer. */
export function guarded(call: () => unknown, report: Report): void {
  try {
    const answer = call();
    if (isThenable(answer)) Promise.resolve(answer).then(undefined, report);
  } catch (error) {
    report(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}
