/**
 * Numbers drawn from a seed: the same seed gives the same numbers in every process. Only strategies draw; a world never does.
 */

/** See the module header. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A whole number of 32 bits. */
  next(): number {
    // mulberry32
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A number from 0 to below 1. */
  part(): number {
    return this.next() / 2 ** 32;
  }

  /** A whole number from 0 to below `count`, which is at least 1. */
  below(count: number): number {
    return Math.floor(this.part() * count);
  }

  /** One of them; there must be one. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Whether something of that probability happens. */
  is(probability: number): boolean {
    return this.part() < probability;
  }
}
