/**
 * When faults happen, and which steps a run does without: apart from the strategy, so that a run is not all faults. A run draws
 * how many faults it may have and spreads them; it switches some kinds of steps off (swarm), which then come last or never.
 */
import type { Random } from "./random.js";
import { verbOf } from "./strategies/strategy.js";

/** A kind is switched off in so many runs. */
const SWITCHED_OFF = 0.3;

/** See the module header. */
export class Pacer {
  private readonly random: Random;
  private readonly off = new Map<string, boolean>();
  private readonly pace: number;
  private readonly swarm: boolean;
  /** How many faults this run may have. */
  private readonly most: number;

  /** @param most faults of a run. */
  constructor(random: Random, expected: number, most: number, swarm: boolean) {
    this.random = random;
    this.swarm = swarm;
    this.most = most === 0 ? 0 : random.below(most + 1);
    this.pace = (this.most + 1) / Math.max(expected, 2);
  }

  /** What may be chosen from: a fault alone when one is due, else the fair steps. `had`: the faults of the run so far. */
  offer(fair: readonly string[], enabled: readonly string[], had: number): readonly string[] {
    if (had < this.most && enabled.length > fair.length && this.random.is(this.pace)) {
      const known = new Set(fair);
      const faults = enabled.filter((name) => !known.has(name) && !this.isOff(name));
      if (faults.length > 0) return [this.random.pick(faults)];
    }
    const names = fair.filter((name) => !this.isOff(name));
    return names.length === 0 ? fair : names;
  }

  private isOff(name: string): boolean {
    if (!this.swarm) return false;
    const verb = kindOf(name);
    let off = this.off.get(verb);
    if (off === undefined) {
      off = this.random.is(SWITCHED_OFF);
      this.off.set(verb, off);
    }
    return off;
  }
}

/** Timers are one kind, whatever they bound. */
function kindOf(name: string): string {
  return name.startsWith("timer:") ? "timer" : verbOf(name);
}
