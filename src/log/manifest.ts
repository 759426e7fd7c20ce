/**
 * The one thing that must be known of a LevelDB manifest: from which number on the store will name new files. A table
 * with such a number, which a damaged or older manifest does not know, would be written over when a copy that links it
 * is opened, and so in the original too. Reads the format of LevelDB's log files and version edits; checks nothing.
 */

const BLOCK_BYTES = 32_768;
const HEADER_BYTES = 7;
/** Types of a record's fragments: whole, first, middle, last. */
const [FULL, FIRST, , LAST] = [1, 2, 3, 4];

/** Tags of a version edit. */
const COMPARATOR = 1;
const NEXT_FILE = 3;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;
const NUMBERS: ReadonlySet<number> = new Set([2, NEXT_FILE, 4, 9]);

/** The first number that new files may get; `undefined` when the manifest can't be read. */
export function nextFileNumber(manifest: Uint8Array): number | undefined {
  let next: number | undefined;
  try {
    for (const record of recordsOf(manifest)) next = new Edit(record).nextFile() ?? next;
    return next;
  } catch {
    return undefined;
  }
}

/** The records of a log file, put together from their fragments. */
function* recordsOf(bytes: Uint8Array): Generator<Uint8Array> {
  let parts: Uint8Array[] = [];
  for (let block = 0; block < bytes.length; block += BLOCK_BYTES) {
    const end = Math.min(block + BLOCK_BYTES, bytes.length);
    for (let at = block; at + HEADER_BYTES <= end;) {
      const length = (bytes[at + 4] ?? 0) | ((bytes[at + 5] ?? 0) << 8);
      const type = bytes[at + 6] ?? 0;
      const from = at + HEADER_BYTES;
      if (type === 0 || from + length > end) return;
      if (type === FULL || type === FIRST) parts = [];
      parts.push(bytes.subarray(from, from + length));
      if (type === FULL || type === LAST) yield Buffer.concat(parts);
      at = from + length;
    }
  }
}

/** One version edit. */
class Edit {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** What it says of the next file, if it says anything. @throws when it is none that is known */
  nextFile(): number | undefined {
    let next: number | undefined;
    while (this.#at < this.#bytes.length) {
      const tag = this.#number();
      if (tag === NEXT_FILE) next = this.#number();
      else this.#skip(tag);
    }
    return next;
  }

  #skip(tag: number): void {
    if (NUMBERS.has(tag)) {
      this.#number();
    } else if (tag === COMPARATOR) {
      this.#text();
    } else if (tag === COMPACT_POINTER) {
      this.#number();
      this.#text();
    } else if (tag === DELETED_FILE) {
      this.#number();
      this.#number();
    } else if (tag === NEW_FILE) {
      for (let field = 0; field < 3; field += 1) this.#number();
      this.#text();
      this.#text();
    } else {
      throw new Error(`unknown tag ${tag}`);
    }
  }

  #text(): void {
    const length = this.#number();
    this.#at += length;
  }

  /** Seven bits a byte, the lowest first; in floating point, because numbers here may take more than 32 bits. */
  #number(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new Error("cut off");
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }
}
