/**
 * Export and import: a log as lines of JSON. A session is one line that says what follows, and then its records as they
 * are stored, byte for byte, one a line; so an import ends with the same hash, and fields that this version does not
 * know go along. Nothing of it is held in memory but the line at hand.
 */
import { BadArgument } from "../errors.js";
import {
  type AnchorCounts,
  countAnchor,
  drainAnchor,
  exportAnchor,
  importAnchor,
  parseCounts,
} from "./anchorLines.js";
import { ChainWalk, EMPTY_HEAD } from "./chain.js";
import { parseJson } from "./folder.js";
import { checkSessionId } from "./keys.js";
import type { EventLog, Head, SessionReader, StoredCommit } from "./log.js";
import { Numbered } from "./numberedLines.js";

/** Version of the lines (L4). */
const LINES_FORMAT = 1;
const PROGRESS_EVERY = 1000;

/** How far an export or an import has come. */
export interface TransferProgress {
  readonly session: string;
  readonly position: number;
  readonly of: number;
}

/** What is common to exports and imports. */
export interface TransferOptions {
  /** Called now and then, and at the end of each session. */
  readonly onProgress?: (progress: TransferProgress) => void;
}

/** What to export. */
export interface ExportOptions extends TransferOptions {
  /** All sessions of the log unless given. */
  readonly sessions?: readonly string[];
}

/** A session that was imported. */
export interface Imported {
  readonly session: string;
  readonly head: Head;
}

/** Gives the lines from the first one on; it is called twice. */
export type Lines = () => AsyncIterable<string> | Iterable<string>;

interface Header {
  readonly session: string;
  readonly head: Head;
  /** Where it was cut. */
  readonly anchor: AnchorCounts | undefined;
}

/**
 * A log as lines, without the newline at their ends (L4). Each record is checked on the way.
 *
 * @throws BadArgument when a session that was named is not there; LogCorrupt, LogFormatError, LogUnavailable.
 * @example for await (const line of exportLog(log)) out.write(`${line}\n`)
 */
export async function* exportLog(
  log: EventLog,
  options: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  for (const session of options.sessions ?? (await log.sessions())) {
    const reader = await log.readSession(session);
    if (reader === undefined) {
      throw new BadArgument(`There is no session ${JSON.stringify(session)} in ${log.name}.`);
    }
    try {
      yield* exportSession(reader, options);
    } finally {
      await reader.close();
    }
  }
}

async function* exportSession(
  reader: SessionReader,
  options: TransferOptions,
): AsyncGenerator<string, void, undefined> {
  const { session } = reader;
  const head = reader.head();
  const anchor = reader.anchor();
  const begin = anchor === undefined ? {} : { anchor: await countAnchor(anchor) };
  yield JSON.stringify({ dovecote: "session", format: LINES_FORMAT, session, head, ...begin });
  if (anchor !== undefined) yield* exportAnchor(anchor);
  const from = (anchor?.position ?? 0) + 1;
  for await (const { position, text } of reader.records({ from, to: head.position })) {
    yield text;
    report(options, { session, position, of: head.position });
  }
}

/**
 * Brings exported sessions into a log (L4). All lines are read and checked first, so that nothing at all is written when
 * one of them is broken; then they are read again and written, each session whole or not at all.
 *
 * @throws ImportBroken, which names the line; BadArgument when a session is there already; LogInUse, LogUnavailable.
 * @example await importLog(levelLog("./new"), () => readLines("./old.jsonl"))
 */
export async function importLog(
  log: EventLog,
  lines: Lines,
  options: TransferOptions = {},
): Promise<readonly Imported[]> {
  const found = await check(lines);
  const there = new Set(await log.sessions());
  for (const { session } of found) {
    if (!there.has(session)) continue;
    throw new BadArgument(
      `There is a session ${JSON.stringify(session)} in ${log.name} already. Import into a log that has none of that name.`,
    );
  }
  const reading = new Numbered(lines());
  const imported: Imported[] = [];
  for (let header = await nextHeader(reading); header !== undefined;) {
    const { session, head } = header;
    const anchor = header.anchor && importAnchor(reading, session, header.anchor);
    await log.restore(session, recordsOf(reading, header, options), anchor);
    imported.push({ session, head });
    header = await nextHeader(reading);
  }
  return imported;
}

/** Reads all lines and believes none. */
async function check(lines: Lines): Promise<readonly Header[]> {
  const reading = new Numbered(lines());
  const found = new Map<string, Header>();
  for (let header = await nextHeader(reading); header !== undefined;) {
    if (found.has(header.session)) throw reading.broken("its session was there before");
    found.set(header.session, header);
    const { anchor } = header;
    if (anchor !== undefined) await drainAnchor(importAnchor(reading, header.session, anchor));
    const walk = new ChainWalk(header.session, anchor ?? EMPTY_HEAD);
    for await (const stored of recordsOf(reading, header, {}))
      reading.mustHold(() => walk.commit(stored));
    const { hash } = walk.at;
    if (hash !== header.head.hash)
      throw reading.broken("it is not the record that the export ended with");
    header = await nextHeader(reading);
  }
  if (found.size === 0) throw reading.broken("there is no session in it");
  return [...found.values()];
}

async function nextHeader(reading: Numbered): Promise<Header | undefined> {
  const line = await reading.next();
  if (line === undefined) return undefined;
  const { dovecote, format, session, head, anchor } = parseJson(line);
  if (dovecote !== "session") throw reading.broken("it should say which session follows");
  if (format !== LINES_FORMAT) {
    throw reading.broken(
      `it is of format ${String(format)}, and this dovecote reads ${LINES_FORMAT}`,
    );
  }
  reading.mustHold(() => checkSessionId(session));
  const { position, hash, epoch } = (head ?? {}) as Partial<Record<keyof Head, unknown>>;
  if (!Number.isSafeInteger(position) || typeof hash !== "string" || !Number.isSafeInteger(epoch)) {
    throw reading.broken("its head is malformed");
  }
  const counts = anchor === undefined ? undefined : parseCounts(anchor);
  if (counts === null || (counts !== undefined && counts.position > (position as number))) {
    throw reading.broken("what it says of a cut is malformed");
  }
  return {
    session: session as string,
    head: { position, hash, epoch } as Head,
    anchor: counts,
  };
}

async function* recordsOf(
  reading: Numbered,
  { session, head, anchor }: Header,
  options: TransferOptions,
): AsyncGenerator<StoredCommit, void, undefined> {
  for (let position = (anchor?.position ?? 0) + 1; position <= head.position; position += 1) {
    const text = await reading.next();
    if (text === undefined)
      throw reading.broken(`commit ${position} of ${head.position} is missing`);
    yield { position, text };
    report(options, { session, position, of: head.position });
  }
}

function report(options: TransferOptions, progress: TransferProgress): void {
  const { position, of } = progress;
  if (position % PROGRESS_EVERY === 0 || position === of) options.onProgress?.(progress);
}
