/**
 * Making a session of a store out of records that another log wrote, byte for byte. While that goes on, a mark stands in
 * its head's place, so that a session which was cut off in the middle is no session, and no damage either.
 */
import { LogUnavailable } from "../errors.js";
import { ChainWalk, EMPTY_HEAD } from "./chain.js";
import type { GroupWriter } from "./groupWriter.js";
import { commitKey, headKey, prefixOf, requestKey, UNFINISHED_HEAD } from "./keys.js";
import type { Head, StoredCommit } from "./log.js";
import type { Change, Store } from "./store.js";
import { encodeHead } from "./streamCheck.js";

/** How much is written at a time, in UTF-16 code units. */
const BATCH_UNITS = 4 << 20;

/**
 * Writes records as a new session, checked one by one; all of them or none.
 *
 * @throws LogCorrupt, LogFormatError, LogUnavailable, or what `records` throws.
 */
export async function restoreSession(
  store: Store,
  writer: GroupWriter,
  session: string,
  records: AsyncIterable<StoredCommit>,
): Promise<Head> {
  await clearSession(store, writer, session);
  await write(writer, [{ key: headKey(session), value: UNFINISHED_HEAD }]);
  try {
    const { head, changes } = await writeRecords(writer, session, records);
    const value = head.position === 0 ? undefined : encodeHead(head);
    await write(writer, [...changes, { key: headKey(session), value }]);
    return head;
  } catch (error) {
    // Where even this fails, the mark stays, and the next one to come clears what is left.
    await clearSession(store, writer, session).catch(() => undefined);
    throw error;
  }
}

/** Removes all that a store holds of a session; its head goes last. */
export async function clearSession(
  store: Store,
  writer: GroupWriter,
  session: string,
): Promise<void> {
  for (const kind of ["c", "s", "x"] as const) {
    const start = prefixOf(kind, session);
    for await (const batch of store.scan({ gte: start, lt: `${start.slice(0, -1)}0` })) {
      await write(
        writer,
        batch.map(([key]) => ({ key, value: undefined })),
      );
    }
  }
  await write(writer, [{ key: headKey(session), value: undefined }]);
}

async function writeRecords(
  writer: GroupWriter,
  session: string,
  records: AsyncIterable<StoredCommit>,
): Promise<{ readonly head: Head; readonly changes: readonly Change[] }> {
  const walk = new ChainWalk(session, EMPTY_HEAD);
  let changes: Change[] = [];
  let units = 0;
  for await (const stored of records) {
    const { keys } = walk.commit(stored);
    changes.push({ key: commitKey(session, stored.position), value: stored.text });
    for (const key of Object.keys(keys ?? {})) {
      changes.push({ key: requestKey(session, key), value: String(stored.position) });
    }
    units += stored.text.length;
    if (units < BATCH_UNITS) continue;
    await write(writer, changes);
    changes = [];
    units = 0;
  }
  return { head: walk.at, changes };
}

async function write(writer: GroupWriter, changes: readonly Change[]): Promise<void> {
  const outcome = await writer.write(changes);
  if (outcome.kind === "written") return;
  const cause = "cause" in outcome ? outcome.cause : undefined;
  throw new LogUnavailable("The session could not be restored: a write failed.", { cause });
}
