/**
 * Random programs over the steps of the kernel: steps as small numbers, so that they shrink, each of which chooses among
 * what the state that it meets leaves open. Decides nothing itself.
 */
import fc from "fast-check";
import type { Limits } from "../kernel/state.js";
import { plainHost } from "../kernel/state.js";
import { BEHAVIOR } from "../testing/commands.js";
import {
  STEP_KINDS,
  type StepKind,
  choices,
  lateChoices,
  liveTurns,
  pausedTurns,
  runningHandlers,
  tryOf,
} from "./choices.js";
import { KernelRun, type RunWatch } from "./kernelRun.js";
import { takeStep } from "./takeStep.js";
import { turnName } from "./stepNames.js";

/** One step; `a` and `b` choose among what there is, and `late` prefers what is over. */
export interface ProgramStep {
  readonly kind: StepKind;
  readonly a: number;
  readonly b: number;
  readonly late: boolean;
}

/** A whole session; kinds in `off` are skipped in this run (swarm). */
export interface Program {
  readonly prepares: boolean;
  readonly finalises: boolean;
  readonly turnTimeoutMs: number | null;
  readonly limits: Limits;
  readonly capacity: number;
  /** Whether a few agents are at work before the first step. */
  readonly started: boolean;
  /** How late appends land: 0 is at once, 7 mostly when a step says so. */
  readonly lateness: number;
  readonly off: readonly StepKind[];
  readonly steps: readonly ProgramStep[];
}

const WEIGHTS: Partial<Record<StepKind, number>> = {
  land: 60,
  spawn: 40,
  hostSpawn: 24,
  send: 60,
  hostSend: 30,
  sample: 60,
  sampleEnd: 50,
  finish: 24,
  wait: 20,
  yield: 16,
  complete: 14,
  settle: 36,
  settleFail: 14,
  retry: 20,
  takeResult: 24,
  handled: 14,
  prepared: 50,
  plan: 30,
  unhold: 14,
  end: 5,
  interruptTree: 4,
  interrupt: 6,
  hostInterrupt: 6,
  fail: 5,
  crash: 2,
  break: 2,
  close: 1,
};

const kind: fc.Arbitrary<StepKind> = fc.oneof(
  ...STEP_KINDS.map((name) => ({ weight: WEIGHTS[name] ?? 8, arbitrary: fc.constant(name) })),
);
const small = fc.nat({ max: 7 });
/** One in six has the limit. */
const seldom = (min: number, max: number): fc.Arbitrary<number | null> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min, max }) },
  );

/**
 * Random programs. Drawn evenly: left alone, small numbers and short lists come more often, and most programs would
 * hardly begin.
 *
 * @example fc.assert(fc.property(programs, (program) => play(program).violations.length === 0))
 */
export const programs: fc.Arbitrary<Program> = fc.noBias(
  fc.record({
    prepares: fc.boolean(),
    finalises: fc.boolean(),
    turnTimeoutMs: seldom(60_000, 60_000),
    limits: fc.record({
      turns: seldom(1, 12),
      agents: seldom(1, 4),
      wakes: seldom(1, 4),
      unread: seldom(1, 3),
    }),
    capacity: fc.integer({ min: 1, max: 5 }),
    started: fc.nat({ max: 3 }).map((n) => n > 0),
    lateness: fc.nat({ max: 7 }),
    off: fc.subarray(
      STEP_KINDS.filter((name) => name !== "land"),
      { maxLength: 16 },
    ),
    steps: fc.array(
      fc.record({ kind, a: small, b: small, late: fc.nat({ max: 9 }).map((n) => n === 9) }),
      { size: "max", minLength: 20, maxLength: 160 },
    ),
  }),
);

/** Told of what happens while a program is played. */
export interface ProgramWatch extends RunWatch {
  /** A step has been taken, and nothing is queued or being appended. */
  between?(run: KernelRun): void;
  /** An append has failed; the process has not died yet. */
  broken?(run: KernelRun): void;
}

/** The name of the step that a program's step chooses; `undefined` where there is nothing to choose. */
export function stepNameOf(
  run: KernelRun,
  { kind: what, a, b, late }: ProgramStep,
): string | undefined {
  const past = late ? lateChoices(run, what) : [];
  const names = past.length > 0 ? past : choices(run, what);
  return names[(a * 8 + b) % Math.max(names.length, 1)];
}

/** Plays a program until everything has come to rest, and gives back the run. What is wrong is in its violations. */
export function play(program: Program, watch: ProgramWatch = {}): KernelRun {
  const { prepares, finalises, turnTimeoutMs, limits, capacity } = program;
  const run = new KernelRun(plainHost([BEHAVIOR], { prepares, finalises, turnTimeoutMs, limits }));
  run.watch = watch;
  run.create(capacity);
  if (program.started) start(run);
  for (const step of program.steps) {
    if (program.off.includes(step.kind)) continue;
    if (run.state.volatile.closed && !run.isAppending) takeStep(run, "crash");
    const name = stepNameOf(run, step);
    if (name !== undefined) takeStep(run, name);
    if (run.loop.isDegraded) {
      watch.broken?.(run);
      takeStep(run, "reopen");
    }
    if (step.a >= program.lateness) run.land();
    if (run.loop.resting) watch.between?.(run);
  }
  settleDown(run);
  return run;
}

/** A root at work, with children and a grandchild, as far as capacity and limits go. */
function start(run: KernelRun): void {
  for (const name of [
    "host:prompt",
    "host:spawn:/root:a",
    "host:spawn:/root:b",
    "host:spawn:/root/a:c",
  ]) {
    takeStep(run, name);
  }
  run.land();
  for (const { path } of run.state.volatile.reservations) takeStep(run, `${path}:prepared`);
  run.land();
}

/** Ends everything that is still going on, the way a shell would, and looks at what is left (W2, W4). */
function settleDown(run: KernelRun): void {
  for (let left = 5_000; left > 0; left--) {
    const name = nextToRest(run);
    if (name === undefined) return run.rest();
    takeStep(run, name);
  }
  run.found("Q2", "the session does not come to rest");
}

/** The step that leads to rest: turns end where nothing else is left to do. */
export function nextToRest(run: KernelRun): string | undefined {
  if (run.isAppending) return "append:land";
  if (run.loop.dirty) return "host:flush";
  const { state } = run;
  const attempt = tryOf(state);
  if (attempt !== undefined) return `${turnName(attempt)}:settle.commit`;
  const [paused] = pausedTurns(state);
  if (paused !== undefined) return `${turnName(paused)}:settle.retry`;
  const [handler] = runningHandlers(state);
  if (handler !== undefined) return `${turnName(handler.turn)}:handled:${handler.child.path}`;
  const reserved = state.volatile.reservations.find((one) => !one.ready);
  if (reserved !== undefined) return `${reserved.path}:prepared`;
  const [turn] = liveTurns(state);
  return turn === undefined ? undefined : `${turnName(turn)}:finish`;
}
