/**
 * One session of an export, read where it lies: of a file of any length only the places of its commits are kept.
 */
import { open } from "node:fs/promises";
import { BadArgument, ImportBroken } from "../errors.js";
import { decodeCommit } from "../events/codec.js";
import type { Commit } from "../events/commit.js";
import { ChainWalk, EMPTY_HEAD } from "../log/chain.js";
import { unavailable } from "../log/files.js";
import { readLines } from "../log/lines.js";
import type { Head, ReadRange } from "../log/log.js";
import { sha256 } from "../log/sha256.js";
import type { TraceReader } from "./commits.js";

/** How many bytes of consecutive commits are read at a time. */
const CHUNK_BYTES = 1 << 20;

interface Found {
  readonly session: string;
  readonly head: Head;
  /** Where each commit's line begins, and where the last one ends. */
  readonly offsets: number[];
}

/**
 * Opens a session of an export; the only one unless it is named. Every line of it is checked on the way.
 *
 * @throws ImportBroken, which names the line; LogCorrupt; BadArgument when there is no such session; LogUnavailable.
 */
export async function openLines(path: string, id?: string): Promise<TraceReader> {
  const found = await findSessions(path);
  const one = id === undefined ? found[0] : found.find(({ session }) => session === id);
  if (one === undefined || (id === undefined && found.length > 1)) {
    const have = found.map(({ session }) => session).join(", ");
    throw new BadArgument(`${path} has the sessions ${have}. Name one of them.`, "R3");
  }
  return new LinesReader(path, one);
}

async function findSessions(path: string): Promise<readonly Found[]> {
  const found: Found[] = [];
  let walk = new ChainWalk("", EMPTY_HEAD);
  let [line, offset, left] = [0, 0, 0];
  for await (const text of readLines(path)) {
    line++;
    const end = offset + Buffer.byteLength(text) + 1;
    const session = found.at(-1);
    if (session === undefined || left === 0) {
      const header = headerOf(text, line);
      found.push({ ...header, offsets: [end] });
      walk = new ChainWalk(header.session, EMPTY_HEAD);
      left = header.head.position;
    } else {
      walk.link({ position: session.offsets.length, text });
      session.offsets.push(end);
      left--;
      if (left === 0 && walk.at.hash !== session.head.hash) {
        throw new ImportBroken(line, "it is not the record that the export ended with");
      }
    }
    offset = end;
  }
  if (left > 0) throw new ImportBroken(line + 1, `${left} commits are missing`);
  if (found.length === 0) throw new ImportBroken(1, "there is no session in it");
  return found;
}

function headerOf(text: string, line: number): Pick<Found, "session" | "head"> {
  try {
    const header = JSON.parse(text) as Partial<
      Record<"dovecote" | "format" | "session", unknown>
    > & {
      readonly head?: Head;
    };
    const { dovecote, format, session, head } = header;
    const isWhole = typeof session === "string" && Number.isSafeInteger(head?.position);
    if (dovecote === "session" && format === 1 && isWhole && head !== undefined) {
      return { session, head };
    }
  } catch {
    // Said below: what is no JSON is no header either.
  }
  throw new ImportBroken(line, "it should say which session follows");
}

/** See the module header. */
class LinesReader implements TraceReader {
  readonly session: string;
  private readonly path: string;
  private readonly found: Found;

  constructor(path: string, found: Found) {
    this.path = path;
    this.found = found;
    this.session = found.session;
  }

  head(): Head {
    return this.found.head;
  }

  async get(position: number): Promise<Commit | undefined> {
    for await (const commit of this.read({ from: position, to: position })) return commit;
    return undefined;
  }

  async *read({ from = 1, to = this.head().position }: ReadRange = {}): AsyncGenerator<Commit> {
    const last = Math.min(to, this.head().position);
    for (let first = Math.max(from, 1); first <= last;) {
      const until = this.chunkEnd(first, last);
      const bytes = await this.bytes(first, until);
      const lines = bytes.toString("utf8").split("\n");
      for (let position = first; position < until; position++) {
        const place = { session: this.session, position };
        yield decodeCommit(lines[position - first] ?? "", place, sha256);
      }
      first = until;
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The first commit that is not read in the same go. */
  private chunkEnd(first: number, last: number): number {
    const begin = this.offset(first);
    let until = first + 1;
    while (until <= last && this.offset(until + 1) - begin <= CHUNK_BYTES) until++;
    return until;
  }

  private offset(position: number): number {
    return this.found.offsets[position - 1] ?? 0;
  }

  private async bytes(first: number, until: number): Promise<Buffer> {
    const [begin, end] = [this.offset(first), this.offset(until)];
    try {
      const file = await open(this.path, "r");
      try {
        const { buffer } = await file.read(Buffer.alloc(end - begin), 0, end - begin, begin);
        return buffer;
      } finally {
        await file.close();
      }
    } catch (error) {
      throw unavailable(`${this.path} can't be read`, error);
    }
  }
}
