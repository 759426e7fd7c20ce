/**
 * Other orders of what was recorded: pairs of steps whose order decides something, and random futures from a position,
 * with the share of them that goes wrong.
 */
import { Random } from "../fuzz/random.js";
import { type Point, comparePoints, formatPoint } from "../events/point.js";
import type { Command } from "../kernel/command.js";
import type { Violation } from "../kernel/invariants/checkers.js";
import { leftAtRest } from "../kernel/invariants/idleness.js";
import { type CommitLike, Judge } from "../kernel/invariants/judge.js";
import { DEFAULT_LIMITS, type State } from "../kernel/state.js";
import { comparePaths } from "../paths.js";
import { placeCommit } from "../projections/projection.js";
import { firstOf } from "./check.js";
import { type Fork, forkOf, swapped } from "./fork.js";
import type { Position, Trace } from "./trace.js";
import { type Input, type VerifyOptions, inputsOf } from "./verify.js";
import { describe } from "./words.js";

/** A pair of steps that nothing puts in order, whose order decides something. */
export interface Race {
  readonly first: Point;
  readonly second: Point;
  readonly text: string;
  /** What ends otherwise when the second comes before the first. */
  readonly changes: readonly string[];
  /** What the invariants say against it. */
  readonly violations: readonly Violation[];
}

/** How far to look. */
export interface RacesOptions extends VerifyOptions {
  readonly from?: Position;
  /** How many pairs are tried at the most; 200 unless given. */
  readonly budget?: number;
  /** How many steps apart the two may be; 8 unless given. */
  readonly window?: number;
}

/**
 * Concurrent pairs whose swap changes the outcome, those that break an invariant first, then by how much they change.
 *
 * @example for (const { text, changes } of await races(trace)) console.log(text, changes)
 */
export async function races(trace: Trace, options: RacesOptions = {}): Promise<readonly Race[]> {
  const { budget = 200, window = 8 } = options;
  const inputs = await readInputs(trace, options);
  const from = await trace.pointOf(options.from ?? 1);
  const asRecorded = outcomesOf((await tried(trace, inputs, 0, (left) => left)).state);
  const found: Race[] = [];
  for (const [a, b] of pairsOf(inputs, from, window).slice(0, budget)) {
    const [one, other] = [inputs[a], inputs[b]];
    if (one === undefined || other === undefined) continue;
    const run = await tried(trace, inputs, a - 1, (left) => swapped(left, 0, b - a));
    const changes = differences(asRecorded, outcomesOf(run.state));
    const violations = judged(run.commits, run.state);
    if (changes.length === 0 && violations.length === 0) continue;
    const text = `${wordsOf(other)} before ${wordsOf(one)}`;
    found.push({ first: one.at, second: other.at, text, changes, violations });
  }
  const weight = ({ violations, changes }: Race): number =>
    violations.length * 1000 + changes.length;
  return found.sort((x, y) => weight(y) - weight(x));
}

async function readInputs(trace: Trace, options: VerifyOptions): Promise<readonly Input[]> {
  const inputs: Input[] = [];
  for await (const input of inputsOf(trace, options)) inputs.push(input);
  return inputs;
}

/** Runs on after input `last`, with what is left in another order. */
function tried(
  trace: Trace,
  inputs: readonly Input[],
  last: number,
  order: (left: readonly Input[]) => readonly Input[],
): Promise<Fork> {
  const kept = inputs.slice(0, last + 1);
  return forkOf(trace, [...kept, ...order(inputs.slice(last + 1))], kept.length, { standIn: true });
}

/** Pairs of which the second could have come before the first: nothing between them, nor the first, led to it. */
function pairsOf(
  inputs: readonly Input[],
  from: Point,
  window: number,
): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (const [b, later] of inputs.entries()) {
    if (comparePoints(later.at, from) < 0 || isBarrier(later)) continue;
    for (let a = b - 1; a > 0 && a >= b - window; a--) {
      const earlier = inputs[a];
      if (earlier === undefined || leadsTo(earlier, later)) break;
      if (comparePoints(earlier.at, from) >= 0) pairs.push([a, b]);
    }
  }
  return pairs;
}

function isBarrier({ command: { kind } }: Input): boolean {
  return kind === "create" || kind === "open" || kind === "close";
}

function leadsTo(earlier: Input, later: Input): boolean {
  if (isBarrier(earlier) || actorOf(earlier.command) === actorOf(later.command)) return true;
  const cause = later.events[0]?.cause;
  if (cause === undefined || typeof cause === "string" || cause[0] !== earlier.at[0]) return false;
  return cause[1] >= earlier.at[1] && cause[1] < earlier.at[1] + earlier.events.length;
}

/** Whose program order a command keeps. */
function actorOf(command: Command): string {
  if ("turn" in command) return command.turn.path;
  if ("attempt" in command) return command.attempt.path;
  if ("by" in command && command.by !== null) return command.by.path;
  return command.kind === "prepared" ? `reservation ${command.reservation}` : "host";
}

function wordsOf({ at, events }: Input): string {
  const [first] = events;
  return `${formatPoint(at)} (${first === undefined ? "nothing" : describe(first)})`;
}

/** What became of each agent. */
function outcomesOf({ durable, volatile }: State): ReadonlyMap<string, string> {
  const agents = [...durable.agents.values()].sort((a, b) => comparePaths(a.path, b.path));
  return new Map(
    agents.map((agent) => {
      const last = agent.last === null ? "never settled" : `last ${agent.last.outcome}`;
      const marked = volatile.marks.has(agent.path) ? ", marked" : "";
      const unread = `${agent.unread.length} unread`;
      return [agent.path, `${agent.phase}, ${agent.turns} turns, ${last}, ${unread}${marked}`];
    }),
  );
}

function differences(
  was: ReadonlyMap<string, string>,
  is: ReadonlyMap<string, string>,
): readonly string[] {
  const paths = new Set([...was.keys(), ...is.keys()]);
  return [...paths].flatMap((path) => {
    const [before, after] = [was.get(path) ?? "absent", is.get(path) ?? "absent"];
    return before === after ? [] : [`${path}: ${before} -> ${after}`];
  });
}

/** What the invariants say of a run, and of what it left behind. */
function judged(commits: readonly CommitLike[], { host, next }: State): readonly Violation[] {
  const limits = host.limits ?? DEFAULT_LIMITS;
  const judge = new Judge({ limits });
  for (const commit of commits) judge.see(placeCommit(commit));
  return [...judge.violations, ...leftAtRest(judge.book, limits, next)];
}

/** How to look ahead. */
export interface ExploreOptions extends VerifyOptions {
  /** How many futures are tried; 100 unless given. */
  readonly budget?: number;
  /** The same seed gives the same futures. */
  readonly seed?: number;
  /** What going wrong means; unless given: an invariant is broken, or somebody is left behind. */
  readonly isWrong?: (state: State, violations: readonly Violation[]) => boolean;
}

/** Futures from a position. */
export interface Futures {
  readonly tried: number;
  readonly wrong: number;
  /** From 0 to 1. */
  readonly share: number;
  /** One that went wrong, to look at. */
  readonly example: Fork | null;
}

/**
 * Random futures from a position: everything recorded after it, in orders that each agent's own order allows.
 *
 * @example const { share } = await explore(trace, 120, { budget: 500, seed: 7 })
 */
export async function explore(
  trace: Trace,
  position: Position,
  options: ExploreOptions = {},
): Promise<Futures> {
  return exploreFrom(trace, await readInputs(trace, options), position, options);
}

async function exploreFrom(
  trace: Trace,
  inputs: readonly Input[],
  position: Position,
  { budget = 100, seed = 1, isWrong = (_, found) => found.length > 0 }: ExploreOptions,
): Promise<Futures> {
  const at = await trace.pointOf(position);
  const last = inputs.findLastIndex((input) => comparePoints(input.at, at) <= 0);
  const random = new Random(seed);
  let example: Fork | null = null;
  let wrong = 0;
  for (let i = 0; i < budget; i++) {
    const run = await tried(trace, inputs, last, (left) => shuffled(left, random));
    if (!isWrong(run.state, judged(run.commits, run.state))) continue;
    wrong++;
    example ??= run;
  }
  return { tried: budget, wrong, share: budget === 0 ? 0 : wrong / budget, example };
}

/** A random order in which nothing comes before what led to it. */
function shuffled(inputs: readonly Input[], random: Random): readonly Input[] {
  const left = [...inputs];
  const order: Input[] = [];
  while (left.length > 0) {
    const ready = left.slice(0, 32).flatMap((later, index, near) => {
      const isFirst = isBarrier(later) ? index === 0 : true;
      return isFirst && !near.slice(0, index).some((one) => leadsTo(one, later)) ? [index] : [];
    });
    order.push(...left.splice(random.pick(ready), 1));
  }
  return order;
}

/**
 * The first commit after which every future that was tried goes wrong; `undefined` when the session's own end does not.
 * Found by halving over prefixes: from there on nothing but another order of before would have helped.
 *
 * @example const n = await pointOfNoReturn(trace, { isWrong: (state) => state.volatile.marks.size > 0 })
 */
export async function pointOfNoReturn(
  trace: Trace,
  options: ExploreOptions = {},
): Promise<number | undefined> {
  const inputs = await readInputs(trace, options);
  const isLost = async (n: number): Promise<boolean> =>
    (await exploreFrom(trace, inputs, n, options)).share === 1;
  if (!(await isLost(trace.length))) return undefined;
  return firstOf(1, trace.length, isLost);
}
