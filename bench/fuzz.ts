/**
 * How fast the kernel world goes: steps of random programs with all checkers, steps of a scripted world, and states of an
 * exhaustive search, a second of processor time.
 */
import { fc } from "@fast-check/vitest";
import { explore } from "../src/fuzz/explore.js";
import { kernelWorld } from "../src/fuzz/kernelWorld.js";
import { play, programs } from "../src/fuzz/programs.js";
import { LARGE_SCOPES } from "../src/fuzz/scopes.js";
import { type Benchmark, type Figure, coreRateOf, medianRate } from "./figures.js";

const ROUNDS = 3;
const PROGRAMS = 500;
const SCHEDULES = 2_000;
const STATES = 50_000;

async function ofPrograms(): Promise<Figure> {
  const drawn = fc.sample(programs, { seed: 20, numRuns: PROGRAMS });
  const steps = drawn.reduce((sum, program) => sum + program.steps.length, 0);
  const run = (): Promise<number> =>
    coreRateOf(steps, () => {
      for (const program of drawn) play(program);
    });
  return {
    name: "steps of random programs, checked",
    value: await medianRate(ROUNDS, run),
    unit: "/s",
  };
}

/** The default schedule of a scope, again and again. */
async function ofWorlds(): Promise<Figure> {
  const [scope] = LARGE_SCOPES;
  if (scope === undefined) throw new Error("There is no scope to play.");
  const kind = kernelWorld(scope);
  const through = (): number => {
    const world = kind.open();
    let taken = 0;
    for (let step = world.enabled()[0]; step !== undefined; step = world.enabled()[0]) {
      world.take(step);
      taken++;
    }
    return taken;
  };
  const steps = through() * SCHEDULES;
  const run = (): Promise<number> =>
    coreRateOf(steps, () => {
      for (let n = 0; n < SCHEDULES; n++) through();
    });
  return {
    name: "steps of the kernel world, checked",
    value: await medianRate(ROUNDS, run),
    unit: "/s",
  };
}

async function ofSearch(): Promise<Figure> {
  const [scope] = LARGE_SCOPES;
  if (scope === undefined) throw new Error("There is no scope to search.");
  const run = (): Promise<number> =>
    coreRateOf(STATES, () => void explore(scope, { states: STATES }));
  return {
    name: `states of the exhaustive search, ${scope.name}`,
    value: await medianRate(ROUNDS, run),
    unit: "/s",
    target: 200_000,
    bound: "at least",
  };
}

/** The benchmarks of fuzzing. */
export const fuzzBenchmarks: readonly Benchmark[] = [
  { name: "programs", take: async () => [await ofPrograms()] },
  { name: "kernel-world", take: async () => [await ofWorlds()] },
  { name: "explore", take: async () => [await ofSearch()] },
];
