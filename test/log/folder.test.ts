import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { levelLog, openLevel, readLevelLog } from "../../src/log/levelLog.js";
import { appendOne, draftAfter, readAll } from "../../src/testing/logSupport.js";
import { openElsewhere } from "../support/children.js";
import { fingerprint, testFolder } from "../support/folders.js";

/** A folder with a closed log of one session. */
async function folderWithLog(commits = 3): Promise<string> {
  const folder = await testFolder();
  const log = levelLog(folder);
  const session = await log.openSession("s");
  for (let n = 1; n <= commits; n += 1) await appendOne(session, `text ${n}`);
  await log.close();
  return folder;
}

/** What opening a folder is refused with. Closes what was opened, so that nothing is left behind. */
async function refusalOf(folder: string): Promise<unknown> {
  const log = levelLog(folder);
  try {
    await log.sessions();
    return "opened";
  } catch (error) {
    return error;
  } finally {
    await log.close();
  }
}

describe("the right to a folder", () => {
  it("L5 a second log of the process is refused, and the third, and neither disturbs the first", async () => {
    const folder = await testFolder();
    const first = levelLog(folder);
    const session = await first.openSession("s");
    for (const path of [folder, `${folder}/.`, folder]) {
      expect(await refusalOf(path)).toMatchObject({ code: "log-in-use" });
      await appendOne(session, "still here");
    }
    await first.close();
    expect(await refusalOf(folder)).toBe("opened");
  });

  it("L5 a folder is the same folder by every path that leads to it", async () => {
    const folder = await testFolder();
    const link = join(await testFolder(), "link");
    await symlink(folder, link);
    const first = levelLog(link);
    await first.openSession("s");
    expect(await refusalOf(folder)).toMatchObject({ code: "log-in-use" });
    await first.close();
  });

  it("L5 of many logs that open one folder at the same time exactly one gets it", async () => {
    const folder = join(await testFolder(), "new");
    const logs = Array.from({ length: 5 }, () => levelLog(folder));
    const results = await Promise.allSettled(logs.map((log) => log.openSession("s")));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await Promise.all(logs.map((log) => log.close()));
    expect(await refusalOf(folder)).toBe("opened");
  });

  it("L5 another process is refused while the log is open, even when the store's lock has vanished", async () => {
    const folder = await testFolder();
    const log = levelLog(folder);
    const session = await log.openSession("s");
    expect(await openElsewhere(folder)).toBe("log-in-use");
    // Closing any descriptor of the lock file drops the lock of the whole process.
    readFileSync(join(folder, "LOCK"));
    expect(await openElsewhere(folder)).toBe("log-in-use");
    expect(await openElsewhere(folder)).toBe("log-in-use");
    await appendOne(session, "still here");
    await log.close();
    expect(await openElsewhere(folder)).toBe("opened");
    expect(await refusalOf(folder)).toBe("opened");
  }, 30_000);

  it("L5 another process is refused by the store's lock when the owner's mark is gone", async () => {
    const folder = await testFolder();
    const log = levelLog(folder);
    await log.openSession("s");
    await rm(join(folder, "dovecote.owner"));
    expect(await openElsewhere(folder)).toBe("log-in-use");
    await log.close();
  }, 30_000);

  it("L5 a writer whose mark was taken over is fenced, and nothing of it is written", async () => {
    const folder = await testFolder();
    const log = levelLog(folder);
    const [session, other] = [await log.openSession("s"), await log.openSession("other")];
    await appendOne(session, "mine");
    const mark = JSON.parse(await readFile(join(folder, "dovecote.owner"), "utf8")) as object;
    await writeFile(join(folder, "dovecote.owner"), JSON.stringify({ ...mark, nonce: "another" }));
    expect(await session.append(draftAfter(session.head(), "late"))).toEqual({ kind: "fenced" });
    expect(await other.append(draftAfter(other.head(), "late"))).toEqual({ kind: "fenced" });
    expect(await readAll(session)).toHaveLength(1);
    await log.close();
    // The mark is another's now; a close must not remove it.
    expect(await readdir(folder)).toContain("dovecote.owner");
  });

  it.each([
    [
      "of a process that is gone",
      JSON.stringify({ pid: 2 ** 30, start: "x", nonce: "n", epoch: 4 }),
    ],
    [
      "of an earlier process of our number",
      JSON.stringify({ pid: process.pid, start: "x:1", nonce: "n" }),
    ],
    ["that can't be read", "{"],
  ])("L5 a mark %s keeps nobody out", async (_, mark) => {
    const folder = await folderWithLog();
    await writeFile(join(folder, "dovecote.owner"), mark);
    expect(await refusalOf(folder)).toBe("opened");
  });
});

describe("what a folder is", () => {
  it("L3 an absent folder is made, an empty one is used, and both are logs when opened again", async () => {
    const parent = await testFolder();
    for (const folder of [join(parent, "absent"), await testFolder()]) {
      for (const expected of [1, 2]) {
        const log = levelLog(folder);
        const session = await log.openSession("s");
        expect((await appendOne(session, "x")).position).toBe(expected);
        await log.close();
      }
    }
  });

  it("L3 nothing is touched before the first use", async () => {
    const parent = await testFolder();
    const log = levelLog(join(parent, "absent"));
    await log.close();
    expect(await readdir(parent)).toEqual([]);
  });

  it("L3 a folder with other files in it is no log, and nothing is written there", async () => {
    const folder = await testFolder();
    await writeFile(join(folder, "notes.txt"), "mine");
    const before = await fingerprint(folder);
    expect(await refusalOf(folder)).toMatchObject({ code: "log-not-a-log" });
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("L3 a LevelDB of somebody else is no log, and nothing is written there", async () => {
    const folder = await testFolder();
    const store = await openLevel(folder, true);
    await store.write([{ key: "a", value: "theirs" }], true);
    await store.close();
    const before = await fingerprint(folder);
    expect(await refusalOf(folder)).toMatchObject({ code: "log-not-a-log" });
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("L3 a file, a missing parent and a path through a file are refused by type", async () => {
    const folder = await testFolder();
    await writeFile(join(folder, "file"), "");
    expect(await refusalOf(join(folder, "file"))).toMatchObject({ code: "log-not-a-log" });
    expect(await refusalOf(join(folder, "no", "such"))).toMatchObject({ code: "log-unavailable" });
    expect(await refusalOf(join(folder, "file", "x"))).toMatchObject({ code: "log-unavailable" });
    expect(() => levelLog("")).toThrow(expect.objectContaining({ code: "bad-argument" }));
    expect(() => levelLog(folder, { durability: "cloud" as "disk" })).toThrow(
      expect.objectContaining({ code: "bad-argument" }),
    );
  });

  it("L6 a folder that could not be opened can be, once the reason is gone", async () => {
    const parent = await testFolder();
    const log = levelLog(join(parent, "later", "log"));
    await expect(log.sessions()).rejects.toMatchObject({ code: "log-unavailable" });
    await mkdir(join(parent, "later"));
    expect(await log.sessions()).toEqual([]);
    await log.close();
  });

  it("L4 a folder of a newer format is refused before any write", async () => {
    const folder = await folderWithLog();
    await writeFile(join(folder, "dovecote.json"), JSON.stringify({ format: 2, state: "ready" }));
    const before = await fingerprint(folder);
    expect(await refusalOf(folder)).toMatchObject({ code: "log-format" });
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("L4 a store of a newer format is refused", async () => {
    const folder = await folderWithLog();
    const store = await openLevel(folder, false);
    await store.write([{ key: "m/format", value: JSON.stringify({ format: 2 }) }], true);
    await store.close();
    expect(await refusalOf(folder)).toMatchObject({ code: "log-format" });
  });

  it("L3 a log without its CURRENT file is refused, and its data is not deleted", async () => {
    const folder = await folderWithLog();
    await rename(join(folder, "CURRENT"), join(folder, "elsewhere"));
    const before = await fingerprint(folder);
    expect(await refusalOf(folder)).toMatchObject({ code: "log-corrupt", kind: "store" });
    expect(await fingerprint(folder)).toEqual(before);
    await rename(join(folder, "elsewhere"), join(folder, "CURRENT"));
    const log = levelLog(folder);
    expect(await readAll(await log.openSession("s"))).toHaveLength(3);
    await log.close();
  });

  it("L3 a log whose making was cut off is made anew, for nobody was told of anything in it", async () => {
    const folder = await testFolder();
    await writeFile(
      join(folder, "dovecote.json"),
      JSON.stringify({ format: 1, state: "unfinished" }),
    );
    await writeFile(join(folder, "MANIFEST-000001"), "half");
    const log = levelLog(folder);
    await appendOne(await log.openSession("s"), "x");
    await log.close();
    expect(await refusalOf(folder)).toBe("opened");
  });

  it.each(["{", "{}", '{"format":1}', "null"])(
    "L3 a marker that says %s is damage, and nothing is written",
    async (text) => {
      const folder = await folderWithLog();
      await writeFile(join(folder, "dovecote.json"), text);
      const before = await fingerprint(folder);
      expect(await refusalOf(folder)).toMatchObject({ code: "log-corrupt", kind: "store" });
      expect(await fingerprint(folder)).toEqual(before);
    },
  );
});

describe("reading a folder that nobody holds", () => {
  it("R3 reads everything, and leaves every byte of the folder as it was", async () => {
    const folder = await folderWithLog(30);
    const before = await fingerprint(folder);
    const log = readLevelLog(folder);
    expect(await log.sessions()).toEqual(["s"]);
    const reader = await log.readSession("s");
    expect(await readAll(reader!)).toHaveLength(30);
    expect(await log.readSession("other")).toBeUndefined();
    await expect(log.openSession("s")).rejects.toMatchObject({ code: "log-unavailable" });
    await log.close();
    await log.close();
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("R3 the folder is free for a writer while its copy is read", async () => {
    const folder = await folderWithLog();
    const reading = readLevelLog(folder);
    const reader = await reading.readSession("s");
    const writing = levelLog(folder);
    await appendOne(await writing.openSession("s"), "text 4");
    expect(await readAll(reader!)).toHaveLength(3);
    await writing.close();
    await reading.close();
  });

  it("R3 what is held, absent or no log is refused by type, and nothing is made", async () => {
    const folder = await folderWithLog();
    const writing = levelLog(folder);
    await writing.openSession("s");
    await expect(readLevelLog(folder).sessions()).rejects.toMatchObject({ code: "log-in-use" });
    await writing.close();
    const parent = await testFolder();
    await expect(readLevelLog(join(parent, "absent")).sessions()).rejects.toMatchObject({
      code: "log-not-a-log",
    });
    expect(await readdir(parent)).toEqual([]);
  });
});
