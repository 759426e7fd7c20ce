/**
 * What a strategy is: it chooses one of the steps that are possible now. Faults and masks are not its business; it sees no
 * step that may not be taken.
 */
import type { Random } from "../random.js";

/** What a strategy may ask about a step. */
export interface Steps {
  /** The steps to choose from: at least one, in default order. */
  readonly names: readonly string[];
  /** What a step may touch. */
  footprint(name: string): readonly string[];
}

/** One run of a strategy. */
export interface Chooser {
  /** Answers the step to take: one of `names`. */
  choose(steps: Steps): string;
}

/** See the module header. */
export interface Strategy {
  readonly name: string;
  /**
   * Begins a run.
   *
   * @param expected about how many steps it takes.
   */
  begin(random: Random, expected: number): Chooser;
}

/** Who takes a step: what comes before its verb. Steps of one subject come from one agent, or one part of the world. */
export function subjectOf(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? name : name.slice(0, colon);
}

/** What is done, without its subject, its arguments and its number. */
export function verbOf(name: string): string {
  const [subject = "", verb = subject] = name.split(":");
  return verb.includes(".") ? verb.replace(/\.\d+$/, "") : verb;
}

/** The agent of a step's subject, whichever its turn: `/root/b#2:send` is of `/root/b`. */
export function agentOf(name: string): string {
  const [agent = ""] = subjectOf(name).split(/[#.]/, 1);
  return agent;
}
