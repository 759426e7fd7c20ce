/**
 * The two persistent containers that the kernel's state is made of: a map by string key and a first-in first-out row.
 * Both are values: every change gives a new one that shares what did not change, so keeping an older state costs nothing.
 */

interface Leaf<V> {
  readonly hash: number;
  readonly key: string;
  readonly value: V;
}
/** Keys that share a hash, sorted; at least two. */
interface Collision<V> {
  readonly hash: number;
  readonly leaves: readonly Leaf<V>[];
}
interface Branch<V> {
  readonly bitmap: number;
  readonly slots: readonly Node<V>[];
}
type Node<V> = Branch<V> | Leaf<V> | Collision<V>;

const BITS = 5;
const EMPTY_BRANCH: Branch<never> = { bitmap: 0, slots: [] };

/** FNV-1a over UTF-16 code units: the same in every process, so that iteration order is too. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

function countBits(bits: number): number {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const bitAt = (hash: number, shift: number): number => 1 << ((hash >>> shift) & 31);
const slotAt = (bitmap: number, bit: number): number => countBits(bitmap & (bit - 1));

/** Two nodes of different hashes, on as many branches as it takes to tell them apart. */
function join<V>(a: Leaf<V> | Collision<V>, b: Leaf<V>, shift: number): Branch<V> {
  const bitA = bitAt(a.hash, shift);
  const bitB = bitAt(b.hash, shift);
  if (bitA === bitB) return { bitmap: bitA, slots: [join(a, b, shift + BITS)] };
  // Compared as unsigned: bit 31 is negative as a signed number.
  return { bitmap: bitA | bitB, slots: bitA >>> 0 < bitB >>> 0 ? [a, b] : [b, a] };
}

function put<V>(node: Node<V>, leaf: Leaf<V>, shift: number): Node<V> {
  if ("slots" in node) {
    const bit = bitAt(leaf.hash, shift);
    const at = slotAt(node.bitmap, bit);
    const slots = node.slots.slice();
    if ((node.bitmap & bit) === 0) {
      slots.splice(at, 0, leaf);
      return { bitmap: node.bitmap | bit, slots };
    }
    slots[at] = put(slots[at] as Node<V>, leaf, shift + BITS);
    return { bitmap: node.bitmap, slots };
  }
  if (node.hash !== leaf.hash) return join(node, leaf, shift);
  if ("leaves" in node) return collided(leaf, node.leaves);
  return node.key === leaf.key ? leaf : collided(leaf, [node]);
}

/** Sorted, so that equal maps have equal shapes whatever their history. */
function collided<V>(leaf: Leaf<V>, others: readonly Leaf<V>[]): Collision<V> {
  const leaves = [...others.filter(({ key }) => key !== leaf.key), leaf];
  return { hash: leaf.hash, leaves: leaves.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

/** The node without that key, which it has. */
function drop<V>(node: Node<V>, hash: number, shift: number, key: string): Node<V> | undefined {
  if ("leaves" in node) {
    const leaves = node.leaves.filter((leaf) => leaf.key !== key);
    return leaves.length === 1 ? leaves[0] : { hash, leaves };
  }
  if (!("slots" in node)) return undefined;
  const bit = bitAt(hash, shift);
  const at = slotAt(node.bitmap, bit);
  const left = drop(node.slots[at] as Node<V>, hash, shift + BITS, key);
  const slots = node.slots.slice();
  if (left !== undefined) {
    slots[at] = left;
    // A branch with one leaf is that leaf, so that equal maps have equal shapes.
    if (slots.length === 1 && !("slots" in left) && shift > 0) return left;
    return { bitmap: node.bitmap, slots };
  }
  slots.splice(at, 1);
  const only = slots[0];
  if (slots.length === 1 && only !== undefined && !("slots" in only) && shift > 0) return only;
  return slots.length === 0 && shift > 0 ? undefined : { bitmap: node.bitmap & ~bit, slots };
}

function find<V>(root: Node<V>, hash: number, key: string): Leaf<V> | undefined {
  let node = root;
  for (let shift = 0; "slots" in node; shift += BITS) {
    const bit = bitAt(hash, shift);
    if ((node.bitmap & bit) === 0) return undefined;
    node = node.slots[slotAt(node.bitmap, bit)] as Node<V>;
  }
  if (node.hash !== hash) return undefined;
  if ("leaves" in node) return node.leaves.find((leaf) => leaf.key === key);
  return node.key === key ? node : undefined;
}

/** A persistent map by string key (a hash array mapped trie). Equal content has equal iteration order. */
export class PersistentMap<K extends string, V> {
  static readonly empty: PersistentMap<never, never> = new PersistentMap(EMPTY_BRANCH, 0);
  private readonly root: Node<V>;
  /** How many keys it has. */
  readonly size: number;

  private constructor(root: Node<V>, size: number) {
    this.root = root;
    this.size = size;
  }

  /** The value of a key, or `undefined`. */
  get(key: K): V | undefined {
    if (this.size === 0) return undefined;
    return find(this.root, hashOf(key), key)?.value;
  }

  has(key: K): boolean {
    return this.size > 0 && find(this.root, hashOf(key), key) !== undefined;
  }

  /** A map with that key set. */
  set(key: K, value: V): PersistentMap<K, V> {
    const hash = hashOf(key);
    const known = find(this.root, hash, key);
    // The key of the first time is kept: a text that was read from a log would otherwise stay for each value.
    const leaf = { hash, key: known?.key ?? key, value };
    return new PersistentMap(
      put(this.root, leaf, 0),
      known === undefined ? this.size + 1 : this.size,
    );
  }

  /** A map without that key. */
  delete(key: K): PersistentMap<K, V> {
    const hash = hashOf(key);
    if (this.size === 0 || find(this.root, hash, key) === undefined) return this;
    const root = drop(this.root, hash, 0, key) ?? EMPTY_BRANCH;
    return new PersistentMap<K, V>(root, this.size - 1);
  }

  /** All values, in an order that depends on the keys alone. */
  *values(): Generator<V> {
    for (const { value } of this.leaves()) yield value;
  }

  /** All keys with their values, in the same order. */
  *entries(): Generator<readonly [K, V]> {
    for (const { key, value } of this.leaves()) yield [key as K, value];
  }

  private *leaves(): Generator<Leaf<V>> {
    const stack: Node<V>[] = [this.root];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if ("slots" in node) stack.push(...node.slots);
      else if ("leaves" in node) yield* node.leaves;
      else yield node;
    }
  }
}

/** The empty map of any type. */
export function emptyMap<K extends string, V>(): PersistentMap<K, V> {
  return PersistentMap.empty;
}

/**
 * A persistent first-in first-out row. Versions share one buffer: a push on the newest version appends to it in place,
 * which older versions can't see; a push on an older one copies. So the usual life, push then take, costs O(1). What is
 * taken from the middle puts that which comes before it into a row of its own, `front`: to take many, one after the other
 * and in order, costs O(1) each as well.
 */
export class Row<T> {
  static readonly empty: Row<never> = new Row<never>([], 0, 0, null);
  private readonly buffer: T[];
  private readonly start: number;
  private readonly end: number;
  private readonly front: Row<T> | null;

  private constructor(buffer: T[], start: number, end: number, front: Row<T> | null) {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    this.front = front;
  }

  static of<T>(items: readonly T[]): Row<T> {
    return items.length === 0 ? emptyRow() : new Row(items.slice(), 0, items.length, null);
  }

  get length(): number {
    return this.end - this.start + (this.front === null ? 0 : this.front.length);
  }

  first(): T | undefined {
    return this.get(0);
  }

  last(): T | undefined {
    return this.get(this.length - 1);
  }

  /** The item of that place, or `undefined`. */
  get(index: number): T | undefined {
    const before = this.front === null ? 0 : this.front.length;
    if (index < before) return this.front?.get(index);
    const at = this.start + index - before;
    return at < this.end ? this.buffer[at] : undefined;
  }

  /** The place of the first item that `is` it, where all that follow are it too: the length where none is. */
  firstIndex(is: (item: T) => boolean): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (is(this.get(middle) as T)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Without the item of that place; the row itself where there is none. */
  without(index: number): Row<T> {
    if (index === 0) return this.rest();
    if (index < 0 || index >= this.length) return this;
    let front = this.front ?? emptyRow<T>();
    if (index < front.length) {
      const items = this.toArray();
      items.splice(index, 1);
      return Row.of(items);
    }
    const at = this.start + index - front.length;
    for (let moved = this.start; moved < at; moved++) front = front.push(this.buffer[moved] as T);
    return at + 1 === this.end ? front : Row.from(this.buffer, at + 1, this.end, front);
  }

  /** What is left of a buffer from `start` on, without what has been taken once that is more than half. */
  private static from<T>(buffer: T[], start: number, end: number, front: Row<T> | null): Row<T> {
    if (start * 2 <= end || start < 32) return new Row(buffer, start, end, front);
    return new Row(buffer.slice(start, end), 0, end - start, front);
  }

  /** With an item before the first one that `comesAfter` it; costs a copy. */
  insert(item: T, comesAfter: (other: T) => boolean): Row<T> {
    const items = this.toArray();
    const at = items.findIndex(comesAfter);
    items.splice(at === -1 ? items.length : at, 0, item);
    return Row.of(items);
  }

  push(item: T): Row<T> {
    if (this.length === 0) return new Row([item], 0, 1, null);
    const { front } = this;
    const shared = this.buffer.length === this.end;
    const buffer = shared ? this.buffer : this.buffer.slice(this.start, this.end);
    buffer.push(item);
    if (shared) return new Row(buffer, this.start, this.end + 1, front);
    return new Row(buffer, 0, buffer.length, front);
  }

  /** Without its first item. */
  rest(): Row<T> {
    if (this.length <= 1) return emptyRow();
    if (this.front !== null) {
      const front = this.front.length === 1 ? null : this.front.rest();
      return new Row(this.buffer, this.start, this.end, front);
    }
    return Row.from(this.buffer, this.start + 1, this.end, null);
  }

  filter(keep: (item: T) => boolean): Row<T> {
    return Row.of(this.toArray().filter(keep));
  }

  map<U>(change: (item: T) => U): Row<U> {
    return Row.of(this.toArray().map(change));
  }

  toArray(): T[] {
    const items = this.buffer.slice(this.start, this.end);
    return this.front === null ? items : [...this.front.toArray(), ...items];
  }

  [Symbol.iterator](): Iterator<T> {
    if (this.front !== null) return this.toArray()[Symbol.iterator]();
    const { buffer, end } = this;
    let index = this.start;
    return {
      next: () =>
        index < end
          ? { done: false, value: buffer[index++] as T }
          : { done: true, value: undefined },
    };
  }
}

/** The empty row of any type. */
export function emptyRow<T>(): Row<T> {
  return Row.empty;
}
