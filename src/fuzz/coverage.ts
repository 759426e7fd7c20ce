/**
 * What runs have reached so far: states, pairs of steps that followed each other at one agent, and what the world marked. It
 * estimates how likely the next state is one that nobody has seen.
 */
import { agentOf, verbOf } from "./strategies/strategy.js";
import type { World } from "./world.js";

/** Figures of a coverage. */
export interface Covered {
  readonly states: number;
  readonly pairs: number;
  readonly marks: number;
  /**
   * How likely it is, about, that the next step leads to a state that no step has led to: states met once among all steps
   * (Good and Turing).
   */
  readonly unseen: number;
}

/** See the module header. */
export class Coverage {
  private readonly once = new Set<string>();
  private readonly again = new Set<string>();
  private readonly pairs = new Set<string>();
  private readonly marks = new Set<string>();
  private looks = 0;
  /** Steps by agent that the run has taken last. */
  private last = new Map<string, string>();

  /** A run begins. */
  begin(): void {
    this.last = new Map();
  }

  /** Enters a step that was just taken; answers whether it has reached anything new. */
  enter(world: World, name: string): boolean {
    this.looks++;
    let isNew = this.enterState(world.fingerprint());
    const agent = agentOf(name);
    const before = this.last.get(agent);
    this.last.set(agent, verbOf(name));
    if (before !== undefined)
      isNew = put(this.pairs, `${agent} ${before} ${verbOf(name)}`) || isNew;
    for (const mark of world.marks?.() ?? []) isNew = put(this.marks, mark) || isNew;
    return isNew;
  }

  get covered(): Covered {
    const { once, again, pairs, marks, looks } = this;
    const states = once.size + again.size;
    return {
      states,
      pairs: pairs.size,
      marks: marks.size,
      unseen: looks === 0 ? 1 : once.size / looks,
    };
  }

  private enterState(state: string): boolean {
    if (this.again.has(state)) return false;
    if (this.once.delete(state)) {
      this.again.add(state);
      return false;
    }
    this.once.add(state);
    return true;
  }
}

function put(set: Set<string>, item: string): boolean {
  if (set.has(item)) return false;
  set.add(item);
  return true;
}
