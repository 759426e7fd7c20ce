/** A world of counters: tasks read a number and write it back, one larger. Racy tasks do so in two steps. */
import type { Violation } from "../../src/kernel/invariants/checkers.js";
import type { World, WorldKind } from "../../src/fuzz/world.js";

/** What is in the world. */
export interface ToyOptions {
  readonly tasks: number;
  readonly acts: number;
  readonly isRacy: boolean;
  readonly hasFaults?: boolean;
  /** Told at each fault how many the run has had. */
  readonly onFault?: (count: number) => void;
}

class Toy implements World {
  readonly violations: Violation[] = [];
  private readonly options: ToyOptions;
  private readonly done: number[];
  private readonly held: number[];
  private count = 0;
  private wanted = 0;
  private faults = 0;
  private wasFault = false;

  constructor(options: ToyOptions) {
    this.options = options;
    this.done = Array.from({ length: options.tasks }, () => 0);
    this.held = this.done.map(() => 0);
  }

  fair(): readonly string[] {
    const { acts, isRacy } = this.options;
    return this.done.flatMap((done, task) => {
      if (done === acts) return [];
      const verb = isRacy && done % 2 === 1 ? "write" : "read";
      return [`/root/t${task}#1:${verb}`];
    });
  }

  enabled(): readonly string[] {
    const fair = this.fair();
    return this.options.hasFaults === true && fair.length > 0 ? [...fair, "crash"] : fair;
  }

  step(name: string): void {
    if (!this.enabled().includes(name)) throw new Error(`no step ${name}`);
    this.wasFault = name === "crash";
    if (this.wasFault) return this.options.onFault?.(++this.faults);
    const task = Number(/t(\d)/.exec(name)?.[1]);
    this.done[task] = (this.done[task] ?? 0) + 1;
    if (!this.options.isRacy) return;
    if (name.endsWith("read")) this.held[task] = this.count;
    else {
      this.count = (this.held[task] ?? 0) + 1;
      this.wanted++;
    }
  }

  footprint(): readonly string[] {
    return ["count"];
  }

  fingerprint(): string {
    return JSON.stringify([this.done, this.held, this.count]);
  }

  marks(): readonly string[] {
    return this.wasFault ? ["crashed"] : [];
  }

  finish(): void {
    if (this.fair().length > 0 || this.count === this.wanted) return;
    this.violations.push({ rule: "lost", at: [0, 0], what: `${this.count} of ${this.wanted}` });
  }
}

/** Opens toys. */
export function toy(options: ToyOptions): WorldKind {
  return { name: "toy", mark: "t1", open: () => new Toy(options) };
}
