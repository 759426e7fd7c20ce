/** Reading a log to find out whether it is whole (L3). */
import { describe, expect, it } from "vitest";
import { commitKey, headKey } from "../../src/log/keys.js";
import { levelLog, readLevelLog } from "../../src/log/levelLog.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import { type LogReport, type VerifyOptions, verifyLog } from "../../src/log/verify.js";
import { appendOne, snapshotAt } from "../../src/testing/logSupport.js";
import { closedLog, rewrite } from "../support/damage.js";
import { openWorld } from "../support/world.js";

const flip = (text: string): string => text.replace("text", "tExt");

async function verified(folder: string, options?: VerifyOptions): Promise<LogReport> {
  const log = readLevelLog(folder);
  try {
    return await verifyLog(log, options);
  } finally {
    await log.close();
  }
}

describe("verifying a log", () => {
  it("L3 counts what is whole, session by session, up to each head", async () => {
    const { folder, heads } = await closedLog(5, ["a", "b"]);
    const whole = { from: 1, commits: 5, events: 5, ok: true };
    expect(await verified(folder)).toEqual({
      ok: true,
      sessions: [
        { session: "a", head: heads.get("a"), ...whole },
        { session: "b", head: heads.get("b"), ...whole },
      ],
    });
    const empty = await verifyLog(memoryLog());
    expect(empty).toEqual({ ok: true, sessions: [] });
  });

  it("L3 the damage of one session is in its report, and hides no other's", async () => {
    const { folder } = await closedLog(6, ["a", "b", "c"]);
    await rewrite(folder, commitKey("a", 4), flip);
    await rewrite(folder, headKey("c"), () => "{");
    const { ok, sessions } = await verified(folder);
    expect(ok).toBe(false);
    expect(sessions).toMatchObject([
      { session: "a", commits: 3, ok: false, error: { kind: "checksum", from: 4 } },
      { session: "b", commits: 6, ok: true },
      { session: "c", commits: 0, ok: false, error: { kind: "head" } },
    ]);
  });

  it("L3 a session that lost its head, or everything, is seen still", async () => {
    const { folder } = await closedLog(2, ["a", "b"]);
    await rewrite(folder, headKey("a"), () => undefined);
    for (const key of [headKey("b"), commitKey("b", 1), commitKey("b", 2)]) {
      await rewrite(folder, key, () => undefined);
    }
    expect((await verified(folder)).sessions).toMatchObject([
      { session: "a", error: { code: "log-corrupt", kind: "head" } },
      { session: "b", error: { code: "log-tail-lost", expected: 2, found: 0 } },
    ]);
  });

  it("L3 a key before the first commit, and missing first commits, are met", async () => {
    const { folder } = await closedLog(3, ["a", "b"]);
    await rewrite(folder, "c/a/!", () => "?");
    await rewrite(folder, commitKey("b", 1), () => undefined);
    expect((await verified(folder)).sessions).toMatchObject([
      { session: "a", error: { kind: "unknown-key" } },
      { session: "b", error: { kind: "hole", from: 1, to: 1 } },
    ]);
  });

  it("L3 from the newest snapshot on it passes over what is older, as an opening does", async () => {
    const { folder } = await closedLog(4);
    const log = levelLog(folder);
    const session = await log.openSession("s");
    await session.saveSnapshot(snapshotAt(session.head()));
    await appendOne(session, "text 5");
    await log.close();
    await rewrite(folder, commitKey("s", 2), flip);
    const recent = await verified(folder, { from: "snapshot" });
    expect(recent.sessions).toMatchObject([{ from: 5, commits: 1, ok: true }]);
    expect((await verified(folder)).ok).toBe(false);
  });

  it("L3 tells how far it has come", async () => {
    const log = memoryLog();
    const session = await log.openSession("s");
    for (let n = 0; n < 2100; n += 1) await appendOne(session, "x");
    const seen: number[] = [];
    await verifyLog(log, { onProgress: ({ position }) => seen.push(position) });
    expect(seen).toEqual([1000, 2000, 2100]);
  });

  it("L3 a live session verifies its own log", async () => {
    const world = await openWorld();
    await world.session.send("/root", "hello");
    const report = await world.session.verify();
    expect(report).toMatchObject({ session: "main", from: 1, ok: true });
    expect(report.commits).toBe(report.head.position);
  });

  it("L6 what can't be read is no damage: the error is thrown", async () => {
    const { folder } = await closedLog(1);
    const log = readLevelLog(folder);
    await log.close();
    await expect(verifyLog(log)).rejects.toMatchObject({ code: "log-unavailable" });
  });
});
