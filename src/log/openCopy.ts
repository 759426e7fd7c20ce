/**
 * Opening a folder for reading alone. A store can't be opened without rewriting its files, so the files are copied and
 * the copy is opened; the large ones never change once they are written, and are linked where that works.
 */
import { copyFile, link, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NotALog } from "../errors.js";
import { unavailable } from "./files.js";
import { inspectFolder, realFolder } from "./folder.js";
import type { OpenedFolder } from "./openFolder.js";
import { refuseLivingOwner, reserveFolder } from "./owner.js";
import type { OpenStore } from "./store.js";
import { checkStore } from "./storeFormat.js";
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
    undo.push(() => rm(copy, { recursive: true, force: true }));
    await copyStore(folder, copy);
    // Who came while the files were being copied may have changed them under our hands.
    await refuseLivingOwner(folder);
    free();
    const store = await openStore(copy, false);
    undo.push(() => store.close());
    await checkStore(folder, store);
    return {
      store,
      confirmed: (session) => confirmed.get(session),
      close: () => undo.run(),
    };
  } catch (error) {
    await undo.run();
    throw error;
  }
}

const LINKED = /\.(?:ldb|sst)$/;
const COPIED = /^(?:CURRENT|MANIFEST-[0-9]+|[0-9]+\.log)$/;

async function copyStore(folder: string, copy: string): Promise<void> {
  try {
    for (const name of await readdir(folder)) {
      const [from, to] = [join(folder, name), join(copy, name)];
      if (LINKED.test(name)) await link(from, to).catch(() => copyFile(from, to));
      else if (COPIED.test(name)) await copyFile(from, to);
    }
  } catch (error) {
    throw unavailable(`${folder} can't be copied for reading`, error);
  }
}
