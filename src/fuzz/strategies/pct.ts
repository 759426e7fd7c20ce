/**
 * The strategy `pct`: agents get random priorities, the highest that can go on does, and at a few random places it loses its
 * priority. It finds a bug that needs few switches with a known least probability (Burckhardt et al. 2010).
 */
import type { Random } from "../random.js";
import { type Chooser, type Steps, type Strategy, agentOf } from "./strategy.js";

/** At most so many places where priorities change: bugs rarely need more. */
const MOST_CHANGES = 3;

class Pct implements Chooser {
  private readonly random: Random;
  private readonly priorities = new Map<string, number>();
  private readonly changes = new Set<number>();
  private taken = 0;

  constructor(random: Random, expected: number) {
    this.random = random;
    for (let left = random.below(MOST_CHANGES + 1); left > 0; left--) {
      this.changes.add(random.below(Math.max(expected, 1)));
    }
  }

  choose({ names }: Steps): string {
    if (this.changes.has(this.taken)) this.priorities.set(agentOf(this.best(names)), -this.taken);
    this.taken++;
    return this.best(names);
  }

  private best(names: readonly string[]): string {
    let best = names[0] as string;
    for (const name of names) if (this.priority(name) > this.priority(best)) best = name;
    return best;
  }

  private priority(name: string): number {
    const agent = agentOf(name);
    let priority = this.priorities.get(agent);
    if (priority === undefined) {
      priority = this.random.part();
      this.priorities.set(agent, priority);
    }
    return priority;
  }
}

/** See the module header. */
export const pct: Strategy = {
  name: "pct",
  begin: (random, expected) => new Pct(random, expected),
};
