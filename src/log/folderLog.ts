/**
 * A log in a folder: many sessions over one ordered store. Opens at its first use, hands out leases, and gives
 * everything back when it is closed. Knows the store only through its seam.
 */
import { LogInUse } from "../errors.js";
import { checkSessionId } from "./keys.js";
import { alreadyThere } from "./chain.js";
import type { Anchor, EventLog, Head, SessionLog, SessionReader, StoredCommit } from "./log.js";
import { failedLog, readOnlyLog, type OpenedFolder } from "./openFolder.js";
import { sweep } from "./cut.js";
import { closedLog, StoredReader, StoredSession } from "./storedSession.js";
import { sessionsOf } from "./storeFormat.js";
import { clearSession, restoreSession } from "./restore.js";
import { findEnds, isUnfinished, verifyRecent } from "./streamCheck.js";

/** A log over a folder that `open` opens (L5, L8). */
export class FolderLog implements EventLog {
  readonly name: string;
  readonly #open: (asked?: string) => Promise<OpenedFolder>;
  #folder: Promise<OpenedFolder> | undefined;
  #closing: Promise<void> | undefined;
  readonly #readers = new Set<StoredReader>();
  /** Sessions that are held, or about to be. */
  readonly #leases = new Map<string, StoredSession | "opening">();
  /** The last epoch given out for a session in this run. */
  readonly #epochs = new Map<string, number>();

  /** @param open is told which session it is for, where it is for one. */
  constructor(name: string, open: (asked?: string) => Promise<OpenedFolder>) {
    this.name = name;
    this.#open = open;
  }

  async sessions(): Promise<readonly string[]> {
    const { store, named } = await this.#opened();
    return sessionsOf(store, named());
  }

  async openSession(session: string): Promise<SessionLog> {
    checkSessionId(session);
    const { store, writing, confirmed } = await this.#opened(session);
    if (writing === undefined) throw readOnlyLog(this.name);
    if (writing.writer.failed) throw failedLog(this.name);
    if (this.#leases.has(session)) throw new LogInUse(`Session "${session}" of ${this.name}`);
    this.#leases.set(session, "opening");
    try {
      if (await isUnfinished(store, session)) await clearSession(store, writing.writer, session);
      const found = await findEnds(store, session, confirmed(session));
      await verifyRecent(store, session, found);
      const { writer } = writing;
      const { head } = found;
      const anchor =
        found.anchor?.swept === false
          ? await sweep({ store, writer, session }, found.anchor)
          : found.anchor;
      this.#check();
      const epoch = Math.max(head.epoch, this.#epochs.get(session) ?? 0) + 1;
      this.#epochs.set(session, epoch);
      const ends = { head, anchor };
      const opened = new StoredSession(session, store, ends, (reader) => this.#release(reader), {
        epoch,
        writer,
        confirm: (next) => writing.watermark.note(session, next),
        cut: (at) => {
          for (const one of this.#readers) if (one.session === session) one.wasCut(at);
        },
      });
      this.#leases.set(session, opened);
      this.#readers.add(opened);
      return opened;
    } catch (error) {
      this.#leases.delete(session);
      throw error;
    }
  }

  async readSession(session: string): Promise<SessionReader | undefined> {
    checkSessionId(session);
    const { store, confirmed } = await this.#opened();
    for (;;) {
      const lease = this.#leases.get(session);
      const epoch = this.#epochs.get(session);
      const ends =
        lease instanceof StoredSession
          ? lease.ends
          : await findEnds(store, session, confirmed(session)).catch((error: unknown) => {
              // A writer that came meanwhile moved the head between two looks at it: look again.
              if (this.#epochs.get(session) !== epoch) return undefined;
              throw error;
            });
      // A writer that came meanwhile may also have cut what these ends lead to.
      if (ends === undefined || this.#epochs.get(session) !== epoch) continue;
      this.#check();
      if (ends.head.position === 0) return undefined;
      const reader = new StoredReader(session, store, ends, (closed) => this.#release(closed));
      this.#readers.add(reader);
      return reader;
    }
  }

  async check(): Promise<void> {
    await (await this.#opened()).check();
  }

  async restore(
    session: string,
    records: AsyncIterable<StoredCommit>,
    anchor?: Anchor,
  ): Promise<Head> {
    checkSessionId(session);
    const { store, writing, confirmed } = await this.#opened(session);
    if (writing === undefined) throw readOnlyLog(this.name);
    if (this.#leases.has(session)) throw new LogInUse(`Session "${session}" of ${this.name}`);
    this.#leases.set(session, "opening");
    try {
      const there = await findEnds(store, session, confirmed(session));
      if (there.head.position > 0) throw alreadyThere(session);
      const head = await restoreSession(store, writing.writer, session, records, anchor);
      if (head.position > 0) writing.watermark.note(session, head);
      return head;
    } finally {
      this.#leases.delete(session);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const reader of this.#readers) await reader.close();
    const folder = await this.#folder?.catch(() => undefined);
    await folder?.close();
  }

  async #opened(asked?: string): Promise<OpenedFolder> {
    for (;;) {
      this.#check();
      const mine = this.#folder === undefined;
      const opening = (this.#folder ??= this.#open(asked));
      try {
        const folder = await opening;
        this.#check();
        return folder;
      } catch (error) {
        // What stood in the way may be gone at the next call.
        if (this.#folder === opening && this.#closing === undefined) this.#folder = undefined;
        // What stood in another caller's way, the damage of his session, need not stand in ours.
        if (mine || this.#closing !== undefined) throw error;
      }
    }
  }

  #release(reader: StoredReader): void {
    this.#readers.delete(reader);
    if (this.#leases.get(reader.session) === reader) this.#leases.delete(reader.session);
  }

  #check(): void {
    if (this.#closing !== undefined) throw closedLog();
  }
}
