/**
 * What a fuzzed world is: something that goes on by named steps, one at a time. Strategies, tokens and shrinking see
 * nothing else of it. It knows no strategy, and no schedule.
 */
import type { Violation } from "../kernel/invariants/checkers.js";

/**
 * A world in the middle of a run. The same steps from the same opening always lead to the same world.
 *
 * @example while (world.enabled().length > 0) await world.step(world.enabled()[0] ?? "");
 */
export interface World {
  /** Names of the steps that are possible now, in default order: the first is what the default schedule takes. Empty at rest. */
  enabled(): readonly string[];
  /**
   * Takes one step.
   *
   * @throws Error when no step of that name is enabled.
   */
  step(name: string): void | Promise<void>;
  /** What a step may touch. Two steps with disjoint footprints commute. */
  footprint(name: string): readonly string[];
  /** A hash of everything that decides the future. */
  fingerprint(): string;
  /**
   * The first of `enabled()`: those that are no faults, which keep being taken until the world is at rest. All of them
   * where a world has no faults.
   */
  fair?(): readonly string[];
  /** What the last step reached, as labels: worth reaching once more from there. None where a world marks nothing. */
  marks?(): readonly string[];
  /** What checkers have found so far. */
  readonly violations: readonly Violation[];
  /** Ends the run: judges what must hold at rest, and leaves nothing behind. */
  finish(): void | Promise<void>;
}

/** Opens worlds of one kind, each the same as the last. */
export interface WorldKind {
  readonly name: string;
  /** Changes whenever the same step names come to mean something else: a recorded schedule of another mark is refused. */
  readonly mark: string;
  open(): World | Promise<World>;
}
