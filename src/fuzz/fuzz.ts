/**
 * The fuzzer: runs a world again and again, each time by another schedule, until one fails or enough have run. Strategies take
 * turns. What fails is shrunk, and handed over as a token.
 */
import { BadArgument } from "../errors.js";
import { systemPorts } from "../runtime/ports.js";
import type { Violation } from "../kernel/invariants/checkers.js";
import { Corpus } from "./corpus.js";
import { Coverage, type Covered } from "./coverage.js";
import { Pacer } from "./pacer.js";
import { Random } from "./random.js";
import { type Pick, type Ran, guided, play, replay } from "./run.js";
import { type Schedule, decodeSchedule, encodeSchedule } from "./schedule.js";
import { shrink } from "./shrink.js";
import { pct } from "./strategies/pct.js";
import { pos } from "./strategies/pos.js";
import { randomWalk } from "./strategies/randomWalk.js";
import type { Strategy } from "./strategies/strategy.js";
import type { WorldKind } from "./world.js";

/** All strategies, in the order in which they take turns. */
export const STRATEGIES: readonly Strategy[] = [randomWalk, pct, pos];

/** How to fuzz. */
export interface FuzzOptions {
  /** How many runs at most: 1,000 unless given, or as many as `seconds` allow. */
  readonly runs?: number;
  /** How long at most. */
  readonly seconds?: number;
  /** The names of the strategies that take turns: all unless given. */
  readonly strategies?: readonly string[];
  /** Where chance begins: 1 unless given. Only a convenience; what is kept of a failure is its token. */
  readonly seed?: number;
  /** Faults of a run at most: 3 unless given. */
  readonly faults?: number;
  /** Steps that a strategy chooses in a run; after them the default schedule ends it. 500 unless given. */
  readonly steps?: number;
  /** Whether each run does without some kinds of steps: so unless given. */
  readonly swarm?: boolean;
  /** Whether runs may begin like others that reached something new: so unless given. It costs a look at each state. */
  readonly corpus?: boolean;
  /** Runs this schedule alone. */
  readonly token?: string;
  /** How a token is run: `strict` unless given; `guided` passes over what is not possible any more. */
  readonly replay?: "strict" | "guided";
  /** Whether a failure is shrunk: so unless given. */
  readonly shrink?: boolean;
  /** Told now and then. */
  readonly onProgress?: (progress: Progress) => void;
}

/** How far the fuzzer has come. */
export interface Progress {
  readonly runs: number;
  readonly steps: number;
  readonly seconds: number;
  /** What the runs reached; nothing without `corpus`. */
  readonly covered: Covered;
}

/** A schedule that fails. */
export interface Failure {
  readonly world: string;
  readonly schedule: Schedule;
  /** The schedule as a short text. */
  readonly token: string;
  readonly steps: readonly string[];
  readonly violations: readonly Violation[];
  /** How many steps it had before it was shrunk, and the runs that took. */
  readonly found: { readonly steps: number; readonly tries: number };
}

/** What fuzzing came to. */
export interface FuzzReport extends Progress {
  readonly failure: Failure | null;
}

const RUNS = 1_000;
const FAULTS = 3;
const STEPS = 500;
/** Every so many milliseconds somebody who asked is told. */
const TELL_MS = 500;
/** So many of the runs begin like one of the corpus. */
const FROM_CORPUS = 0.4;

/**
 * Fuzzes the schedules of a world. A run that fails ends it; the report then has its token.
 *
 * @throws BadArgument for unusable options; ScheduleMismatch when a token does not fit the code any more.
 * @example const { failure } = await fuzz(scenario("pair", setup), { runs: 500 });
 */
export async function fuzz(kind: WorldKind, options: FuzzOptions = {}): Promise<FuzzReport> {
  return new Fuzzer(kind, options).run();
}

class Fuzzer {
  private readonly kind: WorldKind;
  private readonly options: FuzzOptions;
  private readonly random: Random;
  private readonly strategies: readonly Strategy[];
  private readonly coverage = new Coverage();
  private readonly corpus = new Corpus();
  private readonly ports = systemPorts();
  private readonly began: number;
  private told = 0;
  private runs = 0;
  private steps = 0;

  constructor(kind: WorldKind, options: FuzzOptions) {
    this.kind = kind;
    this.options = options;
    this.random = new Random(countOf("seed", options.seed, 1));
    this.strategies = strategiesOf(options.strategies);
    countOf("runs", options.runs, RUNS);
    this.began = this.ports.now();
  }

  async run(): Promise<FuzzReport> {
    const { token, replay: how = "strict" } = this.options;
    if (token !== undefined) {
      const ran = await replay(this.kind, decodeSchedule(token), how);
      this.runs = 1;
      this.steps = ran.steps.length;
      return this.report(ran.violations.length === 0 ? null : failureOf(this.kind, ran, ran, 0));
    }
    while (this.goesOn()) {
      const ran = await this.once();
      if (ran.violations.length > 0) return this.report(await this.failed(ran));
      this.tell();
    }
    return this.report(null);
  }

  private goesOn(): boolean {
    const { runs, seconds } = this.options;
    if (seconds !== undefined && this.seconds >= seconds) return false;
    return this.runs < (runs ?? (seconds === undefined ? RUNS : Number.POSITIVE_INFINITY));
  }

  private get seconds(): number {
    return (this.ports.now() - this.began) / 1000;
  }

  private async once(): Promise<Ran> {
    const { faults = FAULTS, swarm = true, corpus = true, steps = STEPS } = this.options;
    const random = new Random(this.random.next());
    const expected = this.runs === 0 ? steps / 4 : this.steps / this.runs;
    const strategy = this.strategies[this.runs % this.strategies.length] as Strategy;
    const chooser = strategy.begin(random, expected);
    const pacer = new Pacer(random, expected, faults, swarm);
    const choose: Pick = ({ world, enabled, fair, at, faults: had }) => {
      if (at >= steps) return null;
      const names = pacer.offer(fair, enabled, had);
      if (names.length === 1) return names[0] ?? null;
      return chooser.choose({ names, footprint: (name) => world.footprint(name) });
    };
    const isFrom = corpus && random.is(FROM_CORPUS);
    const pick = isFrom ? guided({ deviations: this.corpus.draw(random) }, choose) : choose;
    if (!corpus) return this.count(await play(this.kind, pick));
    let [at, newest] = [0, -1];
    this.coverage.begin();
    const ran = await play(this.kind, pick, (world, name) => {
      if (this.coverage.enter(world, name)) newest = at;
      at++;
    });
    if (newest >= 0) this.corpus.keep(random, ran.schedule.deviations, newest);
    return this.count(ran);
  }

  private count(ran: Ran): Ran {
    this.runs++;
    this.steps += ran.steps.length;
    return ran;
  }

  private async failed(ran: Ran): Promise<Failure> {
    if (this.options.shrink === false) return failureOf(this.kind, ran, ran, 0);
    const small = await shrink(this.kind, ran);
    return failureOf(this.kind, small.ran, ran, small.tries);
  }

  private tell(): void {
    const { onProgress } = this.options;
    if (onProgress === undefined || this.ports.now() - this.told < TELL_MS) return;
    this.told = this.ports.now();
    onProgress(this.progress);
  }

  private get progress(): Progress {
    const { runs, steps, seconds } = this;
    return { runs, steps, seconds, covered: this.coverage.covered };
  }

  private report(failure: Failure | null): FuzzReport {
    return { ...this.progress, failure };
  }
}

/** A failed run with its token; `first`: as it was found, before `tries` runs shrank it. */
export function failureOf({ name }: WorldKind, ran: Ran, first: Ran, tries: number): Failure {
  const { schedule, steps, violations } = ran;
  const found = { steps: first.steps.length, tries };
  return { world: name, schedule, token: encodeSchedule(schedule), steps, violations, found };
}

function countOf(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new BadArgument(`"${name}" is a whole number from 0; ${String(value)} is none.`);
}

function strategiesOf(names: readonly string[] | undefined): readonly Strategy[] {
  if (names === undefined) return STRATEGIES;
  const known = STRATEGIES.map(({ name }) => name).join(", ");
  const found = names.map((name) => STRATEGIES.find((one) => one.name === name));
  if (found.length === 0 || found.includes(undefined)) {
    throw new BadArgument(`A strategy is one of ${known}; ${JSON.stringify(names)} names another.`);
  }
  return found as readonly Strategy[];
}
