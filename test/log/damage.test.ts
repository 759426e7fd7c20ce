import { readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seal } from "../../src/events/sealed.js";
import { commitKey, headKey, snapshotKey } from "../../src/log/keys.js";
import { levelLog, openLevel } from "../../src/log/levelLog.js";
import type { Head } from "../../src/log/log.js";
import { sha256 } from "../../src/log/sha256.js";
import type { Store } from "../../src/log/store.js";
import { appendOne, readAll } from "../../src/testing/logSupport.js";
import { testFolder } from "../support/folders.js";

const COMMITS = 10;

/** A closed log of ten commits, with a snapshot of the sixth when asked for. */
async function folderWithLog(snapshotAt?: number): Promise<{ folder: string; heads: Head[] }> {
  const folder = await testFolder();
  const log = levelLog(folder);
  const session = await log.openSession("s");
  const heads: Head[] = [];
  for (let n = 1; n <= COMMITS; n += 1) {
    const head = await appendOne(session, `text ${n}`);
    heads.push(head);
    if (n !== snapshotAt) continue;
    await session.saveSnapshot({ position: n, hash: head.hash, version: 1, state: "{}" });
  }
  await log.close();
  return { folder, heads };
}

/** Changes a closed log behind its back. */
async function tamper(folder: string, change: (store: Store) => Promise<void>): Promise<void> {
  const store = await openLevel(folder, false);
  await change(store);
  await store.close();
}

async function rewrite(
  store: Store,
  key: string,
  edit: (text: string) => string | undefined,
): Promise<void> {
  await store.write([{ key, value: edit((await store.get(key)) ?? "") }], true);
}

/** What opening the session, or reading it whole, is refused with; `read` when both went well. */
async function refusalOf(folder: string): Promise<unknown> {
  const log = levelLog(folder);
  try {
    const session = await log.openSession("s");
    await readAll(session);
    return "read";
  } catch (error) {
    return error;
  } finally {
    await log.close();
  }
}

const flip = (text: string): string => text.replace("text", "tExt");

describe("a damaged session", () => {
  it("L3 a commit with a changed byte is named", async () => {
    const { folder } = await folderWithLog();
    await tamper(folder, (store) => rewrite(store, commitKey("s", 4), flip));
    const damage = { code: "log-corrupt", session: "s", from: 4, to: 4, kind: "checksum" };
    expect(await refusalOf(folder)).toMatchObject(damage);
    // The refusal repairs nothing: the next one says the same.
    expect(await refusalOf(folder)).toMatchObject(damage);
  });

  it("L3 missing commits are named, first and last", async () => {
    const { folder } = await folderWithLog();
    await tamper(folder, async (store) => {
      for (const n of [3, 4, 5]) await rewrite(store, commitKey("s", n), () => undefined);
    });
    expect(await refusalOf(folder)).toMatchObject({ kind: "hole", from: 3, to: 5 });
  });

  it("L3 a commit with a right hash that does not follow the one before is named", async () => {
    const { folder } = await folderWithLog();
    const { folder: other } = await folderWithLog();
    let foreign = "";
    await tamper(other, async (store) => {
      foreign = (await store.get(commitKey("s", 6))) ?? "";
    });
    const { h: _, ...fields } = JSON.parse(foreign) as { h: string; prev: string };
    const { text } = seal({ ...fields, prev: "0".repeat(64) }, sha256);
    await tamper(folder, (store) => rewrite(store, commitKey("s", 6), () => text));
    expect(await refusalOf(folder)).toMatchObject({ kind: "chain", from: 6, to: 6 });
  });

  it("L3 commits in the wrong order are found", async () => {
    const { folder } = await folderWithLog();
    await tamper(folder, async (store) => {
      const five = (await store.get(commitKey("s", 5))) ?? "";
      await rewrite(store, commitKey("s", 6), () => five);
    });
    expect(await refusalOf(folder)).toMatchObject({ kind: "chain", from: 6 });
  });

  it.each<[string, (text: string) => string | undefined]>([
    ["is gone", () => undefined],
    ["is malformed", () => "{"],
    ["names another commit", (text) => text.replace(`"position":${COMMITS}`, '"position":9')],
    ["names another hash", (text) => text.replace(/"hash":"../, '"hash":"zz')],
  ])("L3 a head that %s is damage", async (_, edit) => {
    const { folder } = await folderWithLog();
    await tamper(folder, (store) => rewrite(store, headKey("s"), edit));
    expect(await refusalOf(folder)).toMatchObject({ code: "log-corrupt", kind: "head" });
  });

  it("L3 a key that the layout does not know is damage", async () => {
    for (const key of ["a", "c/s/5", "i/x", "m/other", "z"]) {
      const { folder } = await folderWithLog();
      await tamper(folder, (store) => store.write([{ key, value: "?" }], true));
      expect(await refusalOf(folder), key).toMatchObject({ kind: "unknown-key" });
    }
  }, 30_000);

  it("L4 a commit of a newer version is refused at the open", async () => {
    const { folder } = await folderWithLog();
    await tamper(folder, async (store) => {
      const { h: _, ...fields } = JSON.parse((await store.get(commitKey("s", 10))) ?? "") as {
        h: string;
      };
      const { text, hash } = seal({ ...fields, v: 2 }, sha256);
      await rewrite(store, commitKey("s", 10), () => text);
      await rewrite(store, headKey("s"), () => JSON.stringify({ position: 10, hash, epoch: 1 }));
    });
    // The watermark knows the commit by its hash, and would speak first.
    await forgetConfirmed(folder);
    expect(await refusalOf(folder)).toMatchObject({ code: "log-format" });
  });

  it("L3 an open verifies from the newest snapshot on; older damage refuses the read that meets it", async () => {
    const { folder } = await folderWithLog(6);
    await tamper(folder, (store) => rewrite(store, commitKey("s", 3), flip));
    const log = levelLog(folder);
    const session = await log.openSession("s");
    expect(await readAll(session, { from: 7 })).toHaveLength(4);
    expect(await session.get(5)).toBeDefined();
    await expect(session.get(3)).rejects.toMatchObject({ kind: "checksum", from: 3 });
    await expect(readAll(session)).rejects.toMatchObject({ kind: "checksum", from: 3 });
    await expect(readAll(session, { from: 4 })).rejects.toMatchObject({
      kind: "checksum",
      from: 3,
    });
    await log.close();
    await tamper(folder, (store) => rewrite(store, commitKey("s", 8), flip));
    expect(await refusalOf(folder)).toMatchObject({ kind: "checksum", from: 8 });
  });

  it("L3 a range whose end is missing is refused, not cut short", async () => {
    const { folder } = await folderWithLog(6);
    await tamper(folder, (store) => rewrite(store, commitKey("s", 5), () => undefined));
    const log = levelLog(folder);
    const session = await log.openSession("s");
    await expect(readAll(session, { to: 5 })).rejects.toMatchObject({
      kind: "hole",
      from: 5,
      to: 5,
    });
    await expect(session.get(5)).rejects.toMatchObject({ kind: "hole", from: 5 });
    await expect(readAll(session, { from: 6 })).rejects.toMatchObject({ kind: "hole", from: 5 });
    await log.close();
  });

  it("L5 L3 a commit under an older lease than the one before it is named", async () => {
    const { folder } = await folderWithLog();
    await tamper(folder, async (store) => {
      const { h: _, ...fields } = JSON.parse((await store.get(commitKey("s", 10))) ?? "") as {
        h: string;
      };
      const { text, hash } = seal({ ...fields, epoch: 0 }, sha256);
      await rewrite(store, commitKey("s", 10), () => text);
      await rewrite(store, headKey("s"), () => JSON.stringify({ position: 10, hash, epoch: 0 }));
    });
    await forgetConfirmed(folder);
    expect(await refusalOf(folder)).toMatchObject({ kind: "chain", from: 10 });
  });

  it("L7 an unreadable or foreign snapshot is passed over, also as a place to verify from", async () => {
    for (const edit of [
      () => "{",
      (text: string) => text.replace('"state":"{}"', '"state":"[]"'),
      (text: string) =>
        seal({ ...(JSON.parse(text) as object), hash: "f".repeat(64) }, sha256).text,
    ]) {
      const { folder } = await folderWithLog(6);
      await tamper(folder, (store) => rewrite(store, snapshotKey("s", 6), edit));
      const log = levelLog(folder);
      const session = await log.openSession("s");
      expect(await session.loadSnapshot(1)).toBeUndefined();
      expect(await readAll(session)).toHaveLength(COMMITS);
      await log.close();
    }
  });

  it("L3 damage of one session leaves the others open to use", async () => {
    const { folder } = await folderWithLog();
    const log = levelLog(folder);
    await appendOne(await log.openSession("other"), "fine");
    await log.close();
    await tamper(folder, (store) => rewrite(store, commitKey("s", 4), flip));
    const again = levelLog(folder);
    await expect(again.openSession("s")).rejects.toMatchObject({ kind: "checksum" });
    await appendOne(await again.openSession("other"), "still fine");
    await again.close();
  });
});

/** Makes the watermark that of a log in which nothing had been confirmed. */
async function forgetConfirmed(folder: string): Promise<void> {
  await writeFile(join(folder, "dovecote.watermark"), seal({ sessions: [] }, sha256).text);
}

/** The store's journal, where the newest writes are. */
async function journal(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /^[0-9]+\.log$/.test(name));
  return join(folder, names.sort().at(-1) ?? "");
}

describe("a damaged file under the log", () => {
  it("L3 a cut off journal is a lost tail, which the watermark shows", async () => {
    const { folder } = await folderWithLog();
    const file = await journal(folder);
    await truncate(file, Math.floor((await readFile(file)).length / 2));
    expect(await refusalOf(folder)).toMatchObject({ code: "log-tail-lost", expected: COMMITS });
  });

  it("L3 a deleted journal is a lost tail down to nothing", async () => {
    const { folder } = await folderWithLog();
    await rm(await journal(folder));
    expect(await refusalOf(folder)).toMatchObject({ code: "log-corrupt" });
  });

  it("L3 a torn last commit that nobody had been told of is dropped whole, and the log goes on", async () => {
    const { folder } = await folderWithLog();
    await forgetConfirmed(folder);
    const file = await journal(folder);
    await truncate(file, (await readFile(file)).length - 5);
    const log = levelLog(folder);
    const session = await log.openSession("s");
    expect(session.head().position).toBe(COMMITS - 1);
    expect((await appendOne(session, "again")).position).toBe(COMMITS);
    await log.close();
    expect(await refusalOf(folder)).toBe("read");
  });

  it("L3 no byte of the journal can be flipped without a refusal", async () => {
    // The first half of the journal holds the making of the log and the first commits.
    const { folder } = await folderWithLog();
    const size = (await readFile(await journal(folder))).length;
    for (let step = 1; step <= 8; step += 1) {
      const { folder: fresh } = await folderWithLog();
      const file = await journal(fresh);
      const bytes = await readFile(file);
      const at = Math.floor((size * step) / 9);
      bytes[at] = (bytes[at] ?? 0) ^ 0x20;
      await writeFile(file, bytes);
      expect(await refusalOf(fresh), `byte ${at} of ${size}`).toMatchObject({
        code: expect.stringMatching(/^log-(?:corrupt|tail-lost)$/) as string,
      });
    }
  }, 30_000);

  it("L3 a missing or damaged watermark refuses the folder", async () => {
    const { folder } = await folderWithLog();
    const file = join(folder, "dovecote.watermark");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(`${COMMITS}`, "11"));
    expect(await refusalOf(folder)).toMatchObject({ code: "log-corrupt", kind: "watermark" });
    await rm(file);
    expect(await refusalOf(folder)).toMatchObject({ code: "log-corrupt", kind: "watermark" });
    await writeFile(file, text);
    expect(await refusalOf(folder)).toBe("read");
  });

  it("L3 another history below the watermark is found", async () => {
    const { folder } = await folderWithLog();
    const sessions = [["s", 5, "0".repeat(16)]];
    await writeFile(join(folder, "dovecote.watermark"), seal({ sessions }, sha256).text);
    expect(await refusalOf(folder)).toMatchObject({ kind: "watermark", from: 5 });
  });
});
