/** The part of the log contract that is about reading: reopening, ranges, readers, snapshots, closing. */
import assert from "node:assert/strict";
import type { Commit } from "../events/commit.js";
import type { Head } from "../log/log.js";
import {
  appendOne,
  draftAfter,
  readAll,
  rejectsWith,
  snapshotAt,
  textOf,
  within,
  type Declare,
} from "./logSupport.js";

/** What was acknowledged can be read (L1, R3). */
export function reads(test: Declare): void {
  test("L1 a reopened log holds every commit that was acknowledged", async (place) => {
    let before: readonly Commit[] = [];
    await within(place, async (log) => {
      const session = await log.openSession("s");
      for (let n = 1; n <= 25; n += 1) await appendOne(session, `text ${n}`, "more");
      before = await readAll(session);
    });
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.deepEqual(await readAll(session), before);
      assert.equal(session.head().position, 25);
      assert.equal((await appendOne(session, "next")).position, 26);
    });
  });

  test("L1 a range is read with both its ends, and nothing outside the log", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      for (let n = 1; n <= 6; n += 1) await appendOne(session, `text ${n}`);
      const numbers = async (range: { from?: number; to?: number }): Promise<number[]> =>
        (await readAll(session, range)).map((commit) => commit.n);
      assert.deepEqual(await numbers({}), [1, 2, 3, 4, 5, 6]);
      assert.deepEqual(await numbers({ from: 3, to: 5 }), [3, 4, 5]);
      assert.deepEqual(await numbers({ from: 6 }), [6]);
      assert.deepEqual(await numbers({ to: 2 }), [1, 2]);
      assert.deepEqual(await numbers({ from: -3, to: 99 }), [1, 2, 3, 4, 5, 6]);
      assert.deepEqual(await numbers({ from: 5, to: 4 }), []);
      assert.deepEqual(await numbers({ from: 7 }), []);
      assert.equal((await session.get(4))?.id, "commit-4");
      assert.equal(await session.get(7), undefined);
      assert.equal(await session.get(0), undefined);
    });
  });

  test("R3 a reader beside a writer sees what was acknowledged when it was opened", async (place) => {
    await within(place, async (log) => {
      const writer = await log.openSession("s");
      await appendOne(writer, "one");
      await appendOne(writer, "two");
      const reader = await log.readSession("s");
      assert.ok(reader !== undefined);
      await appendOne(writer, "three");
      assert.equal(reader.head().position, 2);
      assert.deepEqual((await readAll(reader)).map(textOf), ["one", "two"]);
      assert.equal(await reader.get(3), undefined);
      const later = await log.readSession("s");
      assert.equal(later?.head().position, 3);
      await reader.close();
      await appendOne(writer, "four");
    });
  });

  test("L1 a reading that is left early disturbs nothing", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      for (let n = 1; n <= 5; n += 1) await appendOne(session, `text ${n}`);
      for await (const commit of session.read()) if (commit.n === 2) break;
      await appendOne(session, "text 6");
      assert.equal((await readAll(session)).length, 6);
    });
  });
}

/** Snapshots are only ever a cache (L7). */
export function snapshots(test: Declare): void {
  test("L7 the newest fitting snapshot is given back, and two are kept", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      const heads: Head[] = [];
      for (let n = 1; n <= 4; n += 1) heads.push(await appendOne(session, `text ${n}`));
      for (const head of heads.slice(0, 3)) await session.saveSnapshot(snapshotAt(head));
      assert.deepEqual(await session.loadSnapshot(1), snapshotAt(heads[2]!));
      assert.deepEqual(await session.loadSnapshot(1, 2), snapshotAt(heads[1]!));
      assert.equal(await session.loadSnapshot(1, 1), undefined);
      await session.close();
    });
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.equal((await session.loadSnapshot(1))?.position, 3);
    });
  });

  test("L7 a snapshot of another history, another fold or a later time is ignored", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.equal(await session.loadSnapshot(1), undefined);
      const first = await appendOne(session, "one");
      const second = await appendOne(session, "two");
      await session.saveSnapshot(snapshotAt(first));
      await session.saveSnapshot({ ...snapshotAt(second), hash: "0".repeat(64) });
      assert.equal((await session.loadSnapshot(1))?.position, 1);
      assert.equal(await session.loadSnapshot(2), undefined);
      await session.saveSnapshot({ ...snapshotAt(second), position: 9 });
      assert.equal((await session.loadSnapshot(1))?.position, 1);
    });
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.equal((await session.loadSnapshot(1))?.position, 1);
      assert.deepEqual((await readAll(session)).map(textOf), ["one", "two"]);
    });
  });
}

/** A close settles everything (L8). */
export function endings(test: Declare): void {
  test("L8 closing twice is fine, and a closed log refuses by type", async (place) => {
    const log = await place.open();
    const session = await log.openSession("s");
    await appendOne(session, "one");
    const reader = await log.readSession("s");
    await Promise.all([log.close(), log.close()]);
    await log.close();
    await session.close();
    await reader?.close();
    await rejectsWith("log-unavailable", () => log.openSession("s"));
    await rejectsWith("log-unavailable", () => log.readSession("s"));
    await rejectsWith("log-unavailable", () => log.sessions());
    await rejectsWith("log-unavailable", () => session.get(1));
    await rejectsWith("log-unavailable", () => readAll(session));
    await rejectsWith("log-unavailable", () => session.loadSnapshot(1));
    if (reader !== undefined) await rejectsWith("log-unavailable", () => readAll(reader));
  });

  test("L8 an append that was handed over before the close is settled by it", async (place) => {
    const log = await place.open();
    const session = await log.openSession("s");
    const pending = session.append(draftAfter(session.head(), "last"));
    await log.close();
    const result = await pending;
    await within(place, async (again) => {
      const reopened = await again.openSession("s");
      assert.equal(reopened.head().position, result.kind === "appended" ? 1 : 0);
    });
  });
}
