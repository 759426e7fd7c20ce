/** The checksums of LevelDB's tables, which LevelDB itself does not look at (L3). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { levelLog, readLevelLog } from "../../src/log/levelLog.js";
import { isWholeTable } from "../../src/log/tableCheck.js";
import { verifyLog } from "../../src/log/verify.js";
import { appendOne } from "../../src/testing/logSupport.js";
import { editBytes, fileOf, intoTable } from "../support/damage.js";
import { testFolder } from "../support/folders.js";

/** A table of several blocks, some of which compression makes small. */
async function folderWithTables(): Promise<string> {
  const folder = await testFolder();
  const log = levelLog(folder);
  const session = await log.openSession("s");
  for (let n = 0; n < 60; n += 1) {
    await appendOne(session, "the same again ".repeat(n * 20), `${Math.sin(n)}`.repeat(9));
  }
  await log.close();
  await intoTable(folder);
  return folder;
}

it("L3 a table as LevelDB writes it is whole", async () => {
  const folder = await folderWithTables();
  const tables = (await readdir(folder)).filter((name) => name.endsWith(".ldb"));
  expect(tables.length).toBeGreaterThan(0);
  for (const name of tables) expect(isWholeTable(await readFile(join(folder, name)))).toBe(true);
});

it("L3 no bit of a table's blocks can be flipped, and no byte cut off, without being seen", async () => {
  const bytes = await readFile(await fileOf(await folderWithTables(), ".ldb"));
  const padding = bytes.subarray(-48, -8);
  const used = bytes.length - 48 + padding.findLastIndex((byte) => byte !== 0) + 1;
  for (let at = 0; at < bytes.length; at += at < bytes.length - 600 ? 17 : 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    // What fills the footer up means nothing.
    if (at < used || at >= bytes.length - 8)
      expect(isWholeTable(changed), `byte ${at}`).toBe(false);
    expect(isWholeTable(bytes.subarray(0, at)), `cut at ${at}`).toBe(false);
  }
});

it("L3 a table that changed is named before LevelDB reads it, and by a whole verification in any case", async () => {
  const folder = await folderWithTables();
  const log = levelLog(folder);
  await log.sessions();
  await log.close();
  const table = await fileOf(folder, ".ldb");
  await editBytes(table, (bytes) => (bytes[1000] = (bytes[1000] ?? 0) ^ 1));
  const damage = { code: "log-corrupt", kind: "store" };
  await expect(levelLog(folder).openSession("s")).rejects.toMatchObject(damage);
  await expect(readLevelLog(folder).sessions()).rejects.toMatchObject(damage);
  await editBytes(table, (bytes) => (bytes[1000] = (bytes[1000] ?? 0) ^ 1));
  const reading = readLevelLog(folder);
  await reading.check?.();
  expect(await verifyLog(reading)).toMatchObject({ ok: true });
  await reading.close();
});
