/**
 * Opening a folder for writing: the order in which things are looked at, made and given back. What is cheap to see is
 * looked at before the store is opened, because opening it rewrites its files. Whatever fails on the way undoes what
 * was done before it.
 */
import { LogInUse, LogUnavailable } from "../errors.js";
import { markClosed } from "./closedMark.js";
import { checkAllTables } from "./copyStore.js";
import { unavailable } from "./files.js";
import { beginFolder, finishFolder, inspectFolder, realFolder } from "./folder.js";
import { GroupWriter } from "./groupWriter.js";
import { Owner, refuseLivingOwner, reserveFolder } from "./owner.js";
import { rehearse } from "./rehearse.js";
import type { OpenStore, Store } from "./store.js";
import { checkStore, FORMAT_ENTRY } from "./storeFormat.js";
import { Undo } from "./undo.js";
import {
  createWatermark,
  readWatermark,
  WatermarkKeeper,
  type Confirmed,
  type Schedule,
} from "./watermark.js";

/** How a folder log writes. */
export interface LevelLogOptions {
  /**
   * `disk` (the default): a commit is on the disk before anyone is told. `process`: it survives a killed process, but
   * not a power cut.
   */
  readonly durability?: "disk" | "process";
}

/** What a folder log does not do itself: the store and the timers. A test may put its own in their place. */
export interface FolderSeams {
  readonly openStore: OpenStore;
  readonly schedule: Schedule;
  /** Runs something when everybody who can run now has had his turn. */
  readonly soon: (run: () => void) => void;
}

/** A folder that is open. */
export interface OpenedFolder {
  readonly store: Store;
  /** What had been confirmed of a session (L3). */
  readonly confirmed: (session: string) => Confirmed | undefined;
  /** Sessions of which something had been confirmed: they should be in the store. */
  readonly named: () => Iterable<string>;
  /** Absent when the folder is open for reading alone. */
  readonly writing?: { readonly writer: GroupWriter; readonly watermark: WatermarkKeeper };
  /** Reads all tables for their checksums. @throws LogCorrupt */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a folder as its one writer, and makes it when it is absent or empty (L4, L5).
 *
 * @param asked the session for whose sake it is opened: if that one is damaged, nothing is touched (L3).
 * @throws LogInUse, NotALog, LogFormatError, LogCorrupt, LogUnavailable
 */
export async function openForWriting(
  path: string,
  options: LevelLogOptions,
  seams: FolderSeams,
  asked?: string,
): Promise<OpenedFolder> {
  const undo = new Undo();
  try {
    const folder = await realFolder(path);
    undo.push(reserveFolder(folder));
    const before = await inspectFolder(folder);
    const lastEpoch = await refuseLivingOwner(folder);
    const confirmed =
      before === "ready" ? await readWatermark(folder) : new Map<string, Confirmed>();
    if (before === "ready") await rehearse(folder, confirmed, asked, seams.openStore);
    if (before === "new") await beginFolder(folder);
    const store = await seams.openStore(folder, before !== "ready");
    const end = { inOrder: false };
    undo.push(async () => {
      await store.close();
      if (end.inOrder) await markClosed(folder);
    });
    if (before === "ready") await checkStore(folder, store);
    const owner = await Owner.take(folder, lastEpoch);
    undo.push(() => owner.release());
    if (before !== "ready") await makeLog(folder, store);
    const { log, writer } = assemble(folder, store, owner, confirmed, options, seams);
    return {
      ...log,
      close: async () => {
        await log.close();
        // After a write that failed nobody knows what the files hold: the next opening looks first.
        end.inOrder = !writer.failed;
        await undo.run();
      },
    };
  } catch (error) {
    await undo.run();
    throw error;
  }
}

function assemble(
  folder: string,
  store: Store,
  owner: Owner,
  confirmed: Map<string, Confirmed>,
  options: LevelLogOptions,
  seams: FolderSeams,
): { readonly log: OpenedFolder; readonly writer: GroupWriter } {
  const sync = options.durability !== "process";
  const writer = new GroupWriter(store, { sync, mayWrite: () => owner.holds(), soon: seams.soon });
  const makeDurable = async (): Promise<boolean> => {
    if (sync) return true;
    // The store syncs its journal as a whole, so one synced write makes durable what was written before it.
    const outcome = await writer.write([FORMAT_ENTRY], true);
    return outcome.kind === "written";
  };
  const watermark = new WatermarkKeeper(folder, confirmed, makeDurable, seams.schedule);
  const log: OpenedFolder = {
    store,
    confirmed: (session) => watermark.get(session),
    named: () => watermark.sessions(),
    writing: { writer, watermark },
    check: () => checkAllTables(folder),
    close: async () => {
      await watermark.flush();
      await writer.idle();
    },
  };
  return { log, writer };
}

async function makeLog(folder: string, store: Store): Promise<void> {
  if ((await inspectFolder(folder)) === "ready") {
    // Another process made it between our first look and our lock. Its watermark must not be written over.
    throw new LogInUse(folder);
  }
  await store.write([FORMAT_ENTRY], true);
  try {
    await createWatermark(folder);
  } catch (error) {
    throw unavailable(`${folder} can't be made`, error);
  }
  await finishFolder(folder);
}

/** The refusal of writing in a log that was opened for reading. */
export function readOnlyLog(name: string): LogUnavailable {
  return new LogUnavailable(`${name} was opened for reading only. Open it for writing first.`);
}

/** The refusal of a folder in which a write has failed (L6). */
export function failedLog(name: string): LogUnavailable {
  return new LogUnavailable(`A write in ${name} failed. Close the log and open it again to go on.`);
}
