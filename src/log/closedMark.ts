/**
 * What the store's files were when the folder was last closed. A folder in which they are the same still needs no second
 * look; one that was not closed, or whose files are others, is looked at on a copy before it is opened, because opening
 * a store rewrites its files, and with them whatever damage would be found there afterwards.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { openSealed, seal } from "../events/sealed.js";
import { writeWhole } from "./files.js";
import { sha256 } from "./sha256.js";

/** The mark's file. */
const CLOSED_FILE = "dovecote.closed";

/** Tables: written once, and never changed. */
export const TABLES = /^[0-9]+\.(?:ldb|sst)$/;
/** What an opening reads and replaces: a few MB at most. */
export const REPLACED = /^(?:CURRENT|MANIFEST-[0-9]+|[0-9]+\.log)$/;

/**
 * One text for the state of all files of the store: tables by size and time, the others by what is in them. Reading
 * all tables would make every opening as long as the log. `undefined` when files come or go while they are looked at.
 */
export async function printOf(folder: string): Promise<string | undefined> {
  try {
    return await readPrint(folder);
  } catch {
    return undefined;
  }
}

async function readPrint(folder: string): Promise<string> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const file = join(folder, name);
    if (TABLES.test(name)) {
      const { size, mtimeMs } = await stat(file);
      lines.push(`${name} ${size} ${mtimeMs}`);
    } else if (REPLACED.test(name)) {
      lines.push(
        `${name} ${createHash("sha256")
          .update(await readFile(file))
          .digest("hex")}`,
      );
    }
  }
  return sha256(lines.join("\n"));
}

/** Says that the store's files were left in order. Losing this costs the next opening a second look, nothing more. */
export async function markClosed(folder: string): Promise<void> {
  try {
    const { text } = seal({ files: await readPrint(folder) }, sha256);
    await writeWhole(join(folder, CLOSED_FILE), text);
  } catch {
    // A folder that can't be written to any more is looked at again.
  }
}

/** Whether the files are those of the last close. */
export async function isAsClosed(folder: string, print: string): Promise<boolean> {
  try {
    const text = await readFile(join(folder, CLOSED_FILE), "utf8");
    return openSealed(text, sha256)?.["files"] === print;
  } catch {
    return false;
  }
}
