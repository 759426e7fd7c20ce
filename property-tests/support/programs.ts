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
  land: 45,
  spawn: 11,
  hostSpawn: 6,
  send: 12,
  hostSend: 8,
  sample: 8,
  sampleEnd: 8,
  finish: 10,
  wait: 6,
  settle: 8,
  takeResult: 8,
  prepared: 10,
  retry: 4,
  interruptTree: 2,
  end: 2,
  hold: 2,
  crash: 1,
  break: 1,
  close: 1,
};

const kind: fc.Arbitrary<StepKind> = fc.oneof(
  ...KINDS.map((name) => ({ weight: WEIGHTS[name] ?? 3, arbitrary: fc.constant(name) })),
);
const small = fc.nat({ max: 7 });
/** One in six has the limit. */
const seldom = (min: number, max: number): fc.Arbitrary<number | null> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min, max }) },
  );

/** Random programs. */
export const programs: fc.Arbitrary<Program> = fc.record({
  prepares: fc.boolean(),
  finalises: fc.boolean(),
  turnTimeoutMs: seldom(60_000, 60_000),
  limits: fc.record({
    turns: seldom(1, 12),
    agents: seldom(1, 4),
    wakes: seldom(1, 4),
    unread: seldom(1, 3),
  }),
  capacity: fc.integer({ min: 1, max: 4 }),
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
    { size: "max", maxLength: 120 },
  ),
});
