/**
 * Opening a folder for reading alone. A store can't be opened without rewriting its files, so the files are copied and
 * the copy is opened; the large ones are linked where that is safe.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NotALog } from "../errors.js";
import { checkAllTables, openCopied } from "./copyStore.js";
import { inspectFolder, realFolder } from "./folder.js";
import type { OpenedFolder } from "./openFolder.js";
import { refuseLivingOwner, reserveFolder } from "./owner.js";
import type { OpenStore } from "./store.js";
import { Undo } from "./undo.js";
import { readWatermark } from "./watermark.js";

/**
 * Opens a copy of a folder that nobody holds, for reading; the folder itself is not written to (R3).
 *
 * @throws LogInUse, NotALog, LogFormatError, LogCorrupt, LogUnavailable
 */
export async function openCopy(path: string, openStore: OpenStore): Promise<OpenedFolder> {
  const undo = new Undo();
  try {
    const folder = await realFolder(path);
    const free = reserveFolder(folder);
    undo.push(free);
    if ((await inspectFolder(folder)) !== "ready") {
      throw new NotALog(folder, "it is absent or empty");
    }
    await refuseLivingOwner(folder);
    const confirmed = await readWatermark(folder);
    const copy = await mkdtemp(join(tmpdir(), "dovecote-read-"));
    const store = await openCopied(folder, copy, openStore, undo, async () => {
      // Who came while the files were being copied may have changed them under our hands.
      await refuseLivingOwner(folder);
      free();
    });
    return {
      store,
      confirmed: (session) => confirmed.get(session),
      named: () => confirmed.keys(),
      check: () => checkAllTables(copy),
      close: () => undo.run(),
    };
  } catch (error) {
    await undo.run();
    throw error;
  }
}
