/**
 * Random programs over the kernel's commands: steps as small numbers, so that they shrink. What a step means in the state
 * it meets is in steps.ts. Decides nothing itself.
 */
import { fc } from "@fast-check/vitest";

const COMMANDS = [
  "spawn",
  "hostSpawn",
  "send",
  "hostSend",
  "prompt",
  "assign",
  "interrupt",
  "hostInterrupt",
  "interruptTree",
  "end",
  "sample",
  "sampleEnd",
  "partial",
  "record",
  "wait",
  "timeout",
  "finish",
  "fail",
  "yield",
  "complete",
  "settle",
  "settleFail",
  "retry",
  "sendFinally",
  "block",
  "unblock",
  "takeResult",
  "handled",
  "deadline",
  "notify",
  "hold",
  "unhold",
  "plan",
  "prepared",
  "capacity",
  "close",
] as const;

/** What happens around the commands: an append lands or fails, a flush, time that passes, a killed process. */
const SURROUNDINGS = ["land", "flush", "time", "crash", "break"] as const;

const KINDS = [...COMMANDS, ...SURROUNDINGS] as const;

/** The name of a step. */
export type StepKind = (typeof KINDS)[number];

/** One step; `a` and `b` choose among what there is, and `stale` prefers what is over. */
export interface Step {
  readonly kind: StepKind;
  readonly a: number;
  readonly b: number;
  readonly stale: boolean;
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
  readonly steps: readonly Step[];
}

/** The limits of a program; most have none (X2). */
export interface Limits {
  readonly turns: number | null;
  readonly agents: number | null;
  readonly wakes: number | null;
  readonly unread: number | null;
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
  ...KINDS.map((name) => ({ weight: WEIGHTS[name] ?? 8, arbitrary: fc.constant(name) })),
);
const small = fc.nat({ max: 7 });
/** One in six has the limit. */
const seldom = (min: number, max: number): fc.Arbitrary<number | null> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min, max }) },
  );

/** Drawn evenly: left alone, small numbers and short lists come more often, and most programs would hardly begin. */
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
      KINDS.filter((name) => name !== "land"),
      { maxLength: 16 },
    ),
    steps: fc.array(
      fc.record({
        kind,
        a: small,
        b: small,
        stale: fc.nat({ max: 9 }).map((n) => n === 9),
      }),
      { size: "max", minLength: 20, maxLength: 160 },
    ),
  }),
);
