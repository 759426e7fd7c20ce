/**
 * A set of keys of 64 bits that takes about 16 bytes each: open addressing over typed arrays. It forgets nothing, and tells
 * two states of the same key not apart.
 */

const FIRST_SIZE = 1 << 14;

/** See the module header. */
export class StateSet {
  /** How many keys it holds. */
  size = 0;
  private keys = new Int32Array(FIRST_SIZE * 2);
  private mask = FIRST_SIZE - 1;
  /** The one key that looks like an empty place. */
  private hasZero = false;

  /** Adds a key; answers whether it was new. */
  add(high: number, low: number): boolean {
    if (high === 0 && low === 0) {
      const isNew = !this.hasZero;
      this.hasZero = true;
      if (isNew) this.size++;
      return isNew;
    }
    if (!this.put(high, low)) return false;
    this.size++;
    if (this.size * 3 > this.mask * 2) this.grow();
    return true;
  }

  private put(high: number, low: number): boolean {
    const { keys, mask } = this;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const [h, l] = [keys[2 * at], keys[2 * at + 1]];
      if (h === high && l === low) return false;
      if (h !== 0 || l !== 0) continue;
      keys[2 * at] = high;
      keys[2 * at + 1] = low;
      return true;
    }
  }

  private grow(): void {
    const old = this.keys;
    this.keys = new Int32Array(old.length * 2);
    this.mask = this.keys.length / 2 - 1;
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]];
      if (high !== 0 || low !== 0) this.put(high, low);
    }
  }
}
