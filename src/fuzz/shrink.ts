/**
 * Makes a failing schedule smaller, in the way of fast-check: candidates come smallest first, the first that fails in the same
 * way is taken, and the search begins anew from it. Smaller is: fewer faults, fewer steps, fewer changes between agents.
 */
import type { Violation } from "../kernel/invariants/checkers.js";
import { type Ran, replay } from "./run.js";
import type { Deviation, Schedule } from "./schedule.js";
import { agentOf } from "./strategies/strategy.js";
import type { WorldKind } from "./world.js";

/** How many candidates are run at most. */
const MOST_TRIES = 600;

/** What kind of failure it is: the rules that are broken first. A shrunk schedule breaks the same. */
export function classOf(violations: readonly Violation[]): string {
  return violations[0]?.rule ?? "";
}

/** Smaller schedules than this one, the smallest first: without all, half, a quarter and so on of its deviations. */
export function* shrinks(schedule: Schedule): Generator<Schedule> {
  const { deviations } = schedule;
  const count = deviations.length;
  const without = (from: number, to: number): Schedule => ({
    ...schedule,
    deviations: [...deviations.slice(0, from), ...deviations.slice(to)],
  });
  for (let size = count; size > 0; size = size >> 1) {
    for (let from = 0; from < count; from += size)
      yield without(from, Math.min(from + size, count));
  }
  // A deviation that comes sooner is often the end of a shorter run.
  for (let i = 0; i < count; i++) {
    const { at, step } = deviations[i] as Deviation;
    const floor = i === 0 ? 0 : (deviations[i - 1] as Deviation).at + 1;
    for (const sooner of new Set([floor, (floor + at) >> 1, at - 1])) {
      if (sooner < floor || sooner >= at) continue;
      yield { ...schedule, deviations: deviations.with(i, { at: sooner, step }) };
    }
  }
}

function sizeOf({ faults, steps, schedule }: Ran): readonly number[] {
  let switches = 0;
  for (let i = 1; i < steps.length; i++) {
    if (agentOf(steps[i] as string) !== agentOf(steps[i - 1] as string)) switches++;
  }
  const late = schedule.deviations.reduce((sum, { at }) => sum + at, 0);
  return [faults, steps.length, switches, schedule.deviations.length, late];
}

function isSmaller(one: Ran, other: Ran): boolean {
  const [a, b] = [sizeOf(one), sizeOf(other)];
  const differing = a.findIndex((size, i) => size !== b[i]);
  return differing !== -1 && (a[differing] ?? 0) < (b[differing] ?? 0);
}

/** The smallest run that fails like `failed`, as far as the search goes, and how many runs it took. */
export async function shrink(
  kind: WorldKind,
  failed: Ran,
): Promise<{ readonly ran: Ran; readonly tries: number }> {
  const failure = classOf(failed.violations);
  let best = failed;
  let tries = 0;
  for (let found = true; found && tries < MOST_TRIES;) {
    found = false;
    for (const candidate of shrinks(best.schedule)) {
      if (tries++ >= MOST_TRIES) break;
      const ran = await replay(kind, candidate, "guided");
      if (classOf(ran.violations) !== failure || !isSmaller(ran, best)) continue;
      best = ran;
      found = true;
      break;
    }
  }
  return { ran: best, tries };
}
