/**
 * Steps that begin in the order in which they were handed in, although some of them have to look something up first:
 * the log keeps the order of the person's calls (M4). While nobody looks anything up, a step begins at once.
 */

/** Begins something; one that has to look something up answers when it has begun. It never rejects. */
type Step = () => Promise<void> | undefined;

/** See the module header. */
export class Line {
  private readonly waiting: Step[] = [];
  private busy = false;

  /** Whether nothing is being looked up. */
  get resting(): boolean {
    return !this.busy;
  }

  enter(step: Step): void {
    this.waiting.push(step);
    if (!this.busy) this.goOn();
  }

  private goOn(): void {
    this.busy = true;
    for (let step = this.waiting.shift(); step !== undefined; step = this.waiting.shift()) {
      const looking = step();
      if (looking === undefined) continue;
      void looking.then(() => this.goOn());
      return;
    }
    this.busy = false;
  }
}
