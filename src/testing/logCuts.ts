/** The part of the log contract that is about retention: a log that was cut begins at its anchor, and says so (S6). */
import assert from "node:assert/strict";
import type { EventLog, Head, SessionLog, Snapshot } from "../log/log.js";
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

/** What is cut is gone, what is kept can be read, and everything after it goes on (L1, S6). */
export function cuts(test: Declare): void {
  test("S6 a log that was cut begins after its anchor, and gives what was kept", async (place) => {
    await within(place, async (log) => {
      const { session, heads } = await filled(log);
      assert.equal(session.anchor(), undefined);
      await session.cut(baseAt(heads, 4), [2, 2]);
      await expectCut(session, heads);
      await appendOne(session, "text 8");
    });
    await within(place, async (log) => {
      const session = await log.openSession("s");
      const reader = await log.readSession("s");
      assert.ok(reader !== undefined);
      for (const one of [session, reader]) {
        assert.deepEqual((await readAll(one)).map(textOf), [
          "text 5",
          "text 6",
          "text 7",
          "text 8",
        ]);
        assert.equal((await one.anchor()?.base())?.state, "the fold at 4");
        assert.equal(textOf((await one.get(2))!), "text 2");
        assert.equal(await one.get(3), undefined);
      }
      assert.equal((await appendOne(session, "text 9")).position, 9);
    });
  });

  test("S6 a reading from below the anchor is refused by type, and a range above it is read", async (place) => {
    await within(place, async (log) => {
      const { session, heads } = await filled(log);
      await session.cut(baseAt(heads, 4), []);
      await rejectsWith("log-cut", () => readAll(session, { from: 4 }));
      await rejectsWith("log-cut", () => readAll(session, { from: 1, to: 3 }));
      assert.deepEqual((await readAll(session, { from: 6, to: 6 })).map(textOf), ["text 6"]);
      assert.deepEqual(await readAll(session, { to: 3 }), []);
      assert.deepEqual(await readAll(session, { from: 3, to: 2 }), []);
    });
  });

  test("S6 a reader that is open while the log is cut is told, and reads on", async (place) => {
    await within(place, async (log) => {
      const { session, heads } = await filled(log);
      const reader = await log.readSession("s");
      assert.ok(reader !== undefined);
      const reading = reader.read();
      const first = await reading[Symbol.asyncIterator]().next();
      assert.equal(first.done === true ? undefined : textOf(first.value), "text 1");
      await session.cut(baseAt(heads, 4), [2]);
      assert.equal(reader.anchor()?.position, 4);
      assert.equal(await reader.get(1), undefined);
      assert.equal(textOf((await reader.get(2))!), "text 2");
      assert.deepEqual((await readAll(reader)).map(textOf), ["text 5", "text 6", "text 7"]);
      await reader.close();
    });
  });
}

/** Which cuts can be made, and what they make of each other (S6). */
export function cutting(test: Declare): void {
  test("S6 a log can be cut again, further on, and what was kept may go then", async (place) => {
    await within(place, async (log) => {
      const { session, heads } = await filled(log);
      await session.cut(baseAt(heads, 2), [1]);
      await session.cut(baseAt(heads, 5), [3]);
      assert.equal(session.anchor()?.position, 5);
      assert.equal(await session.get(1), undefined);
      assert.equal(textOf((await session.get(3))!), "text 3");
    });
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.deepEqual((await readAll(session)).map(textOf), ["text 6", "text 7"]);
      assert.equal((await session.anchor()?.base())?.position, 5);
    });
  });

  test("S6 a cut that can't be made is refused, and changes nothing", async (place) => {
    await within(place, async (log) => {
      const { session, heads } = await filled(log);
      const bad = async (base: Snapshot, keep: readonly number[] = []): Promise<void> =>
        rejectsWith("bad-argument", () => session.cut(base, keep));
      await bad(baseAt(heads, 7));
      await bad({ ...baseAt(heads, 4), position: 0 });
      await bad({ ...baseAt(heads, 4), position: 12 });
      await bad({ ...baseAt(heads, 4), hash: "0".repeat(64) });
      await bad(baseAt(heads, 4), [5]);
      await bad(baseAt(heads, 4), [0]);
      assert.equal((await readAll(session)).length, 7);
      await session.cut(baseAt(heads, 4), []);
      await bad(baseAt(heads, 4));
      await bad(baseAt(heads, 3));
      assert.equal(session.anchor()?.position, 4);
    });
  });
}

/** What stands beside the commits stays, and goes along (L4, L7, M3). */
export function besideCuts(test: Declare): void {
  test("S6 L7 the fold at the anchor is no cache: newer snapshots do not drive it out, older ones go", async (place) => {
    await within(place, async (log) => {
      const { session, heads } = await filled(log);
      await session.saveSnapshot(snapshotAt(heads[2]!));
      await session.cut(baseAt(heads, 4), []);
      assert.equal((await session.loadSnapshot(1))?.state, "the fold at 4");
      for (const head of heads.slice(4)) await session.saveSnapshot(snapshotAt(head));
      assert.equal((await session.loadSnapshot(1))?.position, 7);
      assert.equal((await session.loadSnapshot(1, 5))?.state, "the fold at 4");
      assert.equal(await session.loadSnapshot(1, 3), undefined);
    });
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.equal((await session.anchor()?.base())?.state, "the fold at 4");
    });
  });

  test("S6 M3 the keys of commits that are gone keep their answers", async (place) => {
    const look = async (session: SessionLog): Promise<void> => {
      assert.equal(await session.lookup("gone"), "one");
      assert.equal(await session.lookup("kept/ü"), "two");
      assert.equal(await session.lookup("never"), undefined);
      const keys = [];
      for await (const key of session.anchor()?.keys() ?? []) keys.push(key);
      assert.deepEqual(keys, [{ key: "gone", position: 1, answer: "one" }]);
    };
    await within(place, async (log) => {
      const session = await log.openSession("s");
      await session.append({ ...draftAfter(session.head(), "x"), keys: { gone: "one" } });
      await session.append({ ...draftAfter(session.head(), "x"), keys: { "kept/ü": "two" } });
      const at = session.head();
      await appendOne(session, "last");
      await session.cut({ ...snapshotAt(at), state: "base" }, [2]);
      await look(session);
    });
    await within(place, async (log) => look(await log.openSession("s")));
  });

  test("S6 L4 what was cut goes with its records to another log", async (place) => {
    await within(place, async (log) => {
      const { session, heads } = await filled(log);
      await session.append({ ...draftAfter(session.head(), "x"), keys: { a: "1" } });
      const at = session.head();
      await appendOne(session, "last");
      await session.cut({ ...snapshotAt(at), state: "base" }, [2]);
      const head = await log.restore("copy", session.records(), session.anchor());
      assert.equal(head.hash, session.head().hash);
      assert.notEqual(head.hash, heads.at(-1)?.hash);
    });
    await within(place, async (log) => {
      const copy = await log.openSession("copy");
      assert.equal(copy.anchor()?.position, 8);
      assert.equal((await copy.anchor()?.base())?.state, "base");
      assert.equal(textOf((await copy.get(2))!), "text 2");
      assert.equal(await copy.lookup("a"), "1");
      assert.equal((await appendOne(copy, "on")).position, 10);
    });
  });
}

async function filled(
  log: EventLog,
): Promise<{ readonly session: SessionLog; readonly heads: readonly Head[] }> {
  const session = await log.openSession("s");
  const heads: Head[] = [];
  for (let n = 1; n <= 7; n += 1) heads.push(await appendOne(session, `text ${n}`));
  return { session, heads };
}

function baseAt(heads: readonly Head[], position: number): Snapshot {
  return { ...snapshotAt(heads[position - 1]!), state: `the fold at ${position}` };
}

async function expectCut(session: SessionLog, heads: readonly Head[]): Promise<void> {
  const anchor = session.anchor();
  assert.ok(anchor !== undefined);
  assert.deepEqual({ position: anchor.position, hash: anchor.hash, epoch: anchor.epoch }, heads[3]);
  assert.deepEqual(await anchor.base(), baseAt(heads, 4));
  const kept: number[] = [];
  for await (const { position } of anchor.kept()) kept.push(position);
  assert.deepEqual(kept, [2]);
  assert.deepEqual((await readAll(session)).map(textOf), ["text 5", "text 6", "text 7"]);
  assert.equal(textOf((await session.get(2))!), "text 2");
  for (const gone of [1, 3, 4]) assert.equal(await session.get(gone), undefined);
  assert.deepEqual(session.head(), heads.at(-1));
}
