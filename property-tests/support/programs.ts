/**
 * Random programs over the kernel's commands: steps as small numbers, so that they shrink, and the command that a step
 * means in the state it meets. Stale turns, attempts and reservations are drawn too. Decides nothing itself.
 */
import { fc } from "@fast-check/vitest";
import type { AttemptRef, TurnRef } from "../../src/events/events.js";
import type { Command } from "../../src/kernel/command.js";
import type { Agent, State } from "../../src/kernel/state.js";
import { comparePaths } from "../../src/paths.js";
import { BEHAVIOR, commands } from "../../src/testing/commands.js";

const COMMANDS = [
  "spawn",
  "hostSpawn",
  "send",
  "hostSend",
  "prompt",
  "assign",
  "interrupt",
  "hostInterrupt",
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
  "prepared",
  "capacity",
  "close",
] as const;

/** What happens around the commands: an append lands or fails, a flush, a killed process. */
const SURROUNDINGS = ["land", "flush", "crash", "break"] as const;

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
  readonly capacity: number;
  readonly off: readonly StepKind[];
  readonly steps: readonly Step[];
}

const WEIGHTS: Partial<Record<StepKind, number>> = {
  land: 40,
  spawn: 10,
  hostSpawn: 6,
  send: 12,
  hostSend: 8,
  sample: 8,
  sampleEnd: 8,
  finish: 10,
  wait: 6,
  settle: 6,
  prepared: 10,
  crash: 1,
  break: 1,
  close: 1,
};

const kind: fc.Arbitrary<StepKind> = fc.oneof(
  ...KINDS.map((name) => ({ weight: WEIGHTS[name] ?? 3, arbitrary: fc.constant(name) })),
);
const small = fc.nat({ max: 7 });

/** Random programs. */
export const programs: fc.Arbitrary<Program> = fc.record({
  prepares: fc.boolean(),
  capacity: fc.integer({ min: 1, max: 4 }),
  off: fc.subarray(
    KINDS.filter((name) => name !== "land"),
    { maxLength: 10 },
  ),
  steps: fc.array(
    fc.record({
      kind,
      a: small,
      b: small,
      stale: fc.nat({ max: 9 }).map((n) => n === 9),
    }),
    { size: "max", maxLength: 100 },
  ),
});

/** What a step may draw on besides the state: everything that has been, the newest last. */
export interface History {
  readonly turns: readonly TurnRef[];
  readonly attempts: readonly AttemptRef[];
  readonly reservations: readonly number[];
  /** Goes up with every text, so that each text is another. */
  readonly serial: number;
}

/** The command of a step, or `undefined` where it finds nothing to act on or is no command. */
export function commandOf(state: State, history: History, step: Step): Command | undefined {
  const { a, b } = step;
  const text = `${step.kind} ${history.serial}`;
  const target = pick(agentsOf(state), b)?.path ?? "/root";
  switch (step.kind) {
    case "hostSpawn":
      return commands.spawn("abc"[a % 3] ?? "a", { parent: target, task: text });
    case "hostSend":
      return commands.send(target, text);
    case "prompt":
      return commands.prompt(text);
    case "assign":
      return commands.assign(target, text);
    case "hostInterrupt":
      return commands.interrupt(step.stale ? `/root/${"abc"[a % 3]}` : target);
    case "prepared":
      return preparedOf(state, history, step);
    case "capacity":
      return commands.setCapacity(1 + (a % 4));
    case "close":
      return commands.close();
    case "settle":
      return settleOf(state, history, step);
    default:
      return ofTurn(state, history, step, target, text);
  }
}

function ofTurn(
  state: State,
  history: History,
  step: Step,
  target: string,
  text: string,
): Command | undefined {
  const turn = turnOf(state, history, step);
  if (turn === undefined) return undefined;
  const attempt = attemptOf(state, history, step, turn);
  const { b } = step;
  switch (step.kind) {
    case "spawn":
      return commands.spawn("abc"[b % 3] ?? "a", { by: turn, task: text, behavior: BEHAVIOR });
    case "send":
      return commands.send(target, text, turn);
    case "interrupt":
      return commands.interrupt(target, turn);
    case "sample":
      return commands.sample(turn);
    case "sampleEnd":
      return commands.sampleEnd(attempt, b === 0 ? { failed: "offline" } : { result: text });
    case "partial":
      return commands.partial(turn, text);
    case "record":
      return commands.record(turn, text);
    case "wait":
      return commands.wait(turn);
    case "timeout":
      return commands.timeout(attempt);
    case "finish":
      return b === 0 ? commands.finishWithSample(turn) : commands.finish(turn, text);
    case "fail":
      return commands.fail(turn, text);
    case "yield":
      return commands.yield(turn, text);
    case "complete":
      return commands.complete(turn, executionOf(state, turn, b), text, b === 0);
    default:
      return undefined;
  }
}

function turnOf(state: State, history: History, step: Step): TurnRef | undefined {
  if (step.stale) return pick(history.turns.toReversed(), step.a);
  return pick(liveTurns(state), step.a);
}

function attemptOf(state: State, history: History, step: Step, turn: TurnRef): AttemptRef {
  const stale = step.stale ? pick(history.attempts.toReversed(), step.b) : undefined;
  if (stale !== undefined) return stale;
  const live = state.durable.agents.get(turn.path)?.turn;
  return { ...turn, attempt: live?.open ?? live?.attempts ?? 0 };
}

function executionOf(state: State, turn: TurnRef, b: number): number {
  return pick([...(state.durable.agents.get(turn.path)?.turn?.executions.values() ?? [])], b) ?? b;
}

function preparedOf(state: State, history: History, { a, b, stale }: Step): Command | undefined {
  const reservation = stale
    ? pick(history.reservations.toReversed(), a)
    : pick(state.volatile.reservations, a)?.reservation;
  if (reservation === undefined) return undefined;
  if (b === 0) return commands.notPrepared(reservation, "no");
  return b === 1 ? commands.tooLate(reservation) : commands.prepared(reservation);
}

function settleOf(state: State, history: History, step: Step): Command | undefined {
  const stale = step.stale ? pick(history.attempts.toReversed(), step.a) : undefined;
  if (stale !== undefined) return commands.settled(stale);
  const attempt = tryOf(state);
  return attempt === undefined ? undefined : commands.settled(attempt);
}

/** The settlement try that runs, if one does. */
export function tryOf(state: State): AttemptRef | undefined {
  const { trying } = state.durable;
  const agent = trying === null ? undefined : state.durable.agents.get(trying);
  if (agent?.turn == null) return undefined;
  const { path, gen, turn } = agent;
  return { path, gen, turn: turn.turn, attempt: turn.attempts };
}

/** All live turns, by path. */
export function liveTurns(state: State): readonly TurnRef[] {
  return agentsOf(state).flatMap(({ path, gen, turn }) =>
    turn === null ? [] : [{ path, gen, turn: turn.turn }],
  );
}

/** All agents, by path. */
export function agentsOf(state: State): readonly Agent[] {
  return [...state.durable.agents.values()].sort((one, other) =>
    comparePaths(one.path, other.path),
  );
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(list.length, 1)];
}
