/**
 * The rehearsal of an opening: on a copy, so that a folder which is refused is left as it was, to the byte (L3). A store
 * rewrites its files when it opens, also when what is found in it is then refused: what its journal held beside the
 * damage, and the tables that a damaged manifest does not name, would be gone.
 */
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DovecoteError } from "../errors.js";
import { isAsClosed, printOf } from "./closedMark.js";
import { codeOf, unavailable } from "./files.js";
import { copyStore, openCopied } from "./copyStore.js";
import type { OpenStore } from "./store.js";
import { sessionsOf } from "./storeFormat.js";
import { findHead, verifyRecent } from "./streamCheck.js";
import { Undo } from "./undo.js";
import type { Confirmed } from "./watermark.js";

/** Where the copy is while it is looked at: beside the tables, so that these are linked and not copied. */
const REHEARSAL = "dovecote.rehearsal";
/** How the folder is called that keeps the files of a damaged log as they were. */
const ASIDE = "dovecote.damaged-";

/**
 * Looks at a folder before its store is opened, unless it is as its last holder closed it. Damage of the whole folder,
 * or of the session that is asked for, refuses. Where others alone are damaged, the files are set aside first, for
 * opening will change them.
 *
 * @throws LogCorrupt, TailLost, LogFormatError; nothing in the folder was changed.
 */
export async function rehearse(
  folder: string,
  confirmed: ReadonlyMap<string, Confirmed>,
  asked: string | undefined,
  openStore: OpenStore,
): Promise<void> {
  const print = await printOf(folder);
  // Files that can't be told now are being changed by somebody: the store's lock will say so.
  if (print === undefined || (await isAsClosed(folder, print))) return;
  let damaged: ReadonlyMap<string, unknown>;
  try {
    damaged = await damageIn(folder, confirmed, openStore);
  } catch (error) {
    // Files that move while they are copied are somebody else's, who lost his mark: the store's lock will say so.
    if ((await printOf(folder)) !== print) return;
    throw error;
  }
  if (damaged.size === 0) return;
  if ((await printOf(folder)) !== print) return;
  if (asked !== undefined && damaged.has(asked)) throw damaged.get(asked);
  await setAside(folder, print);
}

/** Each damaged session with what is said of it. @throws what is wrong with the folder as a whole. */
async function damageIn(
  folder: string,
  confirmed: ReadonlyMap<string, Confirmed>,
  openStore: OpenStore,
): Promise<ReadonlyMap<string, unknown>> {
  const undo = new Undo();
  const damaged = new Map<string, unknown>();
  try {
    const store = await openCopied(folder, await freshFolder(folder), openStore, undo);
    for (const session of await sessionsOf(store, confirmed.keys())) {
      try {
        const head = await findHead(store, session, confirmed.get(session));
        await verifyRecent(store, session, head);
      } catch (error) {
        if (!(error instanceof DovecoteError) || error.code === "log-unavailable") throw error;
        damaged.set(session, error);
      }
    }
  } finally {
    await undo.run();
  }
  return damaged;
}

/** An empty folder for the copy; what a killed rehearsal left there goes. */
async function freshFolder(folder: string): Promise<string> {
  const copy = join(folder, REHEARSAL);
  try {
    await rm(copy, { recursive: true, force: true });
    await mkdir(copy);
    return copy;
  } catch (error) {
    throw unavailable(`${folder} can't be copied for a look at it`, error);
  }
}

/** Keeps the files as they are, in a folder of their own; once for each state of them. */
async function setAside(folder: string, print: string): Promise<void> {
  const aside = join(folder, `${ASIDE}${print.slice(0, 12)}`);
  const unfinished = `${aside}.new`;
  try {
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished);
    await copyStore(folder, unfinished);
    await rename(unfinished, aside).catch((error: unknown) => {
      const code = codeOf(error);
      if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    });
    await rm(unfinished, { recursive: true, force: true });
  } catch (error) {
    throw unavailable(`The damaged files of ${folder} can't be set aside`, error);
  }
}
