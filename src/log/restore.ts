/**
 * Making a session of a store out of records that another log wrote, byte for byte. While that goes on, a mark stands in
 * its head's place, so that a session which was cut off in the middle is no session, and no damage either.
 */
import { LogUnavailable } from "../errors.js";
import { encodeAnchor, encodeAnswer, keepFor, type StoredAnchor } from "./anchor.js";
import { ChainWalk, EMPTY_HEAD } from "./chain.js";
import type { GroupWriter } from "./groupWriter.js";
import {
  anchorKey,
  commitKey,
  headKey,
  prefixOf,
  requestKey,
  snapshotKey,
  UNFINISHED_HEAD,
} from "./keys.js";
import type { Anchor, Head, StoredCommit } from "./log.js";
import { encodeSnapshot } from "./snapshots.js";
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
  anchor?: Anchor,
): Promise<Head> {
  await clearSession(store, writer, session);
  await write(writer, [{ key: headKey(session), value: UNFINISHED_HEAD }]);
  try {
    const batches = new Batches(writer);
    const begin = anchor && (await writeAnchored(batches, session, anchor));
    const head = await writeRecords(batches, session, records, begin);
    if (begin !== undefined) await batches.add(anchorKey(session), encodeAnchor(begin));
    await batches.end(headKey(session), head.position === 0 ? undefined : encodeHead(head));
    return head;
  } catch (error) {
    // Where even this fails, the mark stays, and the next one to come clears what is left.
    await clearSession(store, writer, session).catch(() => undefined);
    throw error;
  }
}

/** What a cut log has of the commits that are gone; in the order in which an export gives it. */
async function writeAnchored(
  batches: Batches,
  session: string,
  anchor: Anchor,
): Promise<StoredAnchor> {
  const { position, hash, epoch } = anchor;
  await batches.add(snapshotKey(session, position), encodeSnapshot(await anchor.base()));
  const kept = new Map<number, string>();
  for await (const stored of anchor.kept()) {
    const commit = keepFor(session, anchor, kept, stored);
    await batches.add(commitKey(session, stored.position), stored.text);
    for (const key of Object.keys(commit.keys ?? {})) {
      await batches.add(requestKey(session, key), String(stored.position));
    }
  }
  for await (const answer of anchor.keys()) {
    await batches.add(requestKey(session, answer.key), encodeAnswer(answer));
  }
  return { position, hash, epoch, kept, swept: true };
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
  await write(writer, [
    { key: anchorKey(session), value: undefined },
    { key: headKey(session), value: undefined },
  ]);
}

async function writeRecords(
  batches: Batches,
  session: string,
  records: AsyncIterable<StoredCommit>,
  begin: Head = EMPTY_HEAD,
): Promise<Head> {
  const walk = new ChainWalk(session, begin);
  for await (const stored of records) {
    const { keys } = walk.commit(stored);
    await batches.add(commitKey(session, stored.position), stored.text);
    for (const key of Object.keys(keys ?? {})) {
      await batches.add(requestKey(session, key), String(stored.position));
    }
  }
  return walk.at;
}

/** Writes many changes, as many at a time as fit. */
class Batches {
  readonly #writer: GroupWriter;
  #changes: Change[] = [];
  #units = 0;

  constructor(writer: GroupWriter) {
    this.#writer = writer;
  }

  async add(key: string, value: string): Promise<void> {
    this.#changes.push({ key, value });
    this.#units += value.length;
    if (this.#units >= BATCH_UNITS) await this.#flush();
  }

  /** Writes what is left together with a last change. */
  async end(key: string, value: string | undefined): Promise<void> {
    this.#changes.push({ key, value });
    await this.#flush();
  }

  async #flush(): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    this.#units = 0;
    await write(this.#writer, changes);
  }
}

async function write(writer: GroupWriter, changes: readonly Change[]): Promise<void> {
  const outcome = await writer.write(changes);
  if (outcome.kind === "written") return;
  const cause = "cause" in outcome ? outcome.cause : undefined;
  throw new LogUnavailable("The session could not be restored: a write failed.", { cause });
}
