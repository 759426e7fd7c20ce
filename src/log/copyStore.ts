/** Copies of a store's files, to be opened in its place: opening a store rewrites it. */
import { copyFile, link, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { LogCorrupt } from "../errors.js";
import { closedPrint, printOf, REPLACED, TABLES } from "./closedMark.js";
import { unavailable } from "./files.js";
import { brokenStore } from "./folder.js";
import { nextFileNumber } from "./manifest.js";
import type { OpenStore, Store } from "./store.js";
import { checkStore } from "./storeFormat.js";
import { damagedTables } from "./tableCheck.js";
import type { Undo } from "./undo.js";

/**
 * Copies a folder's store into an empty folder and opens the copy, which goes when `undo` is run.
 *
 * @param copied called when the files have been copied, before the copy is opened.
 * @throws LogFormatError, LogCorrupt, LogUnavailable
 */
export async function openCopied(
  folder: string,
  copy: string,
  openStore: OpenStore,
  undo: Undo,
  copied: () => Promise<void> = async () => {},
): Promise<Store> {
  undo.push(() => rm(copy, { recursive: true, force: true }));
  await checkTables(folder);
  await copyStore(folder, copy);
  await copied();
  const store = await openStore(copy, false).catch((error: unknown) => {
    if (!(error instanceof LogCorrupt)) throw error;
    throw brokenStore(folder, "its files can't be read as a store", error);
  });
  undo.push(() => store.close());
  await checkStore(folder, store);
  return store;
}

/** Looks at the tables that are not as the last close left them: a damaged one could end the process. */
async function checkTables(folder: string): Promise<void> {
  const left = new Set(await closedPrint(folder));
  const print = await printOf(folder);
  const asLeft = new Set((print ?? []).filter((line) => left.has(line)).map(nameIn));
  const damaged = await damagedTables(folder, (name) => asLeft.has(name)).catch(
    (error: unknown) => {
      throw unavailable(`${folder} can't be read`, error);
    },
  );
  if (damaged.length > 0) throw brokenTables(folder, damaged);
}

/**
 * Reads every table of a folder for its checksums. Tables that come and go while the store works are passed over.
 *
 * @throws LogCorrupt
 */
export async function checkAllTables(folder: string): Promise<void> {
  const damaged = await damagedTables(folder, () => false);
  const there = new Set(await readdir(folder));
  const still = damaged.filter((name) => there.has(name));
  if (still.length > 0) throw brokenTables(folder, still);
}

/** The refusal of a folder with damaged tables. */
function brokenTables(folder: string, names: readonly string[]): LogCorrupt {
  return brokenStore(folder, `bytes of ${names.join(", ")} are not those that were written`);
}

const nameIn = (line: string): string => line.slice(0, line.indexOf(" "));

/**
 * Copies the files of a store. A table that its manifest knows never changes, and is linked where that works; one that
 * it does not know is copied, because the store would give its name to a new one.
 */
export async function copyStore(folder: string, copy: string): Promise<void> {
  try {
    const unsafe = await firstFreeNumber(folder);
    for (const name of await readdir(folder)) {
      const [from, to] = [join(folder, name), join(copy, name)];
      const number = Number.parseInt(name, 10);
      if (TABLES.test(name) && number < unsafe) {
        await link(from, to).catch(() => copyFile(from, to));
      } else if (TABLES.test(name) || REPLACED.test(name)) {
        await copyFile(from, to);
      }
    }
  } catch (error) {
    throw unavailable(`${folder} can't be copied for reading`, error);
  }
}

/** From which number on a store opened here would name its files; 0 when that can't be told. */
async function firstFreeNumber(folder: string): Promise<number> {
  try {
    const current = (await readFile(join(folder, "CURRENT"), "utf8")).trim();
    return nextFileNumber(await readFile(join(folder, basename(current)))) ?? 0;
  } catch {
    return 0;
  }
}
