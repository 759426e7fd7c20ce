/**
 * Judging a recorded session: the invariants at each of its positions, and the first position where something holds.
 */
import { LogCut } from "../errors.js";
import type { Point } from "../events/point.js";
import type { Violation } from "../kernel/invariants/checkers.js";
import { Judge, type JudgeOptions } from "../kernel/invariants/judge.js";
import type { Placed } from "../kernel/loop.js";
import type { State } from "../kernel/state.js";
import { placeCommit } from "../projections/projection.js";
import type { Trace } from "./trace.js";
import { describe } from "./words.js";

/** A position that was looked for, with the event that leads there. */
export interface Found extends Placed {
  readonly text: string;
}

/**
 * The first place where the recorded session breaks an invariant, and which; `undefined` when it keeps them all. The
 * judge shares no code with the kernel's folds.
 *
 * @throws LogCorrupt when the log can't be read; LogCut when its beginning is gone: a judge must have seen all
 * @example const violation = await check(trace); // { rule: "W6", at: [12, 3], what: "..." }
 */
export async function check(
  trace: Trace,
  options: JudgeOptions = {},
): Promise<Violation | undefined> {
  const judge = new Judge(options);
  for (let n = 1; n <= trace.length; n++) {
    judge.see(placeCommit(await trace.commit(n)));
    const [first] = judge.violations;
    if (first !== undefined) return first;
  }
  return undefined;
}

/**
 * The first event after which something holds of the state, and goes on to hold: found by halving, so the predicate is
 * asked few times. `undefined` when it does not hold at the end.
 *
 * @throws LogCut when it holds already where a log that was cut begins
 * @example await bisect(trace, ({ durable }) => durable.agents.get("/root/a")?.last?.outcome === "errored")
 */
export async function bisect(
  trace: Trace,
  holds: (state: State) => boolean,
): Promise<Found | undefined> {
  const at = async (point: Point): Promise<boolean> => holds(await trace.stateAt(point));
  const whole = async (n: number): Promise<boolean> => at(await trace.pointOf(n));
  if (!(await whole(trace.length))) return undefined;
  const { begin, session } = trace;
  if (begin > 0 && (await whole(begin))) {
    throw new LogCut({ session, position: begin, anchor: begin });
  }
  const n = await firstOf(begin + 1, trace.length, whole);
  const { events } = await trace.commit(n);
  const index = await firstOf(0, events.length - 1, (mid) => at([n, mid]));
  const placed = await trace.event([n, index]);
  return { ...placed, text: describe(placed.event) };
}

/** The first of consecutive numbers for which something holds, when it holds for the last. */
export async function firstOf(
  first: number,
  last: number,
  holds: (number: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [first, last];
  while (low < high) {
    const mid = Math.floor((low + high) / 2);
    if (await holds(mid)) high = mid;
    else low = mid + 1;
  }
  return low;
}
