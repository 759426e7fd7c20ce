/**
 * Where a trace comes from: a folder, an export, a log, a session's reader, or commits at hand. Nothing that is opened
 * here can write.
 */
import { stat } from "node:fs/promises";
import { BadArgument } from "../errors.js";
import { readLevelLog } from "../log/levelLog.js";
import type { CommitLike } from "../kernel/invariants/judge.js";
import type { EventLog, SessionReader } from "../log/log.js";
import { type TraceReader, readCommits } from "./commits.js";
import { openLines } from "./linesReader.js";

/**
 * A LevelDB folder (read from a copy), the file of an export, any log, a reader of one session, or the commits of a run
 * that was never on a log: a fork's, or those that a schedule token stands for.
 */
export type TraceSource = string | EventLog | SessionReader | Iterable<CommitLike>;

/** A reader, and how to let go of what was opened for it. */
export interface OpenSource {
  readonly reader: TraceReader;
  readonly close: () => Promise<void>;
}

/**
 * Opens a source for reading. Without an `id` the one session of the log is taken.
 *
 * @throws BadArgument when there is no such session, or several and none was named; LogInUse while a session has the
 * folder open, for its files change under whoever copies them; LogCorrupt, NotALog, ImportBroken.
 */
export async function openSource(source: TraceSource, id?: string): Promise<OpenSource> {
  const reader = await readerOf(source, id);
  return reader === undefined
    ? openLog(source as string | EventLog, id)
    : { reader, close: () => Promise.resolve() };
}

/** A source that is read as it is; `undefined` for one that has a log to open first. */
async function readerOf(source: TraceSource, id?: string): Promise<TraceReader | undefined> {
  if (typeof source === "string") {
    const found = await stat(source).catch(() => undefined);
    return found?.isFile() === true ? openLines(source, id) : undefined;
  }
  if ("read" in source) return source;
  return Symbol.iterator in source ? readCommits(source) : undefined;
}

async function openLog(source: string | EventLog, id?: string): Promise<OpenSource> {
  const own = typeof source === "string" ? readLevelLog(source) : null;
  const log = own ?? (source as EventLog);
  try {
    const session = id ?? (await onlySession(log));
    const reader = await log.readSession(session);
    if (reader === undefined) {
      throw new BadArgument(`There is no session ${JSON.stringify(session)} in ${log.name}.`, "R3");
    }
    const close = async (): Promise<void> => {
      await reader.close();
      await own?.close();
    };
    return { reader, close };
  } catch (error) {
    await own?.close();
    throw error;
  }
}

async function onlySession(log: EventLog): Promise<string> {
  const sessions = await log.sessions();
  const [only] = sessions;
  if (only !== undefined && sessions.length === 1) return only;
  const have = sessions.length === 0 ? "no session" : `the sessions ${sessions.join(", ")}`;
  throw new BadArgument(`${log.name} has ${have}. Name one.`, "R3");
}
