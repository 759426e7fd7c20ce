/**
 * One run of a world: opens it, takes the steps that somebody picks, ends it, and keeps what was chosen as a schedule. Replay is
 * a run whose steps are picked by a schedule. It knows no strategy.
 */
import { BadArgument, ScheduleMismatch } from "../errors.js";
import type { Violation } from "../kernel/invariants/checkers.js";
import { type Deviation, type Schedule, sumOf } from "./schedule.js";
import type { World, WorldKind } from "./world.js";

/** What a run came to. */
export interface Ran {
  readonly schedule: Schedule;
  /** The names of all steps, in order; those that only ended the run are not among them. */
  readonly steps: readonly string[];
  /** What checkers have found: none for a clean run. */
  readonly violations: readonly Violation[];
  /** How many of the steps were faults. */
  readonly faults: number;
}

/** What is chosen from. */
export interface Choice {
  readonly world: World;
  readonly enabled: readonly string[];
  readonly fair: readonly string[];
  /** How many steps have been taken. */
  readonly at: number;
  /** How many of them were faults. */
  readonly faults: number;
}

/** Answers the next step; `null` ends the run. */
export type Pick = (choice: Choice) => string | null;

/** Sees each step that was taken. */
export type SeeStep = (world: World, name: string, previous: string | undefined) => void;

/** Runs a world of a kind. The run ends at the first violation, at rest, or where `pick` says so. */
export async function play(kind: WorldKind, pick: Pick, see?: SeeStep): Promise<Ran> {
  const world = await kind.open();
  const steps: string[] = [];
  const deviations: Deviation[] = [];
  let faults = 0;
  try {
    while (world.violations.length === 0) {
      const enabled = world.enabled();
      if (enabled.length === 0) break;
      const fair = world.fair?.() ?? enabled;
      const at = steps.length;
      const name = pick({ world, enabled, fair, at, faults });
      if (name === null) break;
      if (name !== enabled[0]) deviations.push({ at, step: name });
      if (fair.length < enabled.length && !fair.includes(name)) faults++;
      const done = world.step(name);
      if (done !== undefined) await done;
      see?.(world, name, steps.at(-1));
      steps.push(name);
    }
  } finally {
    await world.finish();
  }
  const { name, mark } = kind;
  const sum = sumOf(steps);
  const schedule = { world: name, mark, deviations, steps: steps.length, sum };
  return { schedule, steps, violations: world.violations, faults };
}

/**
 * Runs a schedule again. Strictly, it must fit step by step; guided, what is not possible any more is passed over, so that a
 * schedule survives unrelated edits.
 *
 * @throws ScheduleMismatch at the first step that does not fit; BadArgument for a schedule of another world or mark.
 */
export async function replay(
  kind: WorldKind,
  schedule: Schedule,
  how: "strict" | "guided" = "strict",
  see?: SeeStep,
): Promise<Ran> {
  const { world, mark, sum } = schedule;
  if (world !== kind.name || (mark !== kind.mark && how === "strict")) {
    throw new BadArgument(
      `The token is of "${world}" (${mark}), and this is "${kind.name}" (${kind.mark}). Replay it with what it was made with.`,
    );
  }
  if (how === "guided") return play(kind, guided(schedule), see);
  const ran = await play(kind, strict(schedule), see);
  if (ran.steps.length !== schedule.steps) {
    throw new ScheduleMismatch(ran.steps.length, `one of ${schedule.steps} steps`, []);
  }
  if (sumOf(ran.steps) !== sum) {
    throw new ScheduleMismatch(ran.steps.length, "the end of the same steps as then", ran.steps);
  }
  return ran;
}

function strict({ deviations, steps }: Schedule): Pick {
  let next = 0;
  return ({ enabled, at }) => {
    if (at >= steps) return null;
    const deviation = deviations[next];
    if (deviation?.at !== at) return enabled[0] ?? null;
    next++;
    if (!enabled.includes(deviation.step)) throw new ScheduleMismatch(at, deviation.step, enabled);
    return deviation.step;
  };
}

/** For so many steps a guided replay looks out for a step that is not possible at its place. */
const PATIENCE = 16;

/** Follows the deviations of a schedule as far as they are possible, then goes on as `then` says: by default, unless given. */
export function guided({ deviations }: Deviating, then?: Pick): Pick {
  let next = 0;
  return (choice) => {
    const { enabled, at } = choice;
    for (;;) {
      const deviation = deviations[next];
      if (deviation === undefined) return then === undefined ? (enabled[0] ?? null) : then(choice);
      if (deviation.at > at) return enabled[0] ?? null;
      if (enabled.includes(deviation.step)) {
        next++;
        return deviation.step;
      }
      if (at - deviation.at < PATIENCE) return enabled[0] ?? null;
      next++;
    }
  };
}

interface Deviating {
  readonly deviations: readonly Deviation[];
}
