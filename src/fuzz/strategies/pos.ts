/**
 * The strategy `pos`: each step gets a random priority when it becomes possible, the highest is taken, and the steps that touch
 * what it touched draw anew. So the order of steps that race is even, whatever else goes on (Yuan et al. 2018).
 */
import type { Random } from "../random.js";
import type { Chooser, Steps, Strategy } from "./strategy.js";

class Pos implements Chooser {
  private readonly random: Random;
  private priorities = new Map<string, number>();

  constructor(random: Random) {
    this.random = random;
  }

  choose(steps: Steps): string {
    const { names } = steps;
    const priorities = new Map<string, number>();
    let best = names[0] as string;
    for (const name of names) {
      priorities.set(name, this.priorities.get(name) ?? this.random.part());
      if ((priorities.get(name) ?? 0) > (priorities.get(best) ?? 0)) best = name;
    }
    priorities.delete(best);
    const touched = new Set(steps.footprint(best));
    for (const name of names) {
      if (name !== best && steps.footprint(name).some((one) => touched.has(one)))
        priorities.delete(name);
    }
    this.priorities = priorities;
    return best;
  }
}

/** See the module header. */
export const pos: Strategy = { name: "pos", begin: (random) => new Pos(random) };
