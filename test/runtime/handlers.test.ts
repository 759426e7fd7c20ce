/** Handlers: a turn takes a child's RESULT itself (S7). */
import { describe, expect, it } from "vitest";
import type { TakenResult } from "../../src/runtime/api.js";
import { withRoot, type WorldOptions } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

async function awaiting(options: WorldOptions = {}) {
  const world = await withRoot(options);
  await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
  await world.ports.settle();
  const taken: TakenResult[] = [];
  let end: () => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  await world.root.takeResult("a", (result) => {
    taken.push(result);
    return new Promise<void>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
  });
  return {
    ...world,
    a: world.hands.of("/root/a"),
    taken,
    end: () => end(),
    fail: (e: Error) => fail(e),
  };
}

describe("a handler", () => {
  it("S7 gets the RESULT whole, and its success consumes it: nobody is woken, no wait ends", async () => {
    const world = await awaiting();
    const waiting = world.root.wait({ timeoutMs: 60_000 });
    world.a.done("x".repeat(40_000));
    await world.ports.settle();
    expect(world.taken).toMatchObject([{ kind: "completed", path: "/root/a", turn: 1 }]);
    expect(world.taken[0]?.text).toHaveLength(40_000);
    expect(world.session.list()[0]).toMatchObject({ phase: "waiting", marked: false });
    world.end();
    await world.ports.advance(60_000);
    expect(await waiting).toEqual({ why: "timeout", unread: [] });
    expect(await world.session.unread("/root")).toEqual([]);
    expect(await world.eventsOf("mail.consumed")).toHaveLength(1);
    expect(await world.eventsOf("wake.marked")).toEqual([]);
    expect(await world.root.sample(({ mail }) => mail)).toEqual([]);
  });

  it("S7 that fails gives the record back as waking mail, in its place, with a warning", async () => {
    const world = await awaiting();
    world.a.done("the answer");
    await world.ports.settle();
    await world.session.send("/root", "later");
    world.fail(new Error("no room"));
    await world.ports.settle();
    expect(world.session.list()[0]).toMatchObject({ marked: true, unread: 2 });
    expect(await world.root.sample(({ mail }) => mail)).toMatchObject([
      { type: "RESULT", text: "the answer", warning: "its handler failed: no room" },
      { type: "MAIL", text: "later" },
    ]);
  });

  it("S7 that fails ends a wait that began meanwhile", async () => {
    const world = await awaiting();
    world.a.done("the answer");
    await world.ports.settle();
    const waiting = world.root.wait();
    await world.ports.settle();
    world.fail(new Error("no room"));
    const unread = [{ mail: "RESULT", from: "/root/a", count: 1 }];
    expect(await waiting).toEqual({ why: "mail", unread });
  });

  it("S7 other records are delivered while it works", async () => {
    const world = await awaiting();
    world.a.done("the answer");
    await world.session.send("/root", "meanwhile");
    expect(await world.root.sample(({ mail }) => mail)).toMatchObject([{ text: "meanwhile" }]);
    world.end();
    await world.ports.settle();
    expect(await world.session.unread("/root")).toEqual([]);
  });

  it("S7 that passes its deadline gives the record back; its late answer changes nothing", async () => {
    const world = await awaiting({ settleTimeoutMs: 5_000 });
    world.a.done("the answer");
    await world.ports.settle();
    await world.ports.advance(5_000);
    const [record] = await world.session.unread("/root");
    expect(record?.warning).toBe("its handler failed: the handler ran out of time");
    world.end();
    await world.ports.settle();
    expect(await world.session.unread("/root")).toHaveLength(1);
    expect(await world.eventsOf("mail.consumed")).toEqual([]);
    expect(world.ports.pending).toBe(0);
  });

  it("S7 whose signal aborts when its time is up", async () => {
    const world = await awaiting({ settleTimeoutMs: 5_000 });
    world.a.done("the answer");
    await world.ports.settle();
    expect(world.taken[0]?.signal.aborted).toBe(false);
    await world.ports.advance(5_000);
    expect(world.taken[0]?.signal.aborted).toBe(true);
  });

  it("S7 whose turn ends first leaves the record as ordinary mail, and its signal aborts", async () => {
    const world = await awaiting();
    world.a.done("the answer");
    await world.ports.settle();
    world.hands.of("/root").done("without it");
    await world.ports.settle();
    expect(world.taken[0]?.signal.aborted).toBe(true);
    expect(world.hands.called).toContain("/root#2");
    world.end();
    await world.ports.settle();
    const mail = await world.hands.of("/root", 2).turn.sample((input) => input.mail);
    expect(mail).toMatchObject([
      { text: "the answer", warning: "the turn that awaited it ended first" },
    ]);
    expect(await world.eventsOf("mail.consumed")).toEqual([]);
  });

  it.each([
    ["its turn ends", 0],
    ["its turn is interrupted", 1],
    ["its agent's tree is stopped", 2],
    ["the session closes", 3],
  ] as const)(
    "S7 is not called, or with a signal that then aborts, when %s at once",
    async (_, how) => {
      for (const finalisers of [{}, { linger: () => undefined }]) {
        const world = await withRoot({ finalisers });
        await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
        await world.ports.settle();
        const signals: (readonly [atCall: boolean, AbortSignal])[] = [];
        await world.root.takeResult("a", ({ signal }) => {
          signals.push([signal.aborted, signal]);
          return new Promise<void>(() => undefined);
        });
        world.hands.of("/root/a").done("the answer");
        if (how === 0) world.hands.of("/root").done("without it");
        if (how === 1) void world.session.interrupt("/root");
        if (how === 2) void world.session.interruptTree("/root");
        if (how === 3) void world.session.close();
        await world.ports.settle();
        await world.ports.advance(30_000);
        for (const [atCall, signal] of signals) {
          expect([atCall, signal.aborted]).toEqual([false, true]);
        }
      }
    },
  );

  it("S7 R4 that a crash cuts off leaves the record unread, and wakes nobody", async () => {
    const world = await awaiting();
    world.a.done("the answer");
    await world.ports.settle();
    const again = await world.crash();
    await again.ports.settle();
    expect(await again.session.unread("/root")).toMatchObject([{ text: "the answer" }]);
    expect(again.hands.called).toEqual([]);
  });

  it("S7 is one a child, and for children only", async () => {
    const world = await awaiting();
    const take = (path: string) => world.root.takeResult(path, () => undefined);
    await expect(take("a")).rejects.toMatchObject({ code: "handler-taken", rule: "S7" });
    await expect(take("/root")).rejects.toMatchObject({ code: "not-a-child", rule: "S7" });
    await expect(take("nobody")).rejects.toMatchObject({ code: "target-unknown" });
    world.a.done("the answer");
    await world.ports.settle();
    world.end();
    await world.ports.settle();
    await expect(take("a")).resolves.toBeUndefined();
  });

  it("Q2 is waited for by whenQuiet", async () => {
    const world = await awaiting();
    world.a.done("the answer");
    await world.ports.settle();
    let quiet = false;
    void world.session.whenQuiet().then(() => (quiet = true));
    await world.ports.settle();
    expect(quiet).toBe(false);
    world.end();
    await world.ports.settle();
    expect(quiet).toBe(true);
  });
});
