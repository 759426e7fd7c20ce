/**
 * What the rules cost by themselves: inputs decided, events folded, and inputs through the loop with its commits, all in
 * memory, a second of processor time.
 */
import type { DovecoteEvent } from "../src/events/events.js";
import type { Command } from "../src/kernel/command.js";
import { decide } from "../src/kernel/decide.js";
import { Loop, type LoopPort } from "../src/kernel/loop.js";
import { fold } from "../src/kernel/stage.js";
import { type State, emptyState } from "../src/kernel/state.js";
import { type Benchmark, type Figure, medianRate, coreRateOf, sideBySide } from "./figures.js";
import { HOST, type Recording, record } from "./world.js";

const ROUNDS = 3;
const EVENTS = 200_000;
/** Deciding costs more than folding: half as many say as much. */
const DECIDED_EVENTS = 100_000;

/** Decides every recorded command anew. */
function decideAll({ commands }: Recording): State {
  let state = emptyState(HOST);
  for (const command of commands) {
    const decision = decide(state, command);
    const [n] = decision.state.next;
    state = decision.events.length === 0 ? decision.state : { ...decision.state, next: [n + 1, 0] };
  }
  return state;
}

/** Folds every recorded commit anew, as a replay does. */
function foldAll(commits: Recording["commits"]): State {
  let state = emptyState(HOST);
  let n = 1;
  for (const events of commits) {
    for (const event of events) state = fold(state, event);
    n++;
    state = { host: HOST, durable: state.durable, volatile: state.volatile, next: [n, 0] };
  }
  return state;
}

/** A port that keeps nothing: an append is durable as soon as the driver says so. */
class NullPort implements LoopPort {
  appending = false;
  append(): void {
    this.appending = true;
  }
  show(): void {}
  perform(): void {}
  flushSoon(): void {}
  degraded(cause: unknown): void {
    throw cause;
  }
}

/** Puts all commands through a loop, as many at a time as callers that wait. */
function loopAll(commands: readonly Command[], callers: number): void {
  const port = new NullPort();
  const loop = new Loop(emptyState(HOST), port);
  const end = (): void => {
    while (port.appending) {
      port.appending = false;
      loop.appended();
    }
  };
  for (let first = 0; first < commands.length; first += callers) {
    for (const command of commands.slice(first, first + callers)) {
      loop.submit(command, (reply) => {
        if (reply.kind !== "answer" && reply.kind !== "rejected") throw new Error(reply.kind);
      });
    }
    end();
  }
}

/** As they come from a log: with strings of their own, and fields in the order of the text. */
function parsed(commits: Recording["commits"]): Recording["commits"] {
  return commits.map((events) => JSON.parse(JSON.stringify(events)) as readonly DovecoteEvent[]);
}

async function inputs(agents: number): Promise<Figure> {
  const recording = record(agents, DECIDED_EVENTS);
  const { commands } = recording;
  const run = (): Promise<number> => coreRateOf(commands.length, () => void decideAll(recording));
  const name = `kernel inputs, ${agents} agents`;
  return {
    name,
    value: await medianRate(ROUNDS, run),
    unit: "/s",
    target: 200_000,
    bound: "at least",
  };
}

async function folds(agents: number): Promise<Figure> {
  const { commits, events } = record(agents, EVENTS);
  const read = parsed(commits);
  const run = (): Promise<number> => coreRateOf(events, () => void foldAll(read));
  const name = `fold of events into both states, ${agents} agents`;
  return {
    name,
    value: await medianRate(ROUNDS, run),
    unit: "/s",
    target: 1_000_000,
    bound: "at least",
  };
}

async function loops(callers: number): Promise<Figure> {
  const recording = record(100, DECIDED_EVENTS);
  const { commands } = recording;
  const [loop, bare] = await sideBySide(ROUNDS, [
    () => coreRateOf(commands.length, () => loopAll(commands, callers)),
    () => coreRateOf(commands.length, () => void decideAll(recording)),
  ]);
  return {
    name: `inputs through the loop, ${callers} at a time / decided bare`,
    value: loop?.ratio ?? Number.NaN,
    unit: "x",
    behind: { loop: loop?.rate ?? Number.NaN, bare: bare?.rate ?? Number.NaN },
  };
}

/** The benchmarks of the kernel. */
export const kernelBenchmarks: readonly Benchmark[] = [
  { name: "inputs", take: async () => [await inputs(10), await inputs(100), await inputs(1000)] },
  { name: "fold", take: async () => [await folds(10), await folds(100), await folds(1000)] },
  { name: "loop", take: async () => [await loops(1), await loops(100)] },
];
