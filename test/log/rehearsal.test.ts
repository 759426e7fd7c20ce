/** A folder that is refused is left as it was, to the byte (L3). */
import { readdir, readFile, rm, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Level } from "level";
import { describe, expect, it } from "vitest";
import { commitKey } from "../../src/log/keys.js";
import { FolderLog } from "../../src/log/folderLog.js";
import { levelLog, levelSeams, openLevel, readLevelLog } from "../../src/log/levelLog.js";
import { openForWriting, type FolderSeams } from "../../src/log/openFolder.js";
import { verifyLog } from "../../src/log/verify.js";
import { appendOne, readAll } from "../../src/testing/logSupport.js";
import { closedLog, editBytes, fileOf, rewrite } from "../support/damage.js";
import { fingerprint } from "../support/folders.js";

const flip = (text: string): string => text.replace("text", "tExt");

/** Without what an opening may leave beside the store. */
async function storeFiles(folder: string): Promise<unknown> {
  const prints = await fingerprint(folder);
  return Object.fromEntries(
    Object.entries(prints).filter(([name]) => /^(?:CURRENT|MANIFEST|[0-9])/.test(name)),
  );
}

async function refused(folder: string, session = "s"): Promise<unknown> {
  const log = levelLog(folder);
  try {
    await log.openSession(session);
    return "opened";
  } catch (error) {
    return error;
  } finally {
    await log.close();
  }
}

describe("a folder that is refused", () => {
  it("L3 LevelDB by itself opens a journal with a hole in it as if it were whole, and rewrites it", async () => {
    const { folder } = await closedLog(60);
    await editBytes(await fileOf(folder, ".log"), (bytes) => bytes.fill(0, 9000, 9400));
    const before = await storeFiles(folder);
    const level = new Level<string, string>(folder);
    await level.open();
    const keys = await level.keys({ gte: "c/", lt: "c0" }).all();
    await level.close();
    expect(keys.length).toBeLessThan(60);
    expect(await storeFiles(folder)).not.toEqual(before);
  });

  it("L3 keeps every byte when its journal has a hole, however often it is tried", async () => {
    const { folder } = await closedLog(60);
    await editBytes(await fileOf(folder, ".log"), (bytes) => bytes.fill(0, 9000, 9400));
    const before = await fingerprint(folder);
    for (let time = 0; time < 2; time += 1) {
      expect(await refused(folder)).toMatchObject({
        code: expect.stringMatching(/^log-/) as string,
      });
      expect(await fingerprint(folder)).toEqual(before);
    }
  });

  it.each([
    ["lost its end", (file: string) => truncate(file, 100)],
    ["is gone", (file: string) => rm(file)],
    ["is zeroed", (file: string) => editBytes(file, (bytes) => bytes.fill(0))],
  ])("L3 keeps every byte when its journal %s", async (_, damage) => {
    const { folder } = await closedLog(20);
    await damage(await fileOf(folder, ".log"));
    const before = await fingerprint(folder);
    expect(await refused(folder)).toMatchObject({ code: expect.stringMatching(/^log-/) as string });
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("L3 keeps every byte when a manifest of before is put in its manifest's place", async () => {
    const { folder } = await closedLog(20);
    const manifest = async (): Promise<string> =>
      (await readdir(folder)).find((name) => name.startsWith("MANIFEST")) ?? "";
    const old = await readFile(join(folder, await manifest()));
    const log = levelLog(folder);
    await appendOne(await log.openSession("s"), "text 21");
    await log.close();
    await editBytes(join(folder, await manifest()), (bytes) => old.copy(bytes.fill(0)));
    const before = await fingerprint(folder);
    expect(await refused(folder)).toMatchObject({ code: expect.stringMatching(/^log-/) as string });
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("L3 with one damaged session sets its files aside before another session is used", async () => {
    const { folder } = await closedLog(5, ["a", "b"]);
    await rewrite(folder, commitKey("a", 3), flip);
    const before = await storeFiles(folder);
    expect(await refused(folder, "a")).toMatchObject({ kind: "checksum", from: 3 });
    expect(await storeFiles(folder)).toEqual(before);
    const log = levelLog(folder);
    await appendOne(await log.openSession("b"), "on");
    await expect(log.openSession("a")).rejects.toMatchObject({ kind: "checksum", from: 3 });
    await log.close();
    const [aside, ...more] = (await readdir(folder)).filter((name) => name.includes("damaged"));
    expect(more).toEqual([]);
    expect(await storeFiles(join(folder, aside ?? ""))).toEqual(before);
  });

  it("L3 two sessions opened at once: the damage of the one is not the other's", async () => {
    const { folder } = await closedLog(5, ["a", "b"]);
    await rewrite(folder, commitKey("a", 3), flip);
    const log = levelLog(folder);
    const [a, b] = await Promise.allSettled([log.openSession("a"), log.openSession("b")]);
    expect([a.status, b.status]).toEqual(["rejected", "fulfilled"]);
    await log.close();
  });
});

describe("a folder that is in order", () => {
  it("L3 is opened without a copy when its files are those of the last close", async () => {
    const { folder } = await closedLog(5);
    let opened = 0;
    const openStore: FolderSeams["openStore"] = (path, create) => {
      opened += 1;
      return openLevel(path, create);
    };
    for (const stores of [1, 2]) {
      opened = 0;
      const log = new FolderLog(folder, (asked) =>
        openForWriting(folder, {}, { ...levelSeams, openStore }, asked),
      );
      expect(await readAll(await log.openSession("s"))).toHaveLength(5);
      expect(opened).toBe(stores);
      await log.close();
      await rm(join(folder, "dovecote.closed"));
    }
  });

  it("L3 is opened after a look when it was moved, restored or never closed", async () => {
    const { folder } = await closedLog(5);
    await rm(join(folder, "dovecote.closed"));
    expect(await refused(folder)).toBe("opened");
    await utimes(await fileOf(folder, ".ldb"), 1, 1);
    expect(await refused(folder)).toBe("opened");
    const log = readLevelLog(folder);
    expect((await verifyLog(log)).ok).toBe(true);
    await log.close();
    expect((await readdir(folder)).filter((name) => /rehearsal|damaged/.test(name))).toEqual([]);
  });
});
