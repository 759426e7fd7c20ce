/** Starting and stopping turns from outside: spawn, assignment, preparation, interrupt (T2, T3, T6, I1-I5). */
import { describe, expect, it } from "vitest";
import type { Preparation } from "../../src/runtime/api.js";
import { openWorld, withRoot, type World } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

/** A preparation hook in the test's hand: `/root` is let through at once. */
function hook() {
  const open: { readonly start: Preparation; done(): void; fail(error: unknown): void }[] = [];
  return {
    open,
    prepare: (start: Preparation): Promise<void> | void => {
      if (start.path === "/root") return undefined;
      return new Promise<void>((done, fail) => open.push({ start, done, fail }));
    },
    at(index: number) {
      const one = open[index];
      if (one === undefined) throw new Error(`no preparation ${index}`);
      return one;
    },
  };
}

/** What a call is refused with; asked for before it is, so that nobody calls it unhandled. */
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "it succeeded",
    (error: unknown) => error,
  );

const spawnA = { name: "a", behavior: "worker", task: "t" } as const;

/** A world with an idle `/root/a`, without a hook. */
async function withIdle(): Promise<World & Awaited<ReturnType<typeof withRoot>>> {
  const world = await withRoot();
  await world.root.spawn(spawnA);
  await world.ports.settle();
  world.hands.of("/root/a").done("ready");
  await world.ports.settle();
  return world;
}

describe("a spawn", () => {
  it("T3 A3 by the host is below /root, or below the parent it names", async () => {
    const world = await openWorld();
    await expect(world.session.spawn(spawnA)).resolves.toBe("/root/a");
    await expect(world.session.spawn({ ...spawnA, parent: "/root/a" })).resolves.toBe("/root/a/a");
    await expect(world.session.spawn({ ...spawnA, parent: "nobody" })).rejects.toMatchObject({
      code: "target-unknown",
    });
  });

  it.each<[string, object, string]>([
    ["a taken name", {}, "path-taken"],
    ["a bad name", { name: "A b" }, "name-invalid"],
    ["no name", { name: undefined }, "name-invalid"],
    ["an unknown behaviour", { name: "b", behavior: "nope" }, "behavior-unknown"],
    [
      "the name of a thing every object has",
      { name: "b", behavior: "constructor" },
      "behavior-unknown",
    ],
    ["no behaviour", { name: "b", behavior: undefined }, "behavior-unknown"],
    ["an empty task", { name: "b", task: " " }, "text-empty"],
    ["no task", { name: "b", task: undefined }, "text-not-a-string"],
  ])("T3 X4 with %s is refused and writes nothing", async (_what, odd, code) => {
    const world = await openWorld();
    await world.session.spawn(spawnA);
    const before = await world.events();
    await expect(world.session.spawn({ ...spawnA, ...odd })).rejects.toMatchObject({ code });
    expect(await world.events()).toEqual(before);
  });

  it("T3 W6 is refused at capacity", async () => {
    const world = await openWorld({ capacity: 1 });
    await world.session.spawn(spawnA);
    await expect(world.session.spawn({ ...spawnA, name: "b" })).rejects.toMatchObject({
      code: "at-capacity",
      rule: "T3",
    });
    await world.session.setCapacity(2);
    await expect(world.session.spawn({ ...spawnA, name: "b" })).resolves.toBe("/root/b");
    expect(world.session.capacity).toBe(2);
  });

  it("M1 L6 odd text among the calls of others, decided together, harms none of them", async () => {
    const world = await openWorld();
    const held = world.log.holdNext();
    const first = world.session.send("/root", "first");
    const calls = Promise.allSettled([
      world.session.send("/root", "before"),
      world.session.send("/root", undefined as never),
      world.session.prompt(7 as never),
      world.session.send("/root", "after"),
    ]);
    await held.arrived;
    held.release();
    await first;
    expect(await calls).toMatchObject([
      { status: "fulfilled" },
      { reason: { code: "text-not-a-string" } },
      { reason: { code: "text-not-a-string" } },
      { status: "fulfilled" },
    ]);
    expect(world.session.isDegraded).toBe(false);
    expect(await world.session.unread("/root")).toHaveLength(3);
  });

  it("T3 of arguments that are none at all rejects, it does not throw", async () => {
    const world = await withRoot();
    const nothing = undefined as never;
    await expect(world.session.spawn(nothing)).rejects.toBeInstanceOf(Error);
    await expect(world.root.spawn(nothing)).rejects.toBeInstanceOf(Error);
    await expect(world.root.yieldExecution(nothing)).rejects.toBeInstanceOf(Error);
    await expect(world.root.wait(null as never)).rejects.toBeInstanceOf(Error);
    await expect(world.root.send(nothing, nothing)).rejects.toBeInstanceOf(Error);
    await expect(world.root.partial(Object.create(null) as string)).rejects.toBeInstanceOf(Error);
    await expect(world.session.start(nothing, nothing)).rejects.toBeInstanceOf(Error);
    await expect(world.session.interrupt(nothing)).rejects.toBeInstanceOf(Error);
    await expect(world.session.unread(nothing)).rejects.toBeInstanceOf(Error);
    await expect(world.root.sample(nothing)).rejects.toBeInstanceOf(Error);
    await expect(world.root.sample(() => "still fine")).resolves.toBe("still fine");
  });
});

describe("a preparation", () => {
  it("T2 comes before the start, shows as preparing, and is told what for", async () => {
    const hooked = hook();
    const world = await withRoot({ prepare: hooked.prepare });
    const spawned = world.root.spawn(spawnA);
    await world.ports.settle();
    expect(hooked.at(0).start).toMatchObject({
      path: "/root/a",
      behavior: "worker",
      start: "spawn",
    });
    expect(world.session.list()).toHaveLength(1);
    await expect(world.session.send("/root/a", "x")).rejects.toMatchObject({
      code: "target-unknown",
    });
    hooked.at(0).done();
    await expect(spawned).resolves.toBe("/root/a");
    await world.ports.settle();
    world.hands.of("/root/a").done("ready");
    await world.ports.settle();
    await expect(world.root.send("/root/a", "wake")).resolves.toEqual({});
    await world.ports.settle();
    expect(hooked.at(1).start.start).toBe("wake");
    expect(world.session.list()[1]).toMatchObject({ phase: "idle", preparing: true });
    expect(world.session.actor("/root/a").preparing).toBe(true);
    hooked.at(1).done();
    await world.ports.settle();
    expect(world.session.list()[1]).toMatchObject({ phase: "running", preparing: false });
    expect(world.ports.pending).toBe(0);
  });

  it.each<[string, (open: ReturnType<ReturnType<typeof hook>["at"]>) => void, string]>([
    ["an error", (open) => open.fail(new Error("no machine")), "no machine"],
    ["anything at all", (open) => open.fail(Object.create(null)), "{}"],
  ])(
    "T2 T4 that fails with %s is told to the spawner, and leaves no trace",
    async (_what, fail, reason) => {
      const hooked = hook();
      const world = await withRoot({ prepare: hooked.prepare });
      const spawned = world.root.spawn(spawnA);
      const failed = failureOf(spawned);
      await world.ports.settle();
      fail(hooked.at(0));
      expect(await failed).toMatchObject({
        code: "start-failed",
        message: expect.stringContaining(reason) as string,
      });
      expect(world.session.list()).toHaveLength(1);
      const again = world.root.spawn(spawnA);
      await world.ports.settle();
      hooked.at(1).done();
      await expect(again).resolves.toBe("/root/a");
    },
  );

  it("T2 that throws at once is a preparation that failed", async () => {
    const world = await openWorld({
      prepare: () => {
        throw new Error("at once");
      },
    });
    await expect(world.session.spawn(spawnA)).rejects.toMatchObject({ code: "start-failed" });
  });

  it("T2 that runs out of time frees its slot at once; its late answer is ignored", async () => {
    const hooked = hook();
    const world = await withRoot({ prepare: hooked.prepare, capacity: 1, prepareTimeoutMs: 5_000 });
    const spawned = world.root.spawn(spawnA);
    const failed = failureOf(spawned);
    await world.ports.advance(4_999);
    expect(hooked.at(0).start.signal.aborted).toBe(false);
    await world.ports.advance(1);
    expect(await failed).toMatchObject({ code: "start-failed", rule: "T2" });
    expect(hooked.at(0).start.signal.aborted).toBe(true);
    expect(world.ports.pending).toBe(0);
    const other = world.root.spawn({ ...spawnA, name: "b" });
    await world.ports.settle();
    hooked.at(0).done();
    hooked.at(1).done();
    await expect(other).resolves.toBe("/root/b");
    expect(world.session.list().map(({ path }) => path)).toEqual(["/root", "/root/b"]);
  });

  it("I3 that is interrupted gives no RESULT; mail stays, the mark goes, a spawn hears of it", async () => {
    const hooked = hook();
    const world = await withRoot({ prepare: hooked.prepare });
    const spawned = world.root.spawn(spawnA);
    const failed = failureOf(spawned);
    await world.ports.settle();
    await expect(world.session.interrupt("/root/a")).resolves.toEqual({
      path: "/root/a",
      found: "preparing",
    });
    expect(await failed).toMatchObject({ code: "start-interrupted" });
    expect(hooked.at(0).start.signal.aborted).toBe(true);
    expect(await world.session.unread("/root")).toEqual([]);

    const again = world.root.spawn(spawnA);
    await world.ports.settle();
    hooked.at(1).done();
    await again;
    await world.ports.settle();
    world.hands.of("/root/a").done("ready");
    await world.ports.settle();
    await world.root.send("/root/a", "wake");
    await world.ports.settle();
    await expect(world.session.interrupt("/root/a")).resolves.toMatchObject({ found: "preparing" });
    await world.ports.settle();
    expect(world.session.list()[1]).toMatchObject({ phase: "idle", unread: 1, marked: false });
    expect(hooked.open).toHaveLength(3);
    expect(world.ports.pending).toBe(0);
  });

  it("T3 of a spawn is cancelled when the turn that asked for it ends", async () => {
    const hooked = hook();
    const world = await withRoot({ prepare: hooked.prepare });
    const spawned = world.root.spawn(spawnA);
    const failed = failureOf(spawned);
    await world.ports.settle();
    world.hands.of("/root").done("bye");
    await world.outcome;
    expect(await failed).toMatchObject({ code: "start-interrupted", rule: "T3" });
    expect(hooked.at(0).start.signal.aborted).toBe(true);
    expect(world.ports.pending).toBe(0);
  });

  it("M7 a message to an idle agent does not wait for it", async () => {
    const world = await openWorld({
      prepare: ({ start }) => (start === "wake" ? new Promise<void>(() => undefined) : undefined),
    });
    await world.session.spawn(spawnA);
    await world.ports.settle();
    world.hands.of("/root/a").done("ready");
    await world.ports.settle();
    await expect(world.session.send("/root/a", "x")).resolves.toEqual({});
  });
});

describe("an assignment", () => {
  it("T6 starts an idle agent with a task, and resolves when it has started", async () => {
    const world = await withIdle();
    await expect(world.session.start("a", "more")).resolves.toBe("/root/a");
    await world.ports.settle();
    expect(world.hands.of("/root/a", 2).turn.task).toEqual({ text: "more", from: "person" });
    await expect(world.session.start("/root/a", "even more")).rejects.toMatchObject({
      code: "not-idle",
      rule: "T6",
    });
    await expect(world.session.start("/root/x", "t")).rejects.toMatchObject({
      code: "target-unknown",
    });
  });
});

describe("an interrupt", () => {
  it("I2 of an idle agent says so, gives no RESULT, keeps its mail and takes its mark", async () => {
    const world = await withIdle();
    await world.root.sample(() => "read");
    await expect(world.session.interrupt("/root/a")).resolves.toEqual({
      path: "/root/a",
      found: "idle",
    });
    expect(await world.session.unread("/root")).toEqual([]);
  });

  it("B25 I4 of a running agent keeps its unread mail, in order, and settles once", async () => {
    const world = await withRoot();
    await world.root.spawn(spawnA);
    await world.ports.settle();
    for (const text of ["1", "2", "3"]) await world.root.send("/root/a", text);
    const { signal } = world.hands.of("/root/a").turn;
    await expect(world.session.interrupt("/root/a", "why not")).resolves.toMatchObject({
      found: "active",
    });
    expect(signal.aborted).toBe(true);
    await expect(world.session.interrupt("/root/a")).resolves.toMatchObject({ found: "idle" });
    expect((await world.session.unread("/root/a")).map(({ text }) => text)).toEqual([
      "1",
      "2",
      "3",
    ]);
    expect(await world.session.unread("/root")).toMatchObject([
      {
        type: "RESULT",
        outcome: "interrupted",
        text: expect.stringContaining("why not") as string,
      },
    ]);
  });

  it("I4 detaches a behaviour that ignores its signal: its samples end, its later calls are refused", async () => {
    const world = await withRoot();
    const open = world.root.sample(() => new Promise<string>(() => undefined));
    await world.session.interrupt("/root");
    await expect(open).rejects.toMatchObject({ code: "turn-over" });
    await expect(world.outcome).resolves.toMatchObject({ kind: "interrupted" });
    await expect(world.root.send("/root", "x")).rejects.toMatchObject({ code: "turn-over" });
    void world.session.prompt("again");
    await world.ports.settle();
    expect(world.hands.called).toEqual(["/root#1", "/root#2"]);
    world.hands.of("/root", 1).done("far too late");
    await world.ports.settle();
    expect(world.session.list()[0]).toMatchObject({ phase: "running", turns: 2 });
  });

  it("I4 that comes before the behaviour was called calls it no more", async () => {
    const world = await openWorld();
    const prompted = world.session.prompt("go");
    await world.session.interrupt("/root");
    await prompted;
    await world.ports.settle();
    const before = world.hands.called.length;
    for (const key of world.hands.called) expect(key).toBe("/root#1");
    expect(before).toBeLessThanOrEqual(1);
  });

  it("I4 of a settling agent lets the outcome stand", async () => {
    const world = await withRoot();
    await world.root.spawn(spawnA);
    await world.ports.settle();
    let stop: () => void = () => undefined;
    const run = (): Promise<void> => new Promise((done) => (stop = done));
    await world.hands.of("/root/a").turn.yieldExecution({ command: "slow", run });
    world.hands.of("/root/a").done("the answer");
    await world.ports.settle();
    await expect(world.session.interrupt("/root/a")).resolves.toMatchObject({ found: "settling" });
    stop();
    await world.ports.settle();
    expect(await world.session.result("/root/a")).toMatchObject({
      kind: "completed",
      text: "the answer",
    });
  });

  it("I1 by an agent may not stop the root, itself, or nobody", async () => {
    const world = await withRoot();
    await world.root.spawn(spawnA);
    await world.ports.settle();
    const { turn } = world.hands.of("/root/a");
    await expect(turn.interrupt("/root")).rejects.toMatchObject({ code: "interrupt-root" });
    await expect(turn.interrupt("/root/a")).rejects.toMatchObject({ code: "interrupt-self" });
    await expect(turn.interrupt("/root/b")).rejects.toMatchObject({ code: "target-unknown" });
    await expect(turn.interrupt("a//b")).rejects.toMatchObject({ code: "target-malformed" });
    await expect(turn.interrupt("")).rejects.toMatchObject({ code: "target-empty" });
    await expect(world.root.interrupt("a", "because")).resolves.toMatchObject({ found: "active" });
  });
});
