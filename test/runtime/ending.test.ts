/** Whole subtrees, bounds and deadlines, usage (A5, I6, X1-X3). */
import { describe, expect, it } from "vitest";
import { openWorld, withRoot, type WorldOptions } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

/** A root, its child a, and a's child b; all run. */
async function tree(options: WorldOptions = {}) {
  const world = await withRoot(options);
  await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
  await world.ports.settle();
  await world.hands.of("/root/a").turn.spawn({ name: "b", behavior: "worker", task: "be b" });
  await world.ports.settle();
  return world;
}

describe("ending an agent", () => {
  it("A5 settles the subtree deepest first, then retires it; its path is free for the next generation", async () => {
    const world = await tree();
    await world.session.send("/root/a", "never read");
    await world.session.end("/root/a");
    expect(world.session.list().map(({ path }) => path)).toEqual(["/root"]);
    const settled = await world.eventsOf("turn.settled");
    expect(settled.map(({ path }) => path)).toEqual(["/root/a/b", "/root/a"]);
    await expect(world.root.send("a", "x")).rejects.toMatchObject({ code: "target-ended" });
    const expired = await world.session.expired("/root/a");
    expect(expired).toMatchObject([
      { type: "MAIL", text: "never read" },
      { type: "RESULT", from: "/root/a/b", outcome: "interrupted" },
    ]);
    await world.root.spawn({ name: "a", behavior: "worker", task: "be a again" });
    await world.ports.settle();
    expect(world.session.list()[1]).toMatchObject({ path: "/root/a", generation: 2, unread: 0 });
    expect(await world.session.expired("/root/a", 1)).toEqual(expired);
    const again = await world.crash();
    expect(await again.session.expired("/root/a")).toEqual(expired);
    expect(again.session.list()[1]).toMatchObject({ generation: 2, turns: 1 });
  });

  it("A5 from the request on sends are refused and nothing of it starts, also while it settles", async () => {
    let end: () => void = () => undefined;
    const only = ({ path }: { path: string }): Promise<void> | void =>
      path === "/root/a" ? new Promise<void>((done) => (end = done)) : undefined;
    const world = await tree({ finalisers: { only } });
    const ended = world.session.end("/root/a");
    await world.ports.settle();
    expect(world.session.list().map(({ phase }) => phase)).toContain("settling");
    for (const path of ["/root/a", "/root/a/b"]) {
      await expect(world.session.send(path, "x")).rejects.toMatchObject({ code: "target-ended" });
    }
    end();
    await ended;
    expect(world.session.list()).toHaveLength(1);
    expect(world.hands.called).toEqual(["/root#1", "/root/a#1", "/root/a/b#1"]);
  });

  it("A5 only the top's RESULT wakes outward, and the root can't be ended", async () => {
    const world = await tree();
    const waiting = world.root.wait();
    await world.session.end("/root/a");
    expect(await waiting).toMatchObject({
      unread: [{ mail: "RESULT", from: "/root/a", count: 1 }],
    });
    await expect(world.session.end("/root")).rejects.toMatchObject({ code: "end-root" });
    await expect(world.session.end("/root/a")).rejects.toMatchObject({ code: "target-ended" });
  });
});

describe("interrupting a tree", () => {
  it("I6 stops all of it; RESULTs between its members wake nobody, the top's wakes outward", async () => {
    const world = await tree();
    world.hands.of("/root").done("waiting for a");
    await world.ports.settle();
    const found = await world.session.interruptTree("/root/a", "enough");
    expect(found).toEqual([
      { path: "/root/a/b", found: "active" },
      { path: "/root/a", found: "active" },
    ]);
    await world.ports.settle();
    expect(world.hands.called).toEqual(["/root#1", "/root/a#1", "/root/a/b#1", "/root#2"]);
    expect(world.session.list()[1]).toMatchObject({ phase: "idle", marked: false, unread: 1 });
    expect(await world.session.result("/root/a/b")).toMatchObject({ reason: "enough" });
  });
});

describe("a bound", () => {
  it("X1 on a turn's time settles it as interrupted, naming it, with what it had said", async () => {
    const world = await withRoot({ turnTimeoutMs: 5_000 });
    const sample = world.hands.sample("/root");
    sample.ended.catch(() => undefined);
    await world.ports.settle();
    await world.root.partial("half a");
    await world.ports.advance(5_000);
    const outcome = await world.outcome;
    expect(outcome).toMatchObject({ kind: "interrupted" });
    expect(outcome.reason).toContain("deadline of 5000 ms");
    expect(outcome.text).toContain("half a");
    expect(world.root.signal.aborted).toBe(true);
    expect(world.ports.pending).toBe(0);
  });

  it("X2 on turns and agents refuses the next one, naming itself", async () => {
    const world = await withRoot({ limits: { agents: 1, turns: 3 } });
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    const more = world.root.spawn({ name: "b", behavior: "worker", task: "t" });
    await expect(more).rejects.toMatchObject({ code: "limit-agents", rule: "X2" });
    await world.ports.settle();
    world.hands.of("/root/a").done();
    await world.ports.settle();
    await world.session.start("/root/a", "again");
    await world.ports.settle();
    world.hands.of("/root/a").done();
    await world.ports.settle();
    const last = world.session.start("/root/a", "once more");
    await expect(last).rejects.toMatchObject({ code: "limit-turns", rule: "X2" });
  });

  it("X2 W8 on turns lets no prompt wait for a turn that can't come; its INPUT stays unread", async () => {
    const world = await withRoot({ limits: { turns: 1 } });
    const late = world.session.prompt("and then?");
    await world.ports.settle();
    world.hands.of("/root").done("done");
    await expect(late).rejects.toMatchObject({ code: "limit-turns", rule: "X2" });
    await expect(world.outcome).resolves.toMatchObject({ kind: "completed" });
    expect(await world.session.unread("/root")).toMatchObject([
      { type: "INPUT", text: "and then?" },
    ]);
  });

  it("X2 on unread mail refuses MAIL, and never a RESULT", async () => {
    const world = await tree({ limits: { unread: 1 } });
    await world.session.send("/root/a", "one");
    const two = world.session.send("/root/a", "two");
    await expect(two).rejects.toMatchObject({ code: "mailbox-full", rule: "X2" });
    world.hands.of("/root/a/b").done("ready");
    await world.ports.settle();
    expect(await world.session.unread("/root/a")).toHaveLength(2);
  });

  it("X2 on wakes in a row is recorded, keeps the mark, and is lifted by the person's next text", async () => {
    const world = await openWorld({ limits: { wakes: 1 } });
    for (const text of ["one", "two"]) {
      await world.session.notifyRoot(text);
      await world.ports.settle();
      if (world.hands.called.length === 1 && text === "one") world.hands.of("/root").done();
      await world.ports.settle();
    }
    expect(world.hands.called).toEqual(["/root#1"]);
    expect(world.session.list()[0]).toMatchObject({ phase: "idle", marked: true });
    world.session.prompt("go on").catch(() => undefined);
    await world.ports.settle();
    expect(world.hands.called).toEqual(["/root#1", "/root#2"]);
    expect(await world.eventsOf("wake.limited")).toHaveLength(1);
  });
});

describe("usage", () => {
  it("X3 of samples is summed by agent and in all, failed samples too, and kept", async () => {
    const world = await tree();
    await world.root.sample(({ usage }) => {
      usage({ tokens: 10, cost: 0.5 });
      usage({ tokens: 5 });
    });
    const failing = world.hands.of("/root/a").turn.sample(({ usage }) => {
      usage({ tokens: 7 });
      throw new Error("offline");
    });
    await expect(failing).rejects.toThrow("offline");
    const report = {
      total: { tokens: 22, cost: 0.5 },
      agents: { "/root": { tokens: 15, cost: 0.5 }, "/root/a": { tokens: 7 } },
    };
    expect(world.session.usage()).toEqual(report);
    await world.session.whenQuiet();
    expect((await world.crash()).session.usage()).toEqual(report);
  });

  it("X3 that can't be summed is refused where it is reported", async () => {
    const world = await withRoot();
    const sample = world.root.sample(({ usage }) => usage({ tokens: -1 }));
    await expect(sample).rejects.toMatchObject({ code: "usage-invalid", rule: "X3" });
    expect(await world.root.sample(() => "still works")).toBe("still works");
  });
});
