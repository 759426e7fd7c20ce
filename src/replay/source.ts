/**
 * Where a trace comes from: a folder, a log, or a session's reader. Nothing that is opened here can write.
 */
import { BadArgument } from "../errors.js";
import { readLevelLog } from "../log/levelLog.js";
import type { EventLog, SessionReader } from "../log/log.js";

/** A LevelDB folder (read from a copy), any log, or a reader of one session. */
export type TraceSource = string | EventLog | SessionReader;

/** A reader, and how to let go of what was opened for it. */
export interface OpenSource {
  readonly reader: SessionReader;
  readonly close: () => Promise<void>;
}

/**
 * Opens a source for reading. Without an `id` the one session of the log is taken.
 *
 * @throws BadArgument when there is no such session, or several and none was named; LogInUse, LogCorrupt, NotALog.
 */
export async function openSource(source: TraceSource, id?: string): Promise<OpenSource> {
  if (typeof source !== "string" && "read" in source) {
    return { reader: source, close: () => Promise.resolve() };
  }
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
