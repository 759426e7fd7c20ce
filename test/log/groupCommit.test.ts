import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { levelLog } from "../../src/log/levelLog.js";
import type { EventLog, SessionLog } from "../../src/log/log.js";
import { appendOne, draftAfter, readAll } from "../../src/testing/logSupport.js";
import { testFolder } from "../support/folders.js";
import { watchedLog } from "../support/watchedLog.js";

async function openMany(log: EventLog, count: number): Promise<readonly SessionLog[]> {
  const sessions: SessionLog[] = [];
  for (let index = 0; index < count; index += 1) sessions.push(await log.openSession(`s${index}`));
  return sessions;
}

describe("group commit", () => {
  it("M3 appends that wait at the same time share one batch and one sync", async () => {
    const watch = watchedLog(await testFolder());
    const sessions = await openMany(watch.log, 20);
    for (let round = 0; round < 3; round += 1) {
      watch.writes.length = 0;
      await Promise.all(sessions.map((session) => appendOne(session, "x")));
      expect(watch.writes.map(({ changes, sync }) => [changes.length, sync])).toEqual([[40, true]]);
    }
    await watch.log.close();
  });

  it("M3 what comes while a batch is written makes the next one", async () => {
    const watch = watchedLog(await testFolder());
    const [first, ...others] = await openMany(watch.log, 6);
    watch.writes.length = 0;
    const late: Promise<unknown>[] = [];
    watch.beforeWrite = async () => {
      watch.beforeWrite = undefined;
      for (const session of others) late.push(appendOne(session, "late"));
    };
    await appendOne(first!, "first");
    await Promise.all(late);
    expect(watch.writes.map(({ changes }) => changes.length)).toEqual([2, 10]);
    await watch.log.close();
  });

  it("L2 a commit and the head that names it are in one batch", async () => {
    const watch = watchedLog(await testFolder());
    const session = await watch.log.openSession("s");
    watch.writes.length = 0;
    const head = await appendOne(session, "x");
    expect(watch.writes[0]?.changes.map(({ key }) => key)).toEqual(["c/s/0000000000000001", "h/s"]);
    expect(JSON.parse(watch.writes[0]?.changes[1]?.value ?? "")).toEqual(head);
    await watch.log.close();
  });

  it("M3 without durability on the disk nothing is synced but what the watermark confirms", async () => {
    const watch = watchedLog(await testFolder(), { durability: "process" });
    const session = await watch.log.openSession("s");
    watch.writes.length = 0;
    await appendOne(session, "x");
    expect(watch.writes.map(({ sync }) => sync)).toEqual([false]);
    await watch.log.close();
    expect(watch.writes.map(({ sync }) => sync)).toEqual([false, true]);
  });
});

describe("a reader beside writers", () => {
  it("R3 that is opened while a writer comes and appends takes the log for what it is, and not for damaged", async () => {
    const folder = await testFolder();
    const before = levelLog(folder);
    await appendOne(await before.openSession("s"), "one");
    await before.close();
    const watch = watchedLog(folder);
    await watch.log.sessions();
    let writer: SessionLog | undefined;
    watch.beforeScan = async () => {
      watch.beforeScan = undefined;
      writer = await watch.log.openSession("s");
      await appendOne(writer, "two");
      await writer.close();
    };
    const reader = await watch.log.readSession("s");
    expect(writer).toBeDefined();
    expect(reader?.head()).toEqual(writer?.head());
    await watch.log.close();
  });
});

describe("a write that fails", () => {
  it.each(["fail", "lie"] as const)(
    "L6 M3 (%s) leaves the waiters of its batch in doubt, and everything after it refused",
    async (mode) => {
      const folder = await testFolder();
      const watch = watchedLog(folder);
      const sessions = await openMany(watch.log, 3);
      for (const session of sessions) await appendOne(session, "before");

      const late: Promise<unknown>[] = [];
      watch.mode = mode;
      watch.beforeWrite = async () => {
        late.push(sessions[2]!.append(draftAfter(sessions[2]!.head(), "behind it")));
      };
      const results = await Promise.all(
        sessions.slice(0, 2).map((session) => session.append(draftAfter(session.head(), "in it"))),
      );
      for (const result of results) {
        expect(result).toMatchObject({ kind: "unknown", commitId: "commit-2" });
      }
      expect(await Promise.all(late)).toMatchObject([{ kind: "unavailable" }]);

      // The store works again, and is not asked: it could acknowledge what it will not keep.
      watch.mode = "work";
      const written = watch.writes.length;
      for (const session of sessions) {
        const result = await session.append(draftAfter(session.head(), "after it"));
        expect(result).toMatchObject({ kind: "unavailable" });
        expect(await readAll(session, { to: 1 })).toHaveLength(1);
      }
      expect(watch.writes).toHaveLength(written);
      await expect(watch.log.openSession("new")).rejects.toMatchObject({ code: "log-unavailable" });
      await watch.log.close();

      const again = levelLog(folder);
      const reopened = await openMany(again, 3);
      const unknown = mode === "lie" ? ["commit-1", "commit-2"] : ["commit-1"];
      const expected = [unknown, unknown, ["commit-1"]];
      for (const [index, session] of reopened.entries()) {
        expect((await readAll(session)).map(({ id }) => id)).toEqual(expected[index]);
        await appendOne(session, "on");
      }
      await again.close();
    },
  );

  it("L7 a snapshot that can't be saved does not reject; the next append tells", async () => {
    const watch = watchedLog(await testFolder());
    const session = await watch.log.openSession("s");
    const head = await appendOne(session, "x");
    watch.mode = "fail";
    await session.saveSnapshot({ ...head, version: 1, state: "{}" });
    expect(await session.append(draftAfter(head, "y"))).toMatchObject({ kind: "unavailable" });
    await watch.log.close();
  });
});

describe("the watermark", () => {
  const read = async (folder: string): Promise<unknown> => {
    const text = await readFile(join(folder, "dovecote.watermark"), "utf8");
    return (JSON.parse(text) as { sessions: unknown }).sessions;
  };

  it("L3 is written once for all that was confirmed since, by a timer that is set once", async () => {
    const folder = await testFolder();
    const watch = watchedLog(folder);
    const [a, b] = await openMany(watch.log, 2);
    expect(watch.timers.size).toBe(0);
    for (let n = 0; n < 3; n += 1) await appendOne(a!, "x");
    const head = await appendOne(b!, "x");
    expect(await read(folder)).toEqual([]);
    expect(watch.timers.size).toBe(1);
    const [timer] = watch.timers;
    watch.timers.clear();
    timer!();
    await watch.log.close();
    expect(await read(folder)).toEqual([
      ["s0", 3, a!.head().hash.slice(0, 16)],
      ["s1", 1, head.hash.slice(0, 16)],
    ]);
  });

  it("L3 is written by a close, which leaves no timer behind", async () => {
    const folder = await testFolder();
    const watch = watchedLog(folder);
    await appendOne(await watch.log.openSession("s"), "x");
    expect(watch.timers.size).toBe(1);
    await watch.log.close();
    expect(watch.timers.size).toBe(0);
    expect(await read(folder)).toEqual([["s", 1, expect.any(String)]]);
  });

  it("L3 never confirms what was not acknowledged", async () => {
    const folder = await testFolder();
    const watch = watchedLog(folder);
    const session = await watch.log.openSession("s");
    await appendOne(session, "x");
    watch.mode = "lie";
    await session.append(draftAfter(session.head(), "y"));
    await watch.log.close();
    expect(await read(folder)).toEqual([["s", 1, expect.any(String)]]);
  });
});
