/** Opening, reopening and recovery (R1, R2, W6, W9, B27, B30), and what makes an opening impossible. */
import { describe, expect, it } from "vitest";
import { openSession, type SessionOptions } from "../../src/runtime/openSession.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import { testFolder } from "../support/folders.js";
import { openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

const root = (): string => "done";

describe("opening", () => {
  it("R1 makes a session, whose root is idle, and starts nothing", async () => {
    const world = await openWorld();
    expect(world.session.id).toBe("main");
    expect(world.session.opening).toEqual({ run: 1, recovered: [], unread: 0 });
    expect(world.session.capacity).toBe(10);
    expect(world.session.list()).toEqual([
      {
        path: "/root",
        generation: 1,
        phase: "idle",
        preparing: false,
        marked: false,
        unread: 0,
        role: "delegator",
        behavior: "root",
        turns: 0,
        readOnly: false,
      },
    ]);
    expect(world.hands.called).toEqual([]);
    expect(world.session.isDegraded).toBe(false);
  });

  it("L5 takes a folder, or any log; a folder is closed with the session", async () => {
    const folder = await testFolder();
    const session = await openSession({ log: folder, id: "one", behaviors: { root } });
    await expect(session.prompt("go")).resolves.toMatchObject({ text: "done" });
    await expect(
      openSession({ log: folder, id: "one", behaviors: { root } }),
    ).rejects.toMatchObject({ code: "log-in-use" });
    await session.close();
    const again = await openSession({ log: folder, id: "one", behaviors: { root } });
    expect(again.opening.run).toBe(2);
    expect(await again.result("/root")).toMatchObject({ text: "done" });
    await again.close();
  });

  it.each<[string, object]>([
    ["no behaviour for the root", { behaviors: { other: root } }],
    ["another name for the root that is not there either", { behaviors: { root }, root: "chief" }],
    ["a name that every object has", { behaviors: { root }, root: "toString" }],
    ["a behaviour that is no function", { behaviors: { root, other: "text" } }],
    ["no behaviours at all", { behaviors: undefined }],
    ["no log", { log: undefined }],
    ["something that is no log", { log: {} }],
    ["a negative time for closing", { closeWithinMs: -1 }],
    ["a time for preparing that is no number", { prepareTimeoutMs: "soon" }],
    ["a time that is not a number", { closeWithinMs: Number.NaN }],
    ["a preparation that is no function", { prepare: "x" }],
  ])("X4 with %s is refused, and takes no lease", async (_what, odd) => {
    const log = memoryLog();
    const options = { log, behaviors: { root }, ...odd } as SessionOptions<"root">;
    await expect(openSession(options)).rejects.toMatchObject({ code: "bad-argument" });
    const session = await openSession({ log, behaviors: { root } });
    expect(session.opening.run).toBe(1);
  });

  it.each<unknown>([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "4", 2 ** 53, {}])(
    "W6 with capacity %s is refused, new or reopened, and writes nothing",
    async (capacity) => {
      const log = memoryLog();
      const odd = { log, behaviors: { root }, capacity: capacity as number };
      const refusal = { code: "capacity-invalid", rule: "W6" };
      await expect(openSession(odd)).rejects.toMatchObject(refusal);
      expect(await log.sessions()).toEqual([]);
      const session = await openSession({ log, behaviors: { root } });
      await session.send("/root", "x");
      await session.close();
      await expect(openSession(odd)).rejects.toMatchObject(refusal);
      const again = await openSession({ log, behaviors: { root } });
      await expect(again.setCapacity(capacity as number)).rejects.toMatchObject(refusal);
      expect(again.capacity).toBe(10);
    },
  );

  it("L6 when the store fails the first write, leaves nothing open", async () => {
    const world = await openWorld();
    world.log.failNext("unavailable");
    const options = { log: world.log, id: "other", behaviors: { root } };
    await expect(openSession(options)).rejects.toMatchObject({ code: "session-degraded" });
    const again = await openSession(options);
    expect(again.opening.run).toBe(1);
  });
});

describe("reopening", () => {
  it("B27 R1 rebuilds tree, unread mail, transcripts, results and capacity, and starts nothing", async () => {
    const world = await openWorld({ capacity: 3 });
    await world.session.spawn({ name: "a", behavior: "worker", task: "be a" });
    await world.ports.settle();
    await world.hands.of("/root/a").turn.spawn({ name: "b", behavior: "worker", task: "be b" });
    await world.ports.settle();
    world.hands.of("/root/a/b").done("b is done");
    await world.ports.settle();
    await world.hands.of("/root/a").turn.record({ note: 1 });
    await world.session.send("/root/a", "unread\r\n\0\u2028");
    world.hands.of("/root/a").done("a is done");
    await world.ports.settle();
    await world.session.interrupt("/root/a");
    await world.session.send("/root", "for the root");
    await world.session.close();

    const again = await world.crash();
    const forgotten = { marked: false, preparing: false };
    expect(again.session.list()).toEqual(
      world.session.list().map((agent) => ({ ...agent, ...forgotten })),
    );
    expect(again.session.capacity).toBe(3);
    for (const path of ["/root", "/root/a", "/root/a/b"]) {
      expect(await again.session.unread(path)).toEqual(
        // The first session's log is closed; another reopening reads the same.
        await (await world.crash()).session.unread(path),
      );
    }
    expect((await again.session.unread("/root/a")).map(({ text }) => text)).toContain(
      "unread\r\n\0\u2028",
    );
    expect((await again.session.history("/root/a").read()).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["task", "spawned", "recorded", "response"]),
    );
    expect(await again.session.result("/root/a/b")).toMatchObject({ text: "b is done" });
    await again.ports.settle();
    expect(again.hands.called).toEqual([]);
    await again.session.send("/root/a/b", "an old path");
    await again.ports.settle();
    expect(again.hands.called).toEqual(["/root/a/b#2"]);
  });

  it("B30 R2 settles what was live as interrupted, with its partial text, deepest first, in one commit", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    const a = world.hands.of("/root/a").turn;
    await a.yieldExecution({ command: "make", run: () => new Promise<void>(() => undefined) });
    void a.sample(async () => {
      await a.partial("half ");
      await a.partial("a thought");
      await new Promise(() => undefined);
    });
    await world.session.whenQuiet();
    const again = await world.crash();
    expect(again.session.opening).toMatchObject({
      run: 2,
      recovered: [
        { path: "/root/a", turn: 1 },
        { path: "/root", turn: 1 },
      ],
      unread: 2,
    });
    const [result, execution] = await again.session.unread("/root");
    expect(result).toMatchObject({ type: "RESULT", from: "/root/a", outcome: "interrupted" });
    expect(result?.text).toContain("the process ended while this turn was live");
    expect(result?.text).toContain("half a thought");
    expect(execution).toMatchObject({ type: "EXECUTION", from: "/root/a" });
    await again.ports.settle();
    expect(again.hands.called).toEqual([]);
    expect(again.session.list().every(({ phase, marked }) => phase === "idle" && !marked)).toBe(
      true,
    );
  });

  it("R2 again appends nothing: what had nothing to recover is left as it was", async () => {
    const world = await withRoot();
    const recovered = await world.crash();
    const commits = (await recovered.events()).length;
    await recovered.session.close();
    const again = await recovered.crash();
    await again.session.whenQuiet();
    await again.session.close();
    expect((await again.events()).length).toBe(commits);
    expect(again.session.opening).toMatchObject({ recovered: [] });
  });

  it("R1 R2 holds at every commit: each crash point opens, twice, and starts nothing", async () => {
    const world = await withRoot({ capacity: 2 });
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    const a = world.hands.of("/root/a").turn;
    const waiting = world.root.wait();
    await a.send("/root", "one");
    await waiting;
    await world.root.sample(({ mail }) => mail.length);
    await a.yieldExecution({ command: "x", run: async () => "out" });
    await world.ports.settle();
    await a.sample(() => "thinking");
    await world.root.send("/root/a", "two");
    world.hands.of("/root/a").done("done");
    await world.ports.settle();
    world.hands.of("/root").done("done");
    await world.ports.settle();
    const positions = (await world.log.readSession("main"))?.head().position ?? 0;
    expect(positions).toBeGreaterThan(8);
    for (let n = 1; n <= positions; n++) {
      const first = await openWorld({ storage: world.storage.copy(n) });
      await first.ports.settle();
      expect(first.hands.called).toEqual([]);
      expect(first.session.list().every(({ phase }) => phase === "idle")).toBe(true);
      const unread = await first.session.unread("/root");
      const second = await first.crash();
      expect(second.session.opening.recovered).toEqual([]);
      expect(await second.session.unread("/root")).toEqual(unread);
    }
  });

  it("W9 revives no mark: saved mail starts nothing until something new comes", async () => {
    const world = await openWorld({ capacity: 1 });
    await world.session.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    world.hands.of("/root/a").done("ready");
    await world.ports.settle();
    await world.session.spawn({ name: "b", behavior: "worker", task: "t" });
    await world.session.send("/root/a", "queued at capacity");
    const again = await world.crash();
    await again.ports.settle();
    expect(again.hands.called).toEqual([]);
    expect(again.session.list()[1]).toMatchObject({ unread: 1, marked: false });
    await again.session.send("/root/a", "something new");
    await again.ports.settle();
    expect(again.hands.called).toEqual(["/root/a#2"]);
  });

  it("W6 with another capacity records the change", async () => {
    const world = await openWorld({ capacity: 2 });
    await world.session.close();
    const again = await world.crash({ capacity: 5 });
    expect(again.session.capacity).toBe(5);
    const third = await again.crash({ capacity: undefined as never });
    expect(third.session.capacity).toBe(5);
  });

  it("R1 without an agent's behaviour lists it, keeps its mail, and refuses its start with a clear error", async () => {
    const world = await openWorld();
    await world.session.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    world.hands.of("/root/a").done("ready");
    await world.ports.settle();
    const again = await world.crash({ behaviors: { root } });
    await expect(again.session.send("/root/a", "kept")).resolves.toEqual({});
    await expect(again.session.start("/root/a", "t")).rejects.toMatchObject({
      code: "behavior-unknown",
      rule: "R1",
    });
    expect(again.session.list()[1]).toMatchObject({ phase: "idle", unread: 1 });
  });

  it("R1 needs no behaviour of the name that only a new root would need", async () => {
    const world = await openWorld({ behaviors: { chief: root }, root: "chief" });
    const again = await world.crash({ behaviors: { chief: root }, root: undefined as never });
    await expect(again.session.prompt("go")).resolves.toMatchObject({ text: "done" });
    const without = await world.crash({ behaviors: { other: root }, root: undefined as never });
    await expect(without.session.prompt("go")).rejects.toMatchObject({ code: "behavior-unknown" });
  });
});
