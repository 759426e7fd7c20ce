/**
 * Random sessions for properties: a program of abstract steps is put to the kernel's `decide`, each step as a command that
 * looks at the state it meets, and every event comes back with its order point. Shared by the property tests.
 */
import { fc } from "@fast-check/vitest";
import type { TurnRef } from "../../src/events/events.js";
import type { Command } from "../../src/kernel/command.js";
import { decide } from "../../src/kernel/decide.js";
import type { Placed } from "../../src/kernel/loop.js";
import { type Agent, type State, emptyState, plainHost } from "../../src/kernel/state.js";
import { comparePaths } from "../../src/paths.js";

/** The kinds of steps. A step that finds nothing to act on does nothing. */
const KINDS = [
  "spawn",
  "send",
  "hostSend",
  "prompt",
  "assign",
  "sampleBegin",
  "sampleEnd",
  "partial",
  "record",
  "wait",
  "timeout",
  "finish",
  "fail",
  "interrupt",
  "hostInterrupt",
  "yield",
  "complete",
  "settle",
  "prepared",
  "capacity",
  "reopen",
  "close",
] as const;

/** One step: what to do, two numbers that say to whom, and whether it shares the commit of the step before. */
export interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
  readonly joined: boolean;
}

/** A whole session as a value, so that it shrinks. */
export interface Program {
  readonly prepares: boolean;
  readonly capacity: number;
  readonly steps: readonly Step[];
}

const small = fc.nat({ max: 7 });

/** Kinds that make a session go on come more often than those that end it. */
const kind = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom(...KINDS.slice(0, -2)) },
  {
    weight: 28,
    arbitrary: fc.constantFrom(
      "spawn" as const,
      "send" as const,
      "sampleBegin" as const,
      "sampleEnd" as const,
      "finish" as const,
      "settle" as const,
      "prepared" as const,
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("reopen" as const, "reopen" as const, "close" as const) },
);

/** Random programs of up to `maxLength` steps. */
export function programs(maxLength = 80): fc.Arbitrary<Program> {
  return fc.record({
    prepares: fc.boolean(),
    capacity: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(fc.record({ kind, a: small, b: small, joined: fc.boolean() }), {
      size: "max",
      maxLength,
    }),
  });
}

/** What one step did. */
export interface Ran {
  readonly state: State;
  readonly events: readonly Placed[];
}

/** Runs a program; gives the state and the new events after each step that did something. */
export function* run(program: Program): Generator<Ran> {
  const host = plainHost(["worker"], { prepares: program.prepares });
  const create = {
    kind: "create",
    id: "s",
    capacity: program.capacity,
    behavior: "worker",
  } as const;
  let ran = put(emptyState(host), create, false);
  yield ran;
  for (const step of program.steps) {
    const command = commandOf(ran.state, step);
    if (command === undefined) continue;
    ran = put(ran.state, command, step.joined);
    if (ran.events.length > 0) yield ran;
  }
}

/** Puts one command to the kernel, in the commit of the one before when it is `joined` and there is one. */
export function put(state: State, command: Command, joined: boolean): Ran {
  const [n, index] = state.next;
  const first: State["next"] = joined || index === 0 ? state.next : [n + 1, 0];
  const decision = decide({ ...state, next: first }, command);
  if (decision.events.length === 0) return { state, events: [] };
  const events = decision.events.map((event, i) => ({
    event,
    at: [first[0], first[1] + i] as const,
  }));
  return { state: decision.state, events };
}

/** The agents of a state, by path. */
export function agentsOf(state: State): readonly Agent[] {
  return [...state.durable.agents.values()].sort((x, y) => comparePaths(x.path, y.path));
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(list.length, 1)];
}

function liveTurn(state: State, index: number): TurnRef | undefined {
  const agent = pick(
    agentsOf(state).filter((one) => one.turn !== null),
    index,
  );
  if (agent?.turn == null) return undefined;
  return { path: agent.path, gen: agent.gen, turn: agent.turn.turn };
}

function commandOf(state: State, step: Step): Command | undefined {
  const { kind: what, a, b } = step;
  if (state.volatile.closed) return { kind: "open", capacity: null };
  const turn = liveTurn(state, a);
  const target = pick(agentsOf(state), b)?.path ?? "/root";
  switch (what) {
    case "hostSend":
      return { kind: "send", by: null, target, text: `m${a}` };
    case "prompt":
      return { kind: "prompt", text: `p${a}` };
    case "assign":
      return { kind: "assign", target, task: `t${a}` };
    case "hostInterrupt":
      return { kind: "interrupt", by: null, target: a < 6 ? target : `/root/${"abcd"[b % 4]}` };
    case "prepared":
      return preparedOf(state, a, b);
    case "capacity":
      return { kind: "setCapacity", capacity: 1 + (a % 4) };
    case "reopen":
      return { kind: "open", capacity: a === 0 ? 1 + (b % 4) : null };
    case "close":
      return { kind: "close" };
    default:
      // A step of a turn where there is none starts the root, so that short programs go somewhere.
      if (turn === undefined)
        return state.volatile.inputs.length > 0
          ? preparedOf(state, a, b)
          : { kind: "prompt", text: `p${b}` };
      return turnCommand(state, what, turn, target, b);
  }
}

function preparedOf(state: State, a: number, b: number): Command | undefined {
  const one = pick(state.volatile.reservations, a);
  if (one === undefined) return undefined;
  const how = b === 0 ? { failed: "no" } : b === 1 ? { late: true as const } : {};
  return { kind: "prepared", reservation: one.reservation, ...how };
}

function turnCommand(
  state: State,
  what: Step["kind"],
  turn: TurnRef,
  target: string,
  b: number,
): Command | undefined {
  const live = state.durable.agents.get(turn.path)?.turn;
  const attempt = { ...turn, attempt: live?.open ?? live?.attempts ?? 0 };
  switch (what) {
    case "spawn":
      return { kind: "spawn", by: turn, name: "abcd"[b % 4] ?? "a", behavior: "worker", task: "t" };
    case "send":
      return { kind: "send", by: turn, target, text: `m${b}` };
    case "sampleBegin":
      return { kind: "sample.begin", turn };
    case "sampleEnd":
      return { kind: "sample.end", attempt, ...(b === 0 ? { failed: "no" } : { result: `r${b}` }) };
    case "partial":
      return { kind: "partial", turn, text: "some" };
    case "record":
      return { kind: "record", turn, entry: { b } };
    case "wait":
      return { kind: "wait", turn, timeout: undefined };
    case "timeout":
      return { kind: "wait.timeout", attempt };
    case "finish":
      return { kind: "turn.finish", turn, end: { kind: "completed", response: response(b) } };
    case "fail":
      return { kind: "turn.finish", turn, end: { kind: "errored", reason: "broke" } };
    case "interrupt":
      return { kind: "interrupt", by: turn, target };
    case "yield":
      return { kind: "yield", turn, command: "make" };
    case "complete":
      return completeOf(state, turn, b);
    case "settle":
      return settleOf(state);
    default:
      return undefined;
  }
}

function response(b: number): string | { readonly sample: true } {
  return b < 3 ? { sample: true } : `done ${b}`;
}

function completeOf(state: State, turn: TurnRef, b: number): Command | undefined {
  const execution = pick(
    [...(state.durable.agents.get(turn.path)?.turn?.executions.values() ?? [])],
    b,
  );
  if (execution === undefined) return undefined;
  return { kind: "execution.complete", turn, execution, text: `x${b}`, stopped: b === 0 };
}

/** The settlement that runs: one of its executions ends, or the try itself does. */
function settleOf(state: State): Command | undefined {
  const path = state.durable.trying;
  const agent = path === null ? undefined : state.durable.agents.get(path);
  if (agent?.turn == null) return undefined;
  const turn = { path: agent.path, gen: agent.gen, turn: agent.turn.turn };
  return { kind: "settlement.end", attempt: { ...turn, attempt: agent.turn.attempts } };
}
