/**
 * Work that must not overtake: what shares a name runs in the order in which it was handed in, the rest side by side.
 */

/** See the module header. */
export class Order {
  private readonly newest = new Map<string, Promise<unknown>>();

  /** How many names have work under way. */
  get size(): number {
    return this.newest.size;
  }

  /** Runs once everything that was handed in before under one of these names has ended, well or not. */
  after<T>(names: readonly string[], run: () => Promise<T>): Promise<T> {
    const before = names.map((name) => this.newest.get(name) ?? Promise.resolve());
    const done = Promise.allSettled(before).then(run);
    const ended = done.then(
      () => undefined,
      () => undefined,
    );
    for (const name of names) this.newest.set(name, ended);
    void ended.then(() => {
      for (const name of names) if (this.newest.get(name) === ended) this.newest.delete(name);
    });
    return done;
  }

  /** Resolves when nothing is under way. */
  async allEnded(): Promise<void> {
    while (this.newest.size > 0) await Promise.all(this.newest.values());
  }
}
