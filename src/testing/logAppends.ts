/** The part of the log contract that is about writing: round trips, numbering, conflicts, leases. */
import assert from "node:assert/strict";
import type { DovecoteEvent } from "../events/events.js";
import {
  appendOne,
  draftAfter,
  ODD_TEXTS,
  readAll,
  rejectsWith,
  textOf,
  within,
  type Declare,
} from "./logSupport.js";

/** What is appended is read back, in its order (L1, L2, M1). */
export function streams(test: Declare): void {
  test("L1 a new session is empty and is not listed before its first commit", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.deepEqual(
        { position: session.head().position, hash: session.head().hash },
        { position: 0, hash: "" },
      );
      assert.deepEqual(await readAll(session), []);
      assert.equal(await session.get(1), undefined);
      assert.deepEqual(await log.sessions(), []);
      assert.equal(await log.readSession("s"), undefined);
    });
  });

  test("M1 every text is read back strictly equal, live and after a reopen", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      for (const text of ODD_TEXTS) await appendOne(session, text);
      assert.deepEqual((await readAll(session)).map(textOf), ODD_TEXTS);
    });
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.deepEqual((await readAll(session)).map(textOf), ODD_TEXTS);
    });
  });

  test("L2 commits are numbered without gaps and bound by hash", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      for (let n = 1; n <= 20; n += 1) {
        const head = await appendOne(session, `text ${n}`);
        assert.equal(head.position, n);
        assert.deepEqual(session.head(), head);
      }
      const commits = await readAll(session);
      let prev = "";
      for (const [index, commit] of commits.entries()) {
        assert.equal(commit.n, index + 1);
        assert.equal(commit.prev, prev);
        assert.equal(commit.epoch, session.epoch);
        prev = commit.hash;
      }
      assert.equal(prev, session.head().hash);
    });
  });

  test("L2 the events of a commit stand together, in their order", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      const draft = draftAfter(session.head(), "one", "two", "three");
      await session.append(draft);
      const commit = await session.get(1);
      assert.deepEqual(commit?.events, draft.events);
      assert.equal(commit?.id, draft.id);
      assert.equal(commit?.at, draft.at);
    });
  });
}

/** Only the next commit is appended, and whole (L2, M3). */
export function conflicts(test: Declare): void {
  test("L2 an append at any position but the next is a conflict and writes nothing", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      const head = await appendOne(session, "first");
      for (const n of [0, 1, 3]) {
        const result = await session.append({ ...draftAfter(head, "no"), n });
        assert.deepEqual(result, { kind: "conflict", head });
      }
      assert.equal((await readAll(session)).length, 1);
      await appendOne(session, "second");
    });
  });

  test("L2 of two appends at one position exactly one is there", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      const draft = draftAfter(session.head(), "once");
      const results = await Promise.all([
        session.append(draft),
        session.append({ ...draft, id: "other" }),
      ]);
      assert.deepEqual(
        results.map((result) => result.kind),
        ["appended", "conflict"],
      );
      assert.deepEqual(
        (await readAll(session)).map((commit) => commit.id),
        [draft.id],
      );
    });
  });

  test("M3 a commit that JSON can't carry is unavailable, and the log goes on", async (place) => {
    await within(place, async (log) => {
      const session = await log.openSession("s");
      const draft = draftAfter(session.head(), "x");
      const events = [{ ...draft.events[0], text: 1n }] as unknown as readonly DovecoteEvent[];
      assert.equal((await session.append({ ...draft, events })).kind, "unavailable");
      await appendOne(session, "good");
      assert.deepEqual((await readAll(session)).map(textOf), ["good"]);
    });
  });
}

/** Sessions of one log do not meet (L2). */
export function manySessions(test: Declare): void {
  test("L2 sessions are independent streams, whatever their ids", async (place) => {
    const ids = ["a", "a/b", "a%2Fb", "A", "\u{1f54a} dove", "..", "0"];
    await within(place, async (log) => {
      for (const id of ids) await appendOne(await log.openSession(id), `of ${id}`);
      assert.deepEqual(await log.sessions(), [...ids].sort());
    });
    await within(place, async (log) => {
      assert.deepEqual(await log.sessions(), [...ids].sort());
      for (const id of ids) {
        const session = await log.openSession(id);
        assert.equal(session.session, id);
        assert.deepEqual((await readAll(session)).map(textOf), [`of ${id}`]);
      }
    });
  });

  test("L2 many sessions that append at the same time each keep their own order", async (place) => {
    const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
    await within(place, async (log) => {
      await Promise.all(
        ids.map(async (id) => {
          const session = await log.openSession(id);
          for (let n = 1; n <= 10; n += 1) await appendOne(session, `${id} ${n}`);
        }),
      );
    });
    await within(place, async (log) => {
      for (const id of ids) {
        const session = await log.openSession(id);
        const texts = (await readAll(session)).map(textOf);
        assert.deepEqual(
          texts,
          Array.from({ length: 10 }, (_, index) => `${id} ${index + 1}`),
        );
      }
    });
  });

  test("X4 what can't name a session is refused", async (place) => {
    await within(place, async (log) => {
      for (const id of ["", "\ud800", "x".repeat(300)]) {
        await rejectsWith("bad-argument", () => log.openSession(id));
        await rejectsWith("bad-argument", () => log.readSession(id));
      }
    });
  });
}

/** A session has one writer (L5). */
export function leases(test: Declare): void {
  test("L5 a session has one writer; a second opener is refused and disturbs nothing", async (place) => {
    await within(place, async (log) => {
      const first = await log.openSession("s");
      await rejectsWith("log-in-use", () => log.openSession("s"));
      await rejectsWith("log-in-use", () => log.openSession("s"));
      await appendOne(first, "still here");
      await appendOne(await log.openSession("other"), "free");
      await first.close();
      const second = await log.openSession("s");
      assert.deepEqual((await readAll(second)).map(textOf), ["still here"]);
      await appendOne(second, "and on");
    });
  });

  test("L5 of two openers at the same time exactly one gets the session", async (place) => {
    await within(place, async (log) => {
      const results = await Promise.allSettled([log.openSession("s"), log.openSession("s")]);
      assert.deepEqual(results.map((result) => result.status).sort(), ["fulfilled", "rejected"]);
    });
  });

  test("L5 each lease has a higher epoch, and a closed writer can't append", async (place) => {
    let epoch = 0;
    for (let round = 0; round < 3; round += 1) {
      await within(place, async (log) => {
        const session = await log.openSession("s");
        assert.ok(session.epoch > epoch);
        epoch = session.epoch;
        const head = await appendOne(session, `round ${round}`);
        assert.equal(head.epoch, epoch);
        await session.close();
        assert.equal((await session.append(draftAfter(head, "late"))).kind, "unavailable");
      });
    }
    await within(place, async (log) => {
      const session = await log.openSession("s");
      assert.deepEqual((await readAll(session)).map(textOf), ["round 0", "round 1", "round 2"]);
    });
  });
}
