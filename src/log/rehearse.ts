/**
 * The rehearsal of an opening: on a copy, so that a folder which is refused is left as it was, to the byte (L3). A store
 * rewrites its files when it opens, also when what is found in it is then refused: what its journal held beside the
 * damage, and the tables that a damaged manifest does not name, would be gone.
 */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DovecoteError, LogUnavailable } from "../errors.js";
import { closedPrint, printOf, samePrint } from "./closedMark.js";
import { codeOf, unavailable } from "./files.js";
import { copyStore, openCopied } from "./copyStore.js";
import { sha256 } from "./sha256.js";
import type { OpenStore, Store } from "./store.js";
import { sessionsOf } from "./storeFormat.js";
import { findEnds, verifyRecent } from "./streamCheck.js";
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
  if (print === undefined || samePrint(print, await closedPrint(folder))) return;
  let damaged: ReadonlyMap<string, unknown>;
  try {
    damaged = await damageIn(folder, confirmed, openStore);
  } catch (error) {
    // Files that move while they are copied are somebody else's, who lost his mark: the store's lock will say so.
    if (!samePrint(print, await printOf(folder))) return;
    throw error;
  }
  if (damaged.size === 0) return;
  if (!samePrint(print, await printOf(folder))) return;
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
    const store = await openRehearsal(folder, openStore, undo);
    for (const session of await sessionsOf(store, confirmed.keys())) {
      try {
        const ends = await findEnds(store, session, confirmed.get(session));
        await verifyRecent(store, session, ends);
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

/** Opens the copy beside the tables; where the disk has no room for it, in the system's place for such things. */
async function openRehearsal(folder: string, openStore: OpenStore, undo: Undo): Promise<Store> {
  const copy = join(folder, REHEARSAL);
  const attempt = new Undo();
  try {
    // What a killed rehearsal left there goes.
    await rm(copy, { recursive: true, force: true });
    await mkdir(copy);
    const store = await openCopied(folder, copy, openStore, attempt);
    undo.push(() => attempt.run());
    return store;
  } catch (error) {
    await attempt.run();
    await rm(copy, { recursive: true, force: true });
    if (!(error instanceof LogUnavailable)) throw error;
    const elsewhere = await mkdtemp(join(tmpdir(), "dovecote-rehearsal-"));
    undo.push(() => rm(elsewhere, { recursive: true, force: true }));
    return openCopied(folder, elsewhere, openStore, undo);
  }
}

/** Keeps the files as they are, in a folder of their own; once for each state of them. */
async function setAside(folder: string, print: readonly string[]): Promise<void> {
  const aside = join(folder, `${ASIDE}${sha256(print.join("\n")).slice(0, 12)}`);
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
