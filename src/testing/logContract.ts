/**
 * The contract of a log, as a suite that any engine can run: what every `EventLog` promises, and nothing that only
 * one engine can do. Needs no test framework of its own: it is handed `describe` and `it`, and asserts with Node.
 */
import assert from "node:assert/strict";
import { DovecoteError } from "../errors.js";
import type { Commit, CommitDraft } from "../events/commit.js";
import type { DovecoteEvent } from "../events/events.js";
import type { AppendResult, EventLog, Head, SessionLog, SessionReader } from "../log/log.js";

/** The two functions of a test framework that the suite needs: those of vitest, jest and node:test fit. */
export interface TestFramework {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** One place to keep a log in, fresh for each test. */
export interface LogPlace {
  /** Opens the log that is kept here; after a close, again. */
  open(): Promise<EventLog>;
  /** Frees the place, when every log in it is closed. */
  cleanup(): Promise<void>;
}

/** Texts that a careless codec damages (M1). */
export const ODD_TEXTS: readonly string[] = [
  "a\0b",
  "line\u2028para\u2029end",
  "one\r\ntwo\rthree\n",
  '"},{"e":[],"h":"\\u0000\\\\',
  "\u{1f54a}\u{10ffff}\ufeff\ufffd",
  "e\u0301 \u00e9",
  "x".repeat(3_000_000),
];

/** A commit that follows `head`, holding one MAIL for each text. */
export function draftAfter(head: Head, ...texts: readonly string[]): CommitDraft {
  const n = head.position + 1;
  return { id: `commit-${n}`, n, at: 1_700_000_000_000 + n, events: texts.map(mailOf) };
}

/** Appends one commit and gives the head after it; anything but `appended` fails the test. */
export async function appendOne(log: SessionLog, ...texts: readonly string[]): Promise<Head> {
  const result = await log.append(draftAfter(log.head(), ...texts));
  assert.equal(result.kind, "appended", `append gave ${result.kind}`);
  return (result as Extract<AppendResult, { kind: "appended" }>).head;
}

/** All commits of a range. */
export async function readAll(
  log: SessionReader,
  range?: { from?: number; to?: number },
): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  for await (const commit of log.read(range)) commits.push(commit);
  return commits;
}

/**
 * Declares the contract suite of logs for one engine (L1-L7).
 *
 * @param name of the engine, for the report.
 * @param make gives a fresh, empty place.
 * @example logContract({ describe, it }, "memory", async () => placeInMemory())
 */
export function logContract(
  framework: TestFramework,
  name: string,
  make: () => Promise<LogPlace>,
): void {
  framework.describe(`the log contract: ${name}`, () => {
    const test = (title: string, body: (place: LogPlace) => Promise<void>): void => {
      framework.it(title, async () => {
        const place = await make();
        try {
          await body(place);
        } finally {
          await place.cleanup();
        }
      });
    };
    appends(test);
    leases(test);
    reads(test);
    snapshots(test);
    endings(test);
  });
}

type Declare = (title: string, body: (place: LogPlace) => Promise<void>) => void;

function appends(test: Declare): void {
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

function leases(test: Declare): void {
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

function reads(test: Declare): void {
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

function snapshots(test: Declare): void {
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

function endings(test: Declare): void {
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

async function within(place: LogPlace, body: (log: EventLog) => Promise<void>): Promise<void> {
  const log = await place.open();
  try {
    await body(log);
  } finally {
    await log.close();
  }
}

async function rejectsWith(code: string, run: () => Promise<unknown>): Promise<void> {
  await assert.rejects(run, (error) => {
    assert.ok(error instanceof DovecoteError, `not one of this library's errors: ${String(error)}`);
    assert.equal(error.code, code);
    return true;
  });
}

function snapshotAt(head: Head): {
  position: number;
  hash: string;
  version: number;
  state: string;
} {
  return { position: head.position, hash: head.hash, version: 1, state: `{"at":${head.position}}` };
}

function mailOf(text: string): DovecoteEvent {
  return {
    type: "mail.queued",
    cause: "person:prompt",
    path: "/root",
    gen: 0,
    mail: "MAIL",
    from: "person",
    text,
  };
}

function textOf(commit: Commit): string | undefined {
  const event = commit.events[0];
  return event?.type === "mail.queued" ? event.text : undefined;
}
