/**
 * Reading a log to find out whether it is whole: every hash, every link, every event's form. Works on any log, through
 * the port alone. What it finds is a report and not a throw, so that the damage of one session hides no other's.
 */
import { DovecoteError } from "../errors.js";
import { drainAnchor } from "./anchorLines.js";
import type { EventLog, Head, SessionReader } from "./log.js";

/** How far a verification has come. */
export interface VerifyProgress {
  readonly session: string;
  readonly position: number;
  /** The position it goes up to. */
  readonly of: number;
}

/** What to verify. */
export interface VerifyOptions {
  /** From the first commit on (unless given), or only what follows the newest snapshot, as an opening does. */
  readonly from?: "start" | "snapshot";
  /** Called now and then, and at the end of each session. */
  readonly onProgress?: (progress: VerifyProgress) => void;
}

/** What was found in one session. */
export interface SessionReport {
  readonly session: string;
  /** The first commit that was looked at: 1 for the whole session, more where it was cut. */
  readonly from: number;
  /** The last commit that retention cut; what was kept of those before was looked at too. */
  readonly cut?: number;
  /** How many commits and events were found whole, one after the other. */
  readonly commits: number;
  readonly events: number;
  /** Where the session ends, as far as that is known. */
  readonly head: Head;
  readonly ok: boolean;
  /** What was met, where it is not whole: LogCorrupt, TailLost or LogFormatError. */
  readonly error?: DovecoteError;
}

/** What was found in a log. */
export interface LogReport {
  readonly ok: boolean;
  /** One for each session, sorted by name. */
  readonly sessions: readonly SessionReport[];
}

const PROGRESS_EVERY = 1000;
const NOWHERE: Head = { position: 0, hash: "", epoch: 0 };

/**
 * Verifies one session (L3).
 *
 * @throws LogUnavailable when it can't be read; damage is in the report.
 */
export async function verifySession(
  reader: SessionReader,
  options: VerifyOptions = {},
): Promise<SessionReport> {
  const { session } = reader;
  const head = reader.head();
  const anchor = reader.anchor();
  const begin = anchor?.position ?? 0;
  const from = await firstOf(reader, options, begin + 1);
  let [commits, events] = [0, 0];
  const report = (ok: boolean): SessionReport => {
    const found = { session, from, commits, events, head, ok };
    return anchor === undefined ? found : { ...found, cut: begin };
  };
  try {
    if (anchor !== undefined && options.from !== "snapshot") await drainAnchor(anchor);
    for await (const commit of reader.read({ from, to: head.position })) {
      commits += 1;
      events += commit.events.length;
      if (commits % PROGRESS_EVERY === 0 || commit.n === head.position) {
        options.onProgress?.({ session, position: commit.n, of: head.position });
      }
    }
    return report(true);
  } catch (error) {
    return { ...report(false), error: damageOf(error) };
  }
}

/**
 * Verifies every session of a log (L3).
 *
 * @throws LogInUse, NotALog, LogUnavailable, and LogCorrupt or LogFormatError for what concerns the whole folder.
 * @example
 * const log = readLevelLog("./data");
 * const { ok, sessions } = await verifyLog(log);
 * for (const { session, error } of sessions) if (error !== undefined) console.error(session, error.message);
 */
export async function verifyLog(log: EventLog, options: VerifyOptions = {}): Promise<LogReport> {
  if (options.from !== "snapshot") await log.check?.();
  const sessions: SessionReport[] = [];
  for (const session of await log.sessions()) {
    sessions.push(await verifyNamed(log, session, options));
  }
  return { ok: sessions.every(({ ok }) => ok), sessions };
}

async function verifyNamed(
  log: EventLog,
  session: string,
  options: VerifyOptions,
): Promise<SessionReport> {
  let reader: SessionReader | undefined;
  try {
    reader = await log.readSession(session);
    if (reader !== undefined) return await verifySession(reader, options);
    return { session, from: 1, commits: 0, events: 0, head: NOWHERE, ok: true };
  } catch (error) {
    const found = { session, from: 1, commits: 0, events: 0, head: NOWHERE };
    return { ...found, ok: false, error: damageOf(error) };
  } finally {
    await reader?.close();
  }
}

async function firstOf(
  reader: SessionReader,
  options: VerifyOptions,
  first: number,
): Promise<number> {
  if (options.from !== "snapshot") return first;
  const snapshot = await reader.loadSnapshot(undefined);
  return snapshot === undefined ? first : snapshot.position + 1;
}

const DAMAGE: ReadonlySet<string> = new Set(["log-corrupt", "log-tail-lost", "log-format"]);

/** Damage is what is being looked for; anything else keeps the log from being looked at. */
function damageOf(error: unknown): DovecoteError {
  if (error instanceof DovecoteError && DAMAGE.has(error.code)) return error;
  throw error;
}
