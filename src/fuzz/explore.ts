/**
 * Exhaustive search: every schedule of a small scenario, each state looked at once. States are told apart by a digest of 64
 * bits that holds what checkers know, and agents that are alike may change places. It finds what any checker finds, runs
 * that never come to rest, and what is left at rest.
 */
import type { Violation } from "../kernel/invariants/checkers.js";
import { Digest } from "./digest.js";
import type { KernelScenario } from "./kernelScenario.js";
import { KernelWorld } from "./kernelWorld.js";
import { StateSet } from "./stateSet.js";

/** How a search is bounded. */
export interface ExploreOptions {
  /** The most states that are looked at: 5 million unless given. */
  readonly states?: number;
  /** Whether agents that are alike may change places: they may, unless this is `false`. */
  readonly symmetry?: boolean;
}

/** What a search has found. */
export interface Explored {
  readonly scenario: string;
  /** States that differ. */
  readonly states: number;
  /** Steps that lead from one to another. */
  readonly steps: number;
  /** States in which nobody has anything left to do. */
  readonly rests: number;
  /** The longest schedule that was followed. */
  readonly depth: number;
  /** `holds`: every schedule was looked at, and nothing was found; `open`: the bound on states was reached first. */
  readonly verdict: "holds" | "violated" | "open";
  /** The first thing found, with the schedule that leads there. */
  readonly found: {
    readonly violations: readonly Violation[];
    readonly schedule: readonly string[];
  } | null;
}

interface Frame {
  readonly world: KernelWorld;
  readonly steps: readonly string[];
  next: number;
  /** The step that led here. */
  readonly by: string;
  readonly key: string;
}

const MOST_STATES = 5_000_000;

/**
 * Looks at every schedule of a scenario, depth first, until something is found.
 *
 * @example console.log(renderExplored(explore({ name: "hello", capacity: 1, host: [["prompt"]] })));
 */
export function explore(scenario: KernelScenario, options: ExploreOptions = {}): Explored {
  return new Search(scenario, options).run();
}

class Search {
  private readonly scenario: KernelScenario;
  private readonly most: number;
  private readonly seen = new StateSet();
  private readonly renamings: readonly ReadonlyMap<string, string>[];
  private readonly stack: Frame[] = [];
  /** The states of the stack, with their depths: to meet one again is a run that need not end. */
  private readonly onStack = new Map<string, number>();
  private readonly figures = { steps: 0, rests: 0, depth: 0 };
  private found: Explored["found"] = null;

  constructor(scenario: KernelScenario, { states = MOST_STATES, symmetry = true }: ExploreOptions) {
    this.scenario = scenario;
    this.most = states;
    this.renamings = symmetry ? renamingsOf(scenario.alike ?? []) : [];
  }

  run(): Explored {
    this.visit(new KernelWorld(this.scenario), "");
    while (this.found === null && this.seen.size <= this.most) {
      const frame = this.stack.at(-1);
      if (frame === undefined) break;
      const step = frame.steps[frame.next++];
      if (step === undefined) {
        this.stack.pop();
        this.onStack.delete(frame.key);
        continue;
      }
      this.figures.steps++;
      const world = frame.world.fork();
      world.take(step);
      this.visit(world, step);
    }
    const { steps, rests, depth } = this.figures;
    const verdict = this.found !== null ? "violated" : this.stack.length > 0 ? "open" : "holds";
    const { name } = this.scenario;
    return {
      scenario: name,
      states: this.seen.size,
      steps,
      rests,
      depth,
      verdict,
      found: this.found,
    };
  }

  private visit(world: KernelWorld, by: string): void {
    const key = this.identify(world);
    if (world.violations.length > 0) return this.report(world, by);
    if (!this.isNew) return this.meet(key, by, world);
    const steps = world.enabled();
    if (steps.length === 0) {
      this.figures.rests++;
      world.finish();
      if (world.violations.length > 0) this.report(world, by);
      return;
    }
    this.onStack.set(key, this.stack.length);
    this.stack.push({ world, steps, next: 0, by, key });
    this.figures.depth = Math.max(this.figures.depth, this.stack.length);
  }

  private isNew = false;

  /** The state's key: the least of its digests over all renamings of agents that are alike. */
  private identify(world: KernelWorld): string {
    let least: Digest | null = null;
    for (const names of this.renamings) {
      const digest = new Digest();
      world.digest(digest, names);
      if (least === null || isLess(digest, least)) least = digest;
    }
    least ??= world.digest(new Digest());
    this.isNew = this.seen.add(least.high, least.low);
    return `${least.high}.${least.low}`;
  }

  /**
   * A state that has been met before. On the stack, it closes a cycle: nobody has acted in it, since scripts and faults only
   * run out. Unless some step that was open all along was never taken, such a run is fair and never ends.
   */
  private meet(key: string, by: string, world: KernelWorld): void {
    const from = this.onStack.get(key);
    if (from === undefined) return;
    const cycle = this.stack.slice(from);
    const taken = new Set([...cycle.slice(1).map((frame) => frame.by), by]);
    const [first, ...others] = cycle;
    // Faults need never happen.
    const always = (first?.world.fair() ?? []).filter((step) =>
      others.every(({ steps }) => steps.includes(step)),
    );
    if (always.some((step) => !taken.has(step))) return;
    world.run.found("Q2", `it goes on for ever by ${[...taken].join(", ")}`);
    this.report(world, by);
  }

  private report({ violations }: KernelWorld, by: string): void {
    const schedule = [...this.stack.slice(1).map((frame) => frame.by), by];
    this.found = { violations, schedule: schedule.filter((step) => step !== "") };
  }
}

const isLess = (one: Digest, other: Digest): boolean =>
  one.high < other.high || (one.high === other.high && one.low < other.low);

/** Every way to give the agents of each group each other's names; none where there is but one. */
function renamingsOf(
  groups: readonly (readonly string[])[],
): readonly ReadonlyMap<string, string>[] {
  let all: ReadonlyMap<string, string>[] = [new Map()];
  for (const group of groups) {
    all = all.flatMap((names) =>
      permutations(group).map((to) => {
        const renamed = new Map(names);
        group.forEach((path, index) => renamed.set(path, to[index] ?? path));
        return renamed;
      }),
    );
  }
  return all.length === 1 ? [] : all;
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}

/** What a search has found, as lines for people. */
export function renderExplored(explored: Explored): string {
  const { scenario, states, steps, rests, depth, verdict, found } = explored;
  const figures = `${states} states, ${steps} steps, ${rests} at rest, depth ${depth}`;
  const lines = [`${scenario}: ${verdict}. ${figures}.`];
  for (const { rule, what } of found?.violations ?? []) lines.push(`  ${rule} ${what}`);
  for (const step of found?.schedule ?? []) lines.push(`    ${step}`);
  return lines.join("\n");
}
