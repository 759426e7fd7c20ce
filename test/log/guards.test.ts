/** What LevelDB does not do by itself, shown on a bare one, and what the log makes of it (L3, L5). */
import { cp, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { Level } from "level";
import { describe, expect, it } from "vitest";
import { levelLog, readLevelLog } from "../../src/log/levelLog.js";
import { nextFileNumber } from "../../src/log/manifest.js";
import { verifyLog } from "../../src/log/verify.js";
import { appendOne, readAll } from "../../src/testing/logSupport.js";
import { openElsewhere, writeBareElsewhere } from "../support/children.js";
import { closedLog, editBytes, fileOf, intoTable } from "../support/damage.js";
import { fingerprint, testFolder } from "../support/folders.js";

async function bareLevel(): Promise<{ folder: string; level: Level<string, string> }> {
  const folder = await testFolder();
  const level = new Level<string, string>(folder);
  await level.open();
  return { folder, level };
}

async function keysOf(folder: string): Promise<readonly string[]> {
  const level = new Level<string, string>(folder);
  await level.open();
  const keys = await level.keys().all();
  await level.close();
  return keys;
}

describe("the lock", () => {
  it("L5 of a bare LevelDB is gone after a second open that failed, and another process writes", async () => {
    const { folder, level } = await bareLevel();
    expect(await writeBareElsewhere(folder)).toBe("refused");
    await expect(new Level(folder).open()).rejects.toMatchObject({
      code: "LEVEL_DATABASE_NOT_OPEN",
    });
    expect(await writeBareElsewhere(folder)).toBe("wrote");
    await level.close();
  }, 30_000);

  it("L5 of a log stays: a second open never reaches LevelDB, and the owner's mark outlives the lock", async () => {
    const folder = await testFolder();
    const log = levelLog(folder);
    const session = await log.openSession("s");
    await expect(levelLog(folder).sessions()).rejects.toMatchObject({ code: "log-in-use" });
    expect(await writeBareElsewhere(folder)).toBe("refused");
    // The lock vanishes all the same when somebody opens the store behind the log's back.
    await expect(new Level(folder).open()).rejects.toMatchObject({
      code: "LEVEL_DATABASE_NOT_OPEN",
    });
    expect(await openElsewhere(folder)).toBe("log-in-use");
    await appendOne(session, "still here");
    await log.close();
    const again = levelLog(folder);
    expect(await readAll(await again.openSession("s"))).toHaveLength(1);
    await again.close();
  }, 30_000);
});

describe("a byte that has changed in a table", () => {
  it("L3 is given back by a bare LevelDB as if it were right, and found by the log", async () => {
    const folder = await testFolder();
    const log = levelLog(folder);
    const session = await log.openSession("s");
    // A word of its own stands in the table as it is; what repeats is compressed.
    for (const word of ["one", "two", "wombat", "four"]) await appendOne(session, word);
    await log.close();
    await intoTable(folder);
    const table = await fileOf(folder, ".ldb");
    const at = (await readFile(table)).indexOf("wombat");
    expect(at).toBeGreaterThan(0);
    await editBytes(table, (bytes) => bytes.write("combat", at));
    const copy = await testFolder();
    await cp(folder, copy, { recursive: true });
    const level = new Level<string, string>(copy);
    await level.open();
    expect(await level.get("c/s/0000000000000003")).toContain("combat");
    await level.close();

    const reading = readLevelLog(folder);
    const name = basename(table);
    const damage = { kind: "store", message: expect.stringContaining(name) as string };
    await expect(verifyLog(reading)).rejects.toMatchObject(damage);
    await reading.close();
    const before = await fingerprint(folder);
    await expect(levelLog(folder).openSession("s")).rejects.toMatchObject(damage);
    expect(await fingerprint(folder)).toEqual(before);
  });
});

describe("a folder without CURRENT", () => {
  it("L3 is emptied by a bare LevelDB, and refused by the log", async () => {
    const { folder } = await closedLog(5);
    await intoTable(folder);
    await rm(join(folder, "CURRENT"));
    const copy = await testFolder();
    await cp(folder, copy, { recursive: true });
    expect(await keysOf(copy)).toEqual([]);
    expect((await readdir(copy)).filter((name) => name.endsWith(".ldb"))).toEqual([]);

    const before = await fingerprint(folder);
    await expect(levelLog(folder).sessions()).rejects.toMatchObject({ kind: "store" });
    expect(await fingerprint(folder)).toEqual(before);
  });
});

describe("repair", () => {
  it("L3 of a bare LevelDB says that all went well while it drops commits", async () => {
    const { folder } = await closedLog(40);
    await editBytes(await fileOf(folder, ".log"), (bytes) => bytes.fill(0, 6000, 6400));
    await (Level as unknown as { repair(folder: string): Promise<void> }).repair(folder);
    const commits = (await keysOf(folder)).filter((key) => key.startsWith("c/"));
    expect(commits.length).toBeLessThan(40);
  });
});

describe("a copy that links tables", () => {
  it("L3 R3 links none whose name the store would give away again", async () => {
    const { folder } = await closedLog(3);
    await intoTable(folder);
    const names = await readdir(folder);
    const manifest = await readFile(join(folder, names.find((n) => n.startsWith("MAN")) ?? ""));
    const numbers = names.flatMap((name) => /^(?:MANIFEST-)?(\d+)/.exec(name)?.[1] ?? []);
    expect(nextFileNumber(manifest)).toBeGreaterThan(Math.max(...numbers.map(Number)));
    expect(nextFileNumber(manifest.subarray(0, 20))).toBeUndefined();
    expect(nextFileNumber(Buffer.alloc(0))).toBeUndefined();
  });
});
