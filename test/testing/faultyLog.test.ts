/** The fault-injecting log: it fails as told, and is otherwise the log that it wraps. */
import { describe, expect, it } from "vitest";
import { memoryLog, MemoryStorage } from "../../src/log/memoryLog.js";
import type { CommitDraft } from "../../src/events/commit.js";
import { faultyLog } from "../../src/testing/faultyLog.js";

const draft = (n: number): CommitDraft => ({
  id: `c${n}`,
  n,
  at: 0,
  events: [{ type: "session.created", cause: "host:create", id: "s", capacity: 1 }],
});

describe("a faulty log", () => {
  it("fails the next append for certain, and passes on those after it", async () => {
    const log = faultyLog(memoryLog());
    const session = await log.openSession("s");
    log.failNext("unavailable", { cause: "full" });
    expect(await session.append(draft(1))).toEqual({ kind: "unavailable", cause: "full" });
    expect(session.head().position).toBe(0);
    expect(await session.append(draft(1))).toMatchObject({ kind: "appended" });
    expect(log.appends).toBe(2);
  });

  it.each([false, true])(
    "M3 leaves an unknown append written or not, as told: %j",
    async (written) => {
      const storage = new MemoryStorage();
      const log = faultyLog(memoryLog(storage));
      const session = await log.openSession("s");
      log.failNext("unknown", { written });
      expect(await session.append(draft(1))).toMatchObject({ kind: "unknown", commitId: "c1" });
      await session.close();
      const reopened = await memoryLog(storage).openSession("s");
      expect(reopened.head().position).toBe(written ? 1 : 0);
    },
  );

  it("holds an append open until it is released or failed", async () => {
    const log = faultyLog(memoryLog());
    const session = await log.openSession("s");
    const first = log.holdNext();
    const second = log.holdNext();
    expect(first.commit).toBeUndefined();
    const appending = session.append(draft(1));
    await first.arrived;
    expect(first.commit?.id).toBe("c1");
    expect(session.head().position).toBe(0);
    first.release();
    expect(await appending).toMatchObject({ kind: "appended" });
    const failing = session.append(draft(2));
    await second.arrived;
    second.fail("unavailable");
    expect(await failing).toMatchObject({ kind: "unavailable" });
    expect(await session.get(1)).toMatchObject({ id: "c1" });
    expect(await session.get(2)).toBeUndefined();
  });

  it("passes everything else on", async () => {
    const log = faultyLog(memoryLog());
    const session = await log.openSession("s");
    expect(log.name).toBe("faulty memory");
    await session.append(draft(1));
    expect(await log.sessions()).toEqual(["s"]);
    await session.saveSnapshot({
      position: 1,
      hash: session.head().hash,
      version: 1,
      state: "{}",
    });
    expect(await session.loadSnapshot(1)).toMatchObject({ state: "{}" });
    expect((await log.readSession("s"))?.head().position).toBe(1);
    for await (const commit of session.read()) expect(commit.id).toBe("c1");
    await session.close();
    await log.close();
    await expect(log.sessions()).rejects.toMatchObject({ code: "log-unavailable" });
  });
});
