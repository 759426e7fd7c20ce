/** A store that fails a write: the session is degraded, the process lives, a reopen recovers (L6, M3, B40). */
import { describe, expect, it } from "vitest";
import { OutcomeUnknown, SessionDegraded } from "../../src/errors.js";
import type { AppendFault } from "../../src/testing/faultyLog.js";
import { openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

const degraded = { code: "session-degraded", rule: "L6" };

describe("a failed append", () => {
  it("B40 M3 is told to its caller as a typed error, and leaves neither mail nor wake nor turn", async () => {
    const world = await openWorld();
    await world.session.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    world.hands.of("/root/a").done("ready");
    await world.ports.settle();
    const before = world.session.list();
    world.log.failNext("unavailable", { cause: new Error("ENOSPC: no space left on device") });
    const error = await world.session.send("/root/a", "lost").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SessionDegraded);
    expect(error).toMatchObject({ cause: { message: "ENOSPC: no space left on device" } });
    expect(world.session.isDegraded).toBe(true);
    expect(world.session.list()).toEqual(before);
    expect(await world.session.unread("/root/a")).toEqual([]);
    const again = await world.crash();
    expect(await again.session.unread("/root/a")).toEqual([]);
    await expect(again.session.send("/root/a", "kept")).resolves.toEqual({});
  });

  it("B40 reaches the tool call of a behaviour, whose process lives on", async () => {
    const world = await withRoot();
    world.log.failNext("unavailable");
    await expect(world.root.send("/root", "lost")).rejects.toMatchObject(degraded);
    expect(world.root.signal.aborted).toBe(true);
    await expect(world.outcome).rejects.toMatchObject(degraded);
  });

  it.each<[AppendFault, boolean]>([
    ["unknown", false],
    ["unknown", true],
  ])(
    "M3 of unknown outcome (%s, written: %j) says so, and a reopen tells which",
    async (fault, written) => {
      const world = await openWorld();
      world.log.failNext(fault, { written });
      const error = await world.session.send("/root", "perhaps").catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OutcomeUnknown);
      const { commitId } = error as OutcomeUnknown;
      const again = await world.crash();
      expect((await again.session.unread("/root")).map(({ text }) => text)).toEqual(
        written ? ["perhaps"] : [],
      );
      const reader = await again.log.readSession("main");
      const ids: string[] = [];
      if (reader !== undefined) for await (const commit of reader.read()) ids.push(commit.id);
      expect(ids.includes(commitId)).toBe(written);
    },
  );

  it("L6 ends open samples, waits, prompts and starts with a typed error, aborts signals and leaves no timer", async () => {
    const world = await withRoot({
      prepare: ({ path }) =>
        path === "/root/slow" ? new Promise<void>(() => undefined) : undefined,
    });
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.root.spawn({ name: "b", behavior: "worker", task: "t" });
    await world.ports.settle();
    const a = world.hands.of("/root/a").turn;
    const b = world.hands.of("/root/b").turn;
    const open = [
      world.outcome,
      a.sample(() => new Promise<void>(() => undefined)),
      b.wait(),
      b.wait().catch(() => world.root.wait()),
      world.session.spawn({ name: "slow", behavior: "worker", task: "t" }),
    ];
    let stopped = 0;
    const run = ({ signal }: { signal: AbortSignal }): Promise<void> =>
      new Promise((done) =>
        signal.addEventListener("abort", () => {
          stopped++;
          done();
        }),
      );
    await world.root.yieldExecution({ command: "make", run });
    await world.ports.settle();
    expect(world.ports.pending).toBeGreaterThan(0);
    const outcomes = Promise.allSettled(open);
    world.log.failNext("unavailable");
    await expect(world.session.send("/root", "lost")).rejects.toMatchObject(degraded);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: degraded });
    }
    expect([world.root, a, b].map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    expect(a.signal.reason).toMatchObject(degraded);
    expect(stopped).toBe(1);
    expect(world.ports.pending).toBe(0);
    await world.ports.advance(3_600_000);
  });

  it("L6 refuses every further command, and goes on answering reads", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    await world.root.send("/root/a", "read me");
    const phases = world.session.list();
    world.log.failNext("unavailable");
    await expect(world.session.send("/root", "lost")).rejects.toMatchObject(degraded);
    const calls = [
      world.session.send("/root", "x"),
      world.session.prompt("x"),
      world.session.start("/root/a", "x"),
      world.session.spawn({ name: "b", behavior: "worker", task: "x" }),
      world.session.interrupt("/root"),
      world.session.setCapacity(3),
      world.root.sample(() => "x"),
      world.root.wait(),
      world.root.send("/root/a", "x"),
      world.root.record({}),
      world.root.interrupt("/root/a"),
      world.root.yieldExecution({ command: "x", run: async () => "x" }),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: degraded });
    }
    expect(world.session.list()).toEqual(phases);
    expect(await world.session.unread("/root/a")).toMatchObject([{ text: "read me" }]);
    expect(await world.session.history("/root").read()).toMatchObject([
      { kind: "task", text: "go" },
      { kind: "spawned" },
      { kind: "sent", text: "read me" },
    ]);
    expect(await world.session.result("/root")).toBeUndefined();
    expect(await world.session.whenQuiet()).toEqual({ running: ["/root", "/root/a"], waiting: [] });
  });

  it("L6 goes back to what the log has: what was shown and never written is gone", async () => {
    const world = await withRoot();
    const waiting = world.root.wait();
    expect(world.session.list()[0]?.phase).toBe("waiting");
    world.log.failNext("unavailable");
    await expect(world.session.send("/root", "lost")).rejects.toMatchObject(degraded);
    await expect(waiting).rejects.toMatchObject(degraded);
    expect(world.session.list()[0]?.phase).toBe("running");
    expect(world.session.actor("/root").phase).toBe("waiting");
  });

  it("L6 tells those whose commands were queued behind it, too", async () => {
    const world = await openWorld();
    const held = world.log.holdNext();
    const first = world.session.send("/root", "first");
    await held.arrived;
    const second = world.session.send("/root", "second");
    const prompted = world.session.prompt("third");
    held.fail("unknown", { written: true });
    const outcomes = await Promise.allSettled([first, second, prompted]);
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: { code: "outcome-unknown" } },
      { status: "rejected", reason: degraded },
      { status: "rejected", reason: degraded },
    ]);
    const again = await world.crash();
    expect((await again.session.unread("/root")).map(({ text }) => text)).toEqual(["first"]);
  });

  it("L6 in the middle of a settlement leaves it to the reopen, which finishes it with its outcome", async () => {
    const world = await openWorld();
    await world.session.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    const run = (): Promise<void> => new Promise(() => undefined);
    await world.hands.of("/root/a").turn.yieldExecution({ command: "slow", run });
    world.hands.of("/root/a").done("the answer");
    await world.ports.settle();
    expect(world.session.list()[1]?.phase).toBe("settling");
    expect(world.ports.pending).toBe(1);
    world.log.failNext("unavailable");
    await expect(world.session.send("/root", "lost")).rejects.toMatchObject(degraded);
    expect(world.ports.pending).toBe(0);
    const again = await world.crash();
    expect(await again.session.unread("/root")).toMatchObject([
      { type: "RESULT", outcome: "completed", text: "the answer" },
      { type: "EXECUTION", text: "" },
    ]);
  });

  it("L6 harms nobody who had left a call unawaited", async () => {
    const world = await openWorld({
      behaviors: {
        root: (turn) => {
          void turn.send("/root", "one");
          void turn.record({ n: 1 });
          return "done";
        },
      },
    });
    const prompted = world.session.prompt("go");
    const held = world.log.holdNext();
    await held.arrived;
    held.release();
    world.log.failNext("unknown");
    void world.session.send("/root", "nobody waits for me");
    await expect(prompted).rejects.toBeInstanceOf(Error);
    await world.ports.settle();
    expect(world.session.isDegraded).toBe(true);
  });

  it("L6 when the session is closed afterwards, closing is fine, twice", async () => {
    const world = await withRoot();
    world.log.failNext("unavailable");
    await expect(world.session.send("/root", "lost")).rejects.toMatchObject(degraded);
    await world.session.close();
    await world.session.close();
    expect(world.ports.pending).toBe(0);
  });

  it("M3 is not passed over when the log breaks its promise and throws or rejects", async () => {
    for (const fault of ["throws", "rejects"] as const) {
      const world = await openWorld();
      const session = await world.log.openSession("other");
      const broken = {
        ...world.log,
        name: "broken",
        close: () => world.log.close(),
        sessions: () => world.log.sessions(),
        readSession: () => world.log.readSession("other"),
        openSession: async () => ({
          ...session,
          append: () => {
            if (fault === "throws") throw new Error(fault);
            return Promise.reject(new Error(fault));
          },
        }),
      };
      await expect(openWorld({ log: broken })).rejects.toMatchObject({
        code: "outcome-unknown",
        cause: { message: fault },
      });
    }
  });
});
