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
import { brokenAnchor, keepFor, readableRange } from "../log/anchor.js";
import {
  type AnchorCounts,
  keptIn,
  linesOfAnchor,
  parseBase,
  parseCounts,
} from "../log/anchorLines.js";
import type { Head, ReadRange, Snapshot } from "../log/log.js";
import { sha256 } from "../log/sha256.js";
import type { TraceReader } from "./commits.js";

/** How many bytes of consecutive commits are read at a time. */
const CHUNK_BYTES = 1 << 20;

interface Found {
  readonly session: string;
  readonly head: Head;
  readonly counts: AnchorCounts | undefined;
  /** Where the line begins that has its fold at the cut, if it was cut, and where what may be that line ends. */
  readonly base: { readonly begin: number; end: number };
  /** Where the lines of commits that were kept at the cut begin and end. */
  readonly kept: Map<number, readonly [begin: number, end: number]>;
  /** Where each commit's line begins, and where the last one ends; the first is the one after the cut. */
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
  const walk = new Walk();
  let [line, offset] = [0, 0];
  for await (const text of readLines(path)) {
    line++;
    const end = offset + Buffer.byteLength(text) + 1;
    if (walk.done) found.push(walk.begin(headerOf(text, line), end));
    else walk.take(text, line, offset, end);
    offset = end;
  }
  if (!walk.done) throw new ImportBroken(line + 1, `${walk.left} lines are missing`);
  if (found.length === 0) throw new ImportBroken(1, "there is no session in it");
  return found;
}

/** Goes over the lines of one session after the other, and notes where they are. */
class Walk {
  private found: Found | undefined;
  private chain = new ChainWalk("", EMPTY_HEAD);
  /** How many of its lines are still to come: first those of its cut, then its commits. */
  left = 0;

  get done(): boolean {
    return this.left === 0;
  }

  begin(header: Header, end: number): Found {
    const { session, head, counts } = header;
    this.chain = new ChainWalk(session, counts ?? EMPTY_HEAD);
    this.left = linesOfAnchor(counts) + head.position - (counts?.position ?? 0);
    this.found = { ...header, base: { begin: end, end }, kept: new Map(), offsets: [] };
    return this.found;
  }

  take(text: string, line: number, begin: number, end: number): void {
    const { found } = this;
    if (found === undefined) return;
    const { counts, head, offsets } = found;
    const commits = head.position - (counts?.position ?? 0);
    const toCome = this.left - commits;
    this.left--;
    if (counts !== undefined && toCome > 0) {
      return this.takeOfCut(found, counts, toCome, text, line, [begin, end]);
    }
    const position = (counts?.position ?? 0) + Math.max(1, offsets.length);
    this.chain.link({ position, text });
    if (offsets.length === 0) offsets.push(begin);
    offsets.push(end);
    if (this.left === 0 && this.chain.at.hash !== head.hash) {
      throw new ImportBroken(line, "it is not the record that the export ended with");
    }
  }

  private takeOfCut(
    { session, kept, base }: Found,
    counts: AnchorCounts,
    toCome: number,
    text: string,
    line: number,
    place: readonly [number, number],
  ): void {
    if (toCome === linesOfAnchor(counts)) {
      base.end = place[1];
      if (parseBase(text, counts) !== undefined) return;
      throw new ImportBroken(line, "it should be what was folded up to the cut");
    }
    // The keys come last; nothing of them is asked of an export that is read.
    if (toCome <= counts.keys) return;
    const stored = keptIn(text);
    keepFor(session, counts, new Map(), stored);
    kept.set(stored.position, place);
  }
}

type Header = Pick<Found, "session" | "head" | "counts">;

function headerOf(text: string, line: number): Header {
  try {
    const header = JSON.parse(text) as Partial<
      Record<"dovecote" | "format" | "session" | "anchor", unknown>
    > & {
      readonly head?: Head;
    };
    const { dovecote, format, session, head, anchor } = header;
    const isWhole = typeof session === "string" && Number.isSafeInteger(head?.position);
    const counts = anchor === undefined ? undefined : parseCounts(anchor);
    if (dovecote === "session" && format === 1 && isWhole && head !== undefined) {
      if (counts !== null) return { session, head, counts };
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

  anchor(): ReturnType<TraceReader["anchor"]> {
    const { counts, base, session } = this.found;
    if (counts === undefined) return undefined;
    const { position, hash, epoch } = counts;
    const read = async (): Promise<Snapshot> => {
      const found = parseBase(await this.text(base.begin, base.end), counts);
      if (found !== undefined) return found;
      throw brokenAnchor(session, position, "what was folded up to it can't be read");
    };
    return { position, hash, epoch, base: read };
  }

  async get(position: number): Promise<Commit | undefined> {
    const kept = this.found.kept.get(position);
    if (kept !== undefined) {
      return decodeCommit(await this.text(...kept), { session: this.session, position }, sha256);
    }
    if (position <= this.begin) return undefined;
    for await (const commit of this.read({ from: position, to: position })) return commit;
    return undefined;
  }

  async *read(range: ReadRange = {}): AsyncGenerator<Commit> {
    const { counts } = this.found;
    const { from, to } = readableRange(this.session, range, counts, this.head().position);
    for (let first = from; first <= to;) {
      const until = this.chunkEnd(first, to);
      const lines = (await this.text(this.offset(first), this.offset(until))).split("\n");
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
    return this.found.offsets[position - this.begin - 1] ?? 0;
  }

  private get begin(): number {
    return this.found.counts?.position ?? 0;
  }

  /** What stands in a part of the file, without the newline at its end. */
  private async text(begin: number, end: number): Promise<string> {
    try {
      const file = await open(this.path, "r");
      try {
        const { buffer } = await file.read(Buffer.alloc(end - begin), 0, end - begin, begin);
        return buffer.toString("utf8", 0, end - begin - 1);
      } finally {
        await file.close();
      }
    } catch (error) {
      throw unavailable(`${this.path} can't be read`, error);
    }
  }
}
