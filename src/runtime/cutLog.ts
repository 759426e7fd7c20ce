/**
 * Retention: cutting the log of a session that nobody has open. What came before the cut is folded, and the fold takes
 * its place; what is still needed of it stays.
 */
import { BadArgument } from "../errors.js";
import { plainHost } from "../kernel/state.js";
import { inspectFolder, realFolder } from "../log/folder.js";
import { levelLog } from "../log/levelLog.js";
import type { EventLog, SessionLog } from "../log/log.js";
import { ProjectionRunner } from "../projections/runner.js";
import { foldOn, resume } from "./foldLog.js";
import { neededCommits } from "./needed.js";
import { checkLog } from "./options.js";
import { type BuiltIn, builtIn } from "./projections.js";
import { encodeFolded, readBase, withoutCut } from "./snapshots.js";

/** Where to cut. */
export interface CutOptions {
  /** `main` unless given. */
  readonly session?: string;
  /** The first commit that stays: from 2 up to the newest one. */
  readonly before: number;
}

/** What was cut. */
export interface CutReport {
  readonly session: string;
  /** The last commit that was cut: the log begins after it. 0 when nothing ever was. */
  readonly anchor: number;
  /** How many commits this cut took away. */
  readonly cut: number;
  /** How many older ones are kept, because unread mail, a live turn or an agent's newest result needs them. */
  readonly kept: number;
}

/**
 * Cuts away the commits of a session before one of them (S6). Unread mail, live turns, results and idempotency keys stay
 * as they are; transcripts say what was cut, and replay begins after it. All that is to go is read and verified first.
 * A process that is killed leaves the log whole or cut, never in between.
 *
 * @throws BadArgument when there is no such session or commit; LogInUse while anybody has it open (L5); LogCorrupt,
 * LogFormatError, NotALog, LogUnavailable.
 * @example const { kept } = await cutLog("./data", { session: "review-42", before: 10_000 })
 */
export async function cutLog(log: string | EventLog, options: CutOptions): Promise<CutReport> {
  checkLog(log);
  const own = typeof log === "string" ? await existingLog(log) : null;
  let session: SessionLog | undefined;
  try {
    session = await (own ?? (log as EventLog)).openSession(options.session ?? "main");
    return await cutSession(session, options.before);
  } finally {
    await session?.close();
    await own?.close();
  }
}

/** A cut makes no log. */
async function existingLog(path: string): Promise<EventLog> {
  const log = levelLog(path);
  if ((await inspectFolder(await realFolder(path))) === "new") {
    throw new BadArgument(`There is no log in ${path}.`, "S6");
  }
  return log;
}

async function cutSession(session: SessionLog, before: number): Promise<CutReport> {
  const { position: last } = session.head();
  if (!Number.isSafeInteger(before) || before < 2 || before > last) {
    throw new BadArgument(
      `The first commit that stays is one of 2 to ${last}, not ${String(before)}; session "${session.session}" has ${last} commits.`,
      "S6",
    );
  }
  const anchor = session.anchor();
  const from = anchor?.position ?? 0;
  const to = before - 1;
  const { session: name } = session;
  if (to <= from) return { session: name, anchor: from, cut: 0, kept: await keptOf(session) };
  const runner = new ProjectionRunner<BuiltIn>(builtIn);
  // No snapshot is taken: all that goes is read and verified once more, so that no damage goes unseen with it (L3).
  const base = anchor && (await readBase(name, anchor));
  const start = resume(base, plainHost([]), runner);
  const { state, hash } = await foldOn(session, start, runner, to);
  const keep = await neededCommits(session, state, runner.confirmed("unread"));
  const projections: Record<string, unknown> = {};
  for (const one of runner.names) projections[one] = runner.confirmed(one);
  const { durable, volatile } = state;
  const folded = withoutCut({ position: to, durable, volatile, projections }, to);
  const keptBefore = await keptOf(session);
  await session.cut(encodeFolded(folded, hash), keep);
  return {
    session: name,
    anchor: to,
    cut: to - from + keptBefore - keep.length,
    kept: keep.length,
  };
}

async function keptOf(session: SessionLog): Promise<number> {
  let kept = 0;
  for await (const _ of session.anchor()?.kept() ?? []) kept++;
  return kept;
}
