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
 * One line for each file of the store: tables by size and time, the others by what is in them. Reading all tables would
 * make every opening as long as the log. `undefined` when files come or go while they are looked at.
 */
export async function printOf(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readPrint(folder);
  } catch {
    return undefined;
  }
}

async function readPrint(folder: string): Promise<readonly string[]> {
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
  return lines;
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

/** The lines of the last close; none when they can't be read. */
export async function closedPrint(folder: string): Promise<readonly string[]> {
  try {
    const files = openSealed(await readFile(join(folder, CLOSED_FILE), "utf8"), sha256)?.["files"];
    return Array.isArray(files) ? (files as readonly string[]) : [];
  } catch {
    return [];
  }
}

/** Whether two prints are of the same files. */
export function samePrint(a: readonly string[], b: readonly string[] | undefined): boolean {
  return b !== undefined && a.join("\n") === b.join("\n");
}
