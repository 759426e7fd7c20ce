/** Giving things back in the reverse order of taking them. */

/** Undoes things, the newest first, whatever any of them says. */
export class Undo {
  readonly #steps: (() => void | Promise<void>)[] = [];

  push(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch {
        // The others are undone all the same: a folder must not stay taken because a file could not be closed.
      }
    }
  }
}
