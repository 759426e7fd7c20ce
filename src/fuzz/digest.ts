/**
 * A hash that is fed numbers and short texts: two lanes of 32 bits, so that five million states are told apart. The same in
 * every process.
 */

/** See the module header. */
export class Digest {
  /** The two lanes; each a signed 32-bit number. */
  high = 0x2545f491;
  low = 0x1b873593;

  /** Feeds a number: its lowest 32 bits count. */
  add(n: number): void {
    let high = Math.imul(this.high ^ n, 0x9e3779b1);
    high ^= high >>> 15;
    let low = Math.imul(this.low + n, 0x85ebca6b) ^ high;
    low ^= low >>> 13;
    this.high = high;
    this.low = Math.imul(low, 0xc2b2ae35);
  }

  /** Feeds whether something is so. */
  is(flag: boolean): void {
    this.add(flag ? 1 : 2);
  }

  /** Feeds a word of a small vocabulary, such as a path or a kind. */
  word(word: string): void {
    let hash = WORDS.get(word);
    if (hash === undefined) {
      hash = hashOf(word);
      WORDS.set(word, hash);
    }
    this.add(hash);
  }

  /** What has been fed so far, as 16 hexadecimal digits. */
  hex(): string {
    return hexOf(this.high) + hexOf(this.low);
  }
}

const hexOf = (lane: number): string => (lane >>> 0).toString(16).padStart(8, "0");

/** Words that have been met, with their hashes. */
const WORDS = new Map<string, number>();

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash;
}
