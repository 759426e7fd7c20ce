/** The part of the log contract that is about idempotency keys (M3). */
import assert from "node:assert/strict";
import { appendOne, draftAfter, readAll, within, type Declare } from "./logSupport.js";

/** Keys that a careless layout mixes up. */
const ODD_KEYS = ["a", "a/b", "a%2Fb", "A", "\u{1f54a}", "..", "__proto__", " ", "a\0b"];

/** Keys are written with their commit, and found again (M3). */
export function keys(test: Declare): void {
  test("M3 a key that no commit has is not found, in an empty session neither", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.equal(await session.lookup("a"), undefined);
      await session.append({ ...draftAfter(session.head(), "x"), keys: { b: "1" } });
      await appendOne(session, "more");
      assert.equal(await session.lookup("a"), undefined);
    });
  });

  test("M3 a key is found with what its commit says, live, by a reader and after a reopen", async (place) => {
    const given = Object.fromEntries(ODD_KEYS.map((key, index) => [key, `answer ${index}`]));
    await within(place, async (log) => {
      const session = await log.openSession("s");
      await appendOne(session, "first");
      await session.append({ ...draftAfter(session.head(), "second"), keys: given });
      await appendOne(session, "third");
      for (const key of ODD_KEYS) assert.equal(await session.lookup(key), given[key]);
      const reader = await log.readSession("s");
      for (const key of ODD_KEYS) assert.equal(await reader?.lookup(key), given[key]);
    });
    await within(place, async (log) => {
      const session = await log.openSession("s");
      for (const key of ODD_KEYS) assert.equal(await session.lookup(key), given[key]);
      const [first, second] = await readAll(session);
      assert.equal(first?.keys, undefined);
      assert.deepEqual(Object.entries(second?.keys ?? {}), Object.entries(given));
    });
  });

  test("M3 a key of a commit that was not appended is not found", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      const head = await appendOne(session, "first");
      const conflict = await session.append({ ...draftAfter(head, "no"), n: 9, keys: { a: "1" } });
      assert.equal(conflict.kind, "conflict");
      assert.equal(await session.lookup("a"), undefined);
    });
  });

  test("M3 sessions of one log do not share keys", async (place) => {
    await within(place, async (log) => {
      const one = await log.openSession("one");
      const other = await log.openSession("one/other");
      await one.append({ ...draftAfter(one.head(), "x"), keys: { "other/a": "one" } });
      await other.append({ ...draftAfter(other.head(), "x"), keys: { a: "other" } });
      assert.equal(await one.lookup("other/a"), "one");
      assert.equal(await one.lookup("a"), undefined);
      assert.equal(await other.lookup("a"), "other");
    });
  });

  test("R3 a reader finds no key of a commit past its head", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      await appendOne(session, "first");
      const reader = await log.readSession("s");
      await session.append({ ...draftAfter(session.head(), "x"), keys: { a: "1" } });
      assert.equal(await session.lookup("a"), "1");
      assert.equal(await reader?.lookup("a"), undefined);
    });
  });
}
