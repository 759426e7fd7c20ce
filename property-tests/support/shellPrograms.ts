/** Random programs for the real shell: scripts of the agents, what the host does, and what it brings; all of it shrinks. */
import { fc } from "@fast-check/vitest";
import { ACTS, type Act, ENDS, type Script } from "../../src/fuzz/scripts.js";

/** What a host does, and what happens to it. */
export const HOST_KINDS = [
  "settle",
  "prompt",
  "promptKeyed",
  "send",
  "sendKeyed",
  "start",
  "spawn",
  "interrupt",
  "interruptTree",
  "end",
  "hold",
  "release",
  "notify",
  "plan",
  "capacity",
  "answer",
  "advance",
  "holdAppend",
  "releaseAppend",
  "failAppend",
  "close",
  "crash",
] as const;

/** One step of the host's; `rest` lets everything come to rest after it. */
export interface HostStep {
  readonly kind: (typeof HOST_KINDS)[number];
  readonly a: number;
  readonly b: number;
  readonly rest: boolean;
}

/** A whole session and its lives. */
export interface ShellProgram {
  readonly capacity: number;
  /** The host's preparation: none, or one that answers, fails or hangs, by turns. */
  readonly prepares: readonly (typeof PREPARES)[number][];
  /** What the finalisers do, by calls. */
  readonly finalises: readonly (typeof FINALISES)[number][];
  readonly turnTimeoutMs: number | null;
  readonly wakes: number | null;
  /** Whether an inspector watches the actors: they then see all events. */
  readonly inspected: boolean;
  readonly scripts: readonly Script[];
  readonly off: readonly HostStep["kind"][];
  readonly actsOff: readonly Act["kind"][];
  readonly steps: readonly HostStep[];
}

const PREPARES = ["ok", "fail", "hang"] as const;
const FINALISES = ["ok", "fail", "hang", "send"] as const;

const small = fc.nat({ max: 7 });

function weighted<T extends string>(
  kinds: readonly T[],
  weights: Partial<Record<T, number>>,
): fc.Arbitrary<T> {
  return fc.oneof(
    ...kinds.map((kind) => ({ weight: weights[kind] ?? 3, arbitrary: fc.constant(kind) })),
  );
}

const act: fc.Arbitrary<Act> = fc.record({
  kind: weighted(ACTS, { sample: 8, send: 6, spawn: 8, wait: 5, sendUp: 4, sampleHangs: 1 }),
  a: small,
  awaited: fc.nat({ max: 3 }).map((n) => n > 0),
});

const script: fc.Arbitrary<Script> = fc.record({
  acts: fc.array(act, { maxLength: 6 }),
  end: weighted(ENDS, { return: 8, repeat: 3, never: 1, stopped: 2, throw: 2, odd: 1 }),
});

const step: fc.Arbitrary<HostStep> = fc.record({
  kind: weighted(HOST_KINDS, {
    settle: 6,
    prompt: 8,
    send: 8,
    spawn: 8,
    advance: 8,
    answer: 4,
    releaseAppend: 5,
    failAppend: 1,
    close: 1,
    crash: 1,
  }),
  a: small,
  b: small,
  rest: fc.boolean(),
});

function oftenNone<T>(one: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> {
  return fc.oneof(fc.constant<readonly T[]>([]), fc.array(one, { minLength: 1, maxLength: 5 }));
}

/** Random programs. */
export const shellPrograms: fc.Arbitrary<ShellProgram> = fc.record({
  capacity: fc.integer({ min: 1, max: 4 }),
  prepares: oftenNone(weighted(PREPARES, { ok: 8, hang: 1 })),
  finalises: oftenNone(weighted(FINALISES, { ok: 6, hang: 1 })),
  turnTimeoutMs: fc.constantFrom(null, null, 45_000),
  wakes: fc.constantFrom(null, 2, 6),
  inspected: fc.boolean(),
  scripts: fc.array(script, { minLength: 1, maxLength: 6 }),
  off: fc.subarray([...HOST_KINDS], { maxLength: 8 }),
  actsOff: fc.subarray([...ACTS], { maxLength: 8 }),
  steps: fc.array(step, { size: "max", maxLength: 40 }),
});
