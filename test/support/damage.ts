/** Closed logs for tests that damage them, and the ways to do it: behind the log's back, key by key or byte by byte. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { levelLog, openLevel } from "../../src/log/levelLog.js";
import type { Head } from "../../src/log/log.js";
import type { Store } from "../../src/log/store.js";
import { appendOne } from "../../src/testing/logSupport.js";
import { testFolder } from "./folders.js";

/** A closed log of so many commits a session. */
export async function closedLog(commits: number, sessions: readonly string[] = ["s"]) {
  const folder = await testFolder();
  const log = levelLog(folder);
  const heads = new Map<string, Head>();
  for (const id of sessions) {
    const session = await log.openSession(id);
    for (let n = 1; n <= commits; n += 1) heads.set(id, await appendOne(session, `text ${n}`));
  }
  await log.close();
  return { folder, heads };
}

/** Changes the store of a closed log. */
export async function tamper(
  folder: string,
  change: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openLevel(folder, false);
  await change(store);
  await store.close();
}

/** Changes, or with `undefined` removes, what is kept under one key of a closed log. */
export function rewrite(
  folder: string,
  key: string,
  edit: (text: string) => string | undefined,
): Promise<void> {
  return tamper(folder, async (store) => {
    await store.write([{ key, value: edit((await store.get(key)) ?? "") }], true);
  });
}

/** Moves everything from the journal into a table, so that damage there can be shown. */
export async function intoTable(folder: string): Promise<void> {
  // An opening writes what the journal holds into a table.
  await tamper(folder, async () => {});
}

/** The newest file of a store whose name ends so. */
export async function fileOf(folder: string, ending: ".log" | ".ldb"): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending)).sort();
  return join(folder, names.at(-1) ?? "");
}

/** Changes the bytes of a file in place. */
export async function editBytes(file: string, edit: (bytes: Buffer) => void): Promise<void> {
  const bytes = await readFile(file);
  edit(bytes);
  await writeFile(file, bytes);
}
