/**
 * The checksums of LevelDB's tables. LevelDB as it is used here does not look at them: a changed byte comes back as
 * wrong data, or makes an assertion of it fail, which ends the process. So a table that may have changed is read here
 * first. Knows the format of tables: blocks with a type and a CRC-32C behind each, an index of them, and a footer.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { TABLES } from "./closedMark.js";
import { codeOf } from "./files.js";
import { unsnappy } from "./snappy.js";

const FOOTER_BYTES = 48;
const MAGIC = "57fb808b247547db";
/** Behind each block: its type, and the checksum of the block with the type. */
const TRAILER_BYTES = 5;
const SNAPPY = 1;
const MASK_DELTA = 0xa282ead8;

/** The tables of a folder that are damaged, but for those that need not be looked at. */
export async function damagedTables(
  folder: string,
  skip: (name: string) => boolean,
): Promise<readonly string[]> {
  const damaged: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (!TABLES.test(name) || skip(name)) continue;
    const bytes = await readFile(join(folder, name)).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
      return undefined;
    });
    if (bytes !== undefined && !isWholeTable(bytes)) damaged.push(name);
  }
  return damaged;
}

/** Whether every block of a table is as it was written. */
export function isWholeTable(bytes: Buffer): boolean {
  try {
    const footer = bytes.subarray(bytes.length - FOOTER_BYTES);
    if (footer.length < FOOTER_BYTES || footer.toString("hex", 40) !== MAGIC) return false;
    const handles = new Reader(footer);
    const metaindex = handles.handle();
    const index = handles.handle();
    for (const part of [metaindex, index]) {
      for (const handle of handlesIn(blockAt(bytes, part))) blockAt(bytes, handle);
    }
    return true;
  } catch {
    return false;
  }
}

interface Handle {
  readonly offset: number;
  readonly size: number;
}

/** A block's content. @throws when it is not what was written */
function blockAt(bytes: Buffer, { offset, size }: Handle): Buffer {
  if (offset + size + TRAILER_BYTES > bytes.length) throw new Error("outside the table");
  const content = bytes.subarray(offset, offset + size);
  const type = bytes[offset + size];
  const crc = crc32c(bytes, offset, offset + size + 1);
  const masked = (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
  if (masked !== bytes.readUInt32LE(offset + size + 1)) throw new Error("wrong checksum");
  return type === SNAPPY ? unsnappy(content) : content;
}

/** The handles that an index holds: the values of its entries. */
function* handlesIn(block: Buffer): Generator<Handle> {
  const restarts = block.readUInt32LE(block.length - 4);
  const reader = new Reader(block.subarray(0, block.length - 4 * (restarts + 1)));
  while (!reader.atEnd) {
    reader.number();
    const keyBytes = reader.number();
    reader.number();
    reader.skip(keyBytes);
    yield reader.handle();
  }
}

/** Reads numbers of seven bits a byte. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error("cut off");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  handle(): Handle {
    return { offset: this.number(), size: this.number() };
  }
}

const CRC_TABLE = new Uint32Array(256).map((_, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** CRC-32C (Castagnoli), which Node does not have. */
function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0xffffffff;
  for (let at = from; at < to; at += 1) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ (bytes[at] as number)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
