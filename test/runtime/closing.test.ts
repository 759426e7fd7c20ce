/** Closing: nothing new, everything handed out settles, nothing is left behind (L8). */
import { describe, expect, it } from "vitest";
import { openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

const closed = { code: "session-closed", rule: "L8" };

describe("closing", () => {
  it("L8 interrupts and settles live turns, deepest first, and starts nothing any more", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    await world.hands.of("/root/a").turn.spawn({ name: "b", behavior: "worker", task: "t" });
    await world.ports.settle();
    await world.session.close();
    await expect(world.outcome).resolves.toMatchObject({
      kind: "interrupted",
      reason: "session closed",
    });
    expect((await world.eventsOf("turn.settled")).map(({ path }) => path)).toEqual([
      "/root/a/b",
      "/root/a",
      "/root",
    ]);
    expect(world.hands.called).toEqual(["/root#1", "/root/a#1", "/root/a/b#1"]);
    const again = await world.crash();
    expect(again.session.opening.recovered).toEqual([]);
    expect(await again.session.unread("/root/a")).toMatchObject([{ type: "RESULT" }]);
  });

  it("L8 settles every promise that was handed out", async () => {
    const world = await withRoot({
      prepare: ({ path }) =>
        path === "/root/slow" ? new Promise<void>(() => undefined) : undefined,
    });
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    const a = world.hands.of("/root/a").turn;
    const waited = a.wait();
    const sampled = world.root.sample(() => new Promise<void>(() => undefined));
    const spawned = world.session.spawn({ name: "slow", behavior: "worker", task: "t" });
    const settled = Promise.allSettled([world.outcome, waited, sampled, spawned]);
    const late = world.session.prompt("late");
    await world.session.close();
    expect(await settled).toMatchObject([
      { status: "fulfilled", value: { kind: "interrupted" } },
      { status: "fulfilled", value: { why: "interrupted" } },
      { status: "rejected", reason: closed },
      { status: "rejected", reason: closed },
    ]);
    await expect(late).rejects.toMatchObject(closed);
    expect(world.ports.pending).toBe(0);
  });

  it("L8 M3 what had been sent is there after a reopen, what was refused is not", async () => {
    const world = await openWorld();
    const held = world.log.holdNext();
    const before = world.session.send("/root", "before");
    const queued = world.session.send("/root", "queued");
    const closing = world.session.close();
    const after = world.session.send("/root", "after");
    const settled = Promise.allSettled([before, queued, after]);
    held.release();
    await closing;
    expect(await settled).toMatchObject([
      { status: "fulfilled" },
      { status: "fulfilled" },
      { status: "rejected", reason: closed },
    ]);
    const again = await world.crash();
    expect((await again.session.unread("/root")).map(({ text }) => text)).toEqual([
      "before",
      "queued",
    ]);
  });

  it("L8 twice is fine, and every command afterwards is refused as closed", async () => {
    const world = await withRoot();
    const { session, root } = world;
    await Promise.all([session.close(), session.close()]);
    await session.close();
    const calls = [
      session.send("/root", "x"),
      session.prompt("x"),
      session.start("/root", "x"),
      session.spawn({ name: "b", behavior: "worker", task: "x" }),
      session.interrupt("/root"),
      session.setCapacity(2),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: closed });
    }
    await expect(root.send("/root", "x")).rejects.toBeInstanceOf(Error);
    expect(session.list()).toMatchObject([{ path: "/root", phase: "idle" }]);
    expect(session.isDegraded).toBe(false);
  });

  it("L8 from inside a behaviour, awaited there, is fine", async () => {
    let inside = false;
    const world = await openWorld({
      behaviors: {
        root: async () => {
          await world.session.close();
          inside = true;
          return "too late";
        },
      },
    });
    await expect(world.session.prompt("go")).resolves.toMatchObject({ kind: "interrupted" });
    await world.session.close();
    await world.ports.settle();
    expect(inside).toBe(true);
    expect(world.ports.pending).toBe(0);
  });

  it("L8 from inside a sample, a preparation and an execution is fine", async () => {
    const sampling = await withRoot();
    await expect(sampling.root.sample(() => sampling.session.close())).rejects.toMatchObject(
      closed,
    );

    const preparing = await openWorld({ prepare: () => preparing.session.close() });
    // The INPUT had been accepted; what it would have started is gone with the session.
    await expect(preparing.session.prompt("go")).rejects.toMatchObject(closed);
    expect(preparing.ports.pending).toBe(0);

    const executing = await withRoot();
    let closing: Promise<void> | undefined;
    const run = async (): Promise<void> => (closing = executing.session.close());
    await executing.root.yieldExecution({ command: "close", run });
    await executing.ports.settle();
    // The command waits for the close, the close for the command: the bound on stopping ends it.
    await executing.ports.advance(30_000);
    await closing;
    expect(executing.ports.pending).toBe(0);
  });

  it("L8 L6 does not wait for ever for an append that does not end", async () => {
    const world = await openWorld({ closeWithinMs: 5_000 });
    const held = world.log.holdNext();
    const sent = world.session.send("/root", "stuck");
    const queued = world.session.send("/root", "behind it");
    const closing = world.session.close();
    const settled = Promise.allSettled([sent, queued]);
    await world.ports.advance(5_000);
    await closing;
    expect(await settled).toMatchObject([
      { status: "rejected", reason: { code: "outcome-unknown" } },
      { status: "rejected", reason: { code: "session-degraded" } },
    ]);
    held.release();
    await world.ports.settle();
    expect(world.ports.pending).toBe(0);
  });

  it("L8 leaves a turn whose command does not stop to the next recovery, after the deadline", async () => {
    const world = await withRoot({ closeWithinMs: 5_000 });
    let finish: () => void = () => undefined;
    const run = (): Promise<void> => new Promise((done) => (finish = done));
    await world.root.yieldExecution({ command: "stubborn", run });
    const closing = world.session.close();
    await world.ports.advance(5_000);
    await closing;
    await expect(world.outcome).rejects.toMatchObject(closed);
    // Long after, the command ends: nobody is left to hear of it.
    finish();
    await world.ports.settle();
    expect(world.session.isDegraded).toBe(false);
    expect(world.ports.pending).toBe(0);
    const again = await world.crash();
    expect(again.session.opening.recovered).toEqual([{ path: "/root", gen: 1, turn: 1 }]);
    expect(await again.session.result("/root")).toMatchObject({ reason: "session closed" });
  });

  it("L8 lets a prompt whose turn has settled read its outcome first, however long it is", async () => {
    const inner = await openWorld();
    const response = "a long answer ".repeat(300_000);
    let readBeforeClose = 0;
    let reads = 0;
    const world = await openWorld({
      behaviors: { root: () => response },
      log: {
        name: "slow",
        sessions: () => inner.log.sessions(),
        readSession: (id) => inner.log.readSession(id),
        restore: (id, records) => inner.log.restore(id, records),
        close: () => inner.log.close(),
        openSession: async (id) => {
          const session = await inner.log.openSession(`${id}2`);
          return {
            ...session,
            get: async (position) => {
              await inner.ports.settle();
              reads++;
              return session.get(position);
            },
            close: async () => {
              readBeforeClose = reads;
              await session.close();
            },
          };
        },
      },
    });
    world.session.commits$.subscribe(({ events }) => {
      if (events.some(({ type }) => type === "turn.settled")) void world.session.close();
    });
    const outcome = await world.session.prompt("go");
    expect(outcome.text === response).toBe(true);
    await world.session.close();
    expect(reads).toBeGreaterThan(0);
    expect(readBeforeClose).toBe(reads);
  });

  it("L8 completes when the log can't be closed, and says so", async () => {
    const world = await openWorld();
    let done = false;
    const { log } = world;
    const session = await openWorld({
      log: {
        name: "sticky",
        sessions: () => log.sessions(),
        readSession: (id) => log.readSession(id),
        restore: (id, records) => log.restore(id, records),
        close: () => log.close(),
        openSession: async (id) => {
          const inner = await log.openSession(`${id}2`);
          return { ...inner, close: () => Promise.reject(new Error("EIO")) };
        },
      },
    });
    session.session.commits$.subscribe({ complete: () => (done = true) });
    await expect(session.session.close()).rejects.toThrow("EIO");
    await expect(session.session.close()).rejects.toThrow("EIO");
    expect(done).toBe(true);
  });

  it("L8 leaves a log that was handed in open, and frees the session for the next", async () => {
    const world = await openWorld();
    await world.session.close();
    const again = await openWorld({ log: world.log });
    expect(again.session.opening.run).toBe(2);
    await again.session[Symbol.asyncDispose]();
  });
});
