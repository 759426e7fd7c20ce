/** Idempotency keys of the person's requests: the same one again answers as before and writes nothing (M3). */
import { describe, expect, it } from "vitest";
import { levelLog } from "../../src/log/levelLog.js";
import { testFolder } from "../support/folders.js";
import { openWorld, withRoot, type World } from "../support/world.js";

const commitsOf = (world: World) => world.log.appends;

describe("a message with a key", () => {
  it("M3 is written once, however often it is sent, and answers as before", async () => {
    const world = await openWorld({ capacity: 2 });
    await world.session.spawn({ name: "busy", behavior: "worker", task: "hold the slot" });
    await world.session.spawn({ name: "a", behavior: "worker", task: "go" });
    await world.ports.settle();
    world.hands.of("/root/a").done();
    await world.ports.settle();
    await world.session.setCapacity(1);
    const first = await world.session.send("/root/a", "hello", { key: "k1" });
    expect(first).toEqual({ startsWhenSlotFrees: true });
    await world.ports.settle();
    const before = commitsOf(world);
    expect(await world.session.send("/root/a", "hello", { key: "k1" })).toEqual(first);
    expect(await world.session.send("a", "hello", { key: "k1" })).toEqual(first);
    await world.ports.settle();
    expect(commitsOf(world)).toBe(before);
    expect(await world.session.unread("/root/a")).toHaveLength(1);
  });

  it("M3 is recognised after a reopen, and after a crash at the very commit", async () => {
    const world = await openWorld();
    await world.session.send("/root", "hello", { key: "k1" });
    const again = await world.crash();
    expect(await again.session.send("/root", "hello", { key: "k1" })).toEqual({});
    await again.ports.settle();
    expect(await again.session.unread("/root")).toHaveLength(1);
    const lost = await openWorld({ storage: world.storage.copy(1) });
    await lost.session.send("/root", "hello", { key: "k1" });
    expect(await lost.session.unread("/root")).toHaveLength(1);
  });

  it("M3 stands in the commit of its mail", async () => {
    const world = await openWorld();
    await Promise.all([
      world.session.send("/root", "one", { key: "k1" }),
      world.session.send("/root", "two"),
      world.session.send("/root", "three", { key: "k3" }),
    ]);
    await world.session.close();
    const reader = await world.log.readSession("main");
    for await (const commit of reader?.read() ?? []) {
      for (const [key, value] of Object.entries(commit.keys ?? {})) {
        const index = Number(/^send [0-9]+\.([0-9]+)$/.exec(value)?.[1]);
        expect(commit.events[index]).toMatchObject({ text: key === "k1" ? "one" : "three" });
      }
    }
    expect(await reader?.lookup("k1")).toMatch(/^send /);
    expect(await reader?.lookup("k3")).toMatch(/^send /);
  });

  it("M3 refuses the key of another text, target or verb, and writes nothing", async () => {
    const world = await withRoot();
    await world.session.spawn({ name: "a", behavior: "worker", task: "go" });
    await world.session.send("/root", "hello", { key: "k1" });
    const before = commitsOf(world);
    const refused = { code: "key-reused", rule: "M3" };
    await expect(world.session.send("/root", "hello!", { key: "k1" })).rejects.toMatchObject(
      refused,
    );
    await expect(world.session.send("a", "hello", { key: "k1" })).rejects.toMatchObject(refused);
    await expect(world.session.prompt("hello", { key: "k1" })).rejects.toMatchObject(refused);
    await world.ports.settle();
    expect(commitsOf(world)).toBe(before);
  });

  it("M3 shares one answer with the same call that is under way, and refuses another there too", async () => {
    const world = await withRoot();
    const calls = [1, 2, 3].map(() => world.session.send("/root", "hello", { key: "k1" }));
    const other = world.session.send("/root", "other", { key: "k1" });
    await expect(other).rejects.toMatchObject({ code: "key-reused" });
    expect(await Promise.all(calls)).toEqual([{}, {}, {}]);
    expect(await world.session.unread("/root")).toHaveLength(1);
  });

  it("M3 a refused request leaves its key free", async () => {
    const world = await withRoot();
    const send = () => world.session.send("a", "hello", { key: "k1" });
    await expect(send()).rejects.toMatchObject({ code: "target-unknown" });
    await world.session.spawn({ name: "a", behavior: "worker", task: "go" });
    expect(await send()).toEqual({});
    await expect(world.session.send("a", " ", { key: "k2" })).rejects.toMatchObject({
      code: "text-empty",
    });
    await expect(world.session.send("a//", "x", { key: "k2" })).rejects.toMatchObject({
      code: "target-malformed",
    });
    expect(await world.session.send("a", "x", { key: "k2" })).toEqual({});
  });

  it("M3 a key is a well-formed text of 1 to 256 characters", async () => {
    const world = await withRoot();
    for (const key of ["", "\0own", "\ud800", "x".repeat(257), 7 as unknown as string]) {
      await expect(world.session.send("/root", "x", { key })).rejects.toMatchObject({
        code: "bad-argument",
        rule: "M3",
      });
    }
    await world.session.send("/root", "x", { key: "__proto__" });
    await world.session.send("/root", "x", { key: "__proto__" });
    expect(await world.session.unread("/root")).toHaveLength(1);
  });

  it("M4 the log keeps the order of the person's calls, with keys and without", async () => {
    const world = await withRoot();
    const texts = ["1", "2", "3", "4", "5", "6", "7"];
    for (const text of texts) {
      const options = Number(text) % 2 === 1 ? { key: text } : {};
      if (text === "6") world.session.prompt(text, { key: text }).catch(() => undefined);
      else void world.session.send("/root", text, options);
    }
    await world.ports.settle();
    expect((await world.session.unread("/root")).map(({ text }) => text)).toEqual(texts);
  });

  it("M3 a store that fails leaves the outcome to the reopen, where the same call settles it", async () => {
    for (const written of [true, false]) {
      const world = await openWorld();
      world.log.failNext("unknown", { written });
      const send = world.session.send("/root", "hello", { key: "k1" });
      await expect(send).rejects.toMatchObject({ code: "outcome-unknown" });
      const again = await world.crash();
      expect(await again.session.unread("/root")).toHaveLength(written ? 1 : 0);
      await again.session.send("/root", "hello", { key: "k1" });
      expect(await again.session.unread("/root")).toHaveLength(1);
    }
  });

  it("L8 a key that is looked up while the session closes settles as closed", async () => {
    const world = await withRoot();
    const calls = [
      world.session.send("/root", "x", { key: "k1" }),
      world.session.prompt("y", { key: "k2" }),
      world.session.send("/root", "z"),
    ];
    const settled = Promise.allSettled(calls);
    await world.session.close();
    for (const one of await settled) {
      expect(one).toMatchObject({ status: "rejected", reason: { code: "session-closed" } });
    }
    await expect(world.session.send("/root", "x", { key: "k9" })).rejects.toMatchObject({
      code: "session-closed",
    });
  });
});

describe("a prompt with a key", () => {
  it("M3 W8 answers with the outcome of the turn that read it, live and after a reopen", async () => {
    const world = await openWorld();
    const first = world.session.prompt("hi", { key: "k1" });
    const second = world.session.prompt("hi", { key: "k1" });
    await world.ports.settle();
    world.hands.of("/root").done("hello");
    expect(await first).toMatchObject({ kind: "completed", text: "hello", turn: 1 });
    expect(await second).toEqual(await first);
    void world.session.prompt("more").catch(() => undefined);
    await world.ports.settle();
    world.hands.of("/root").done("later");
    expect(await world.session.prompt("hi", { key: "k1" })).toEqual(await first);
    const again = await world.crash();
    expect(await again.session.prompt("hi", { key: "k1" })).toEqual(await first);
    expect(again.hands.called).toEqual([]);
  });

  it("M3 R2 answers with the interrupt that a crash made of its turn", async () => {
    const world = await openWorld();
    world.session.prompt("hi", { key: "k1" }).catch(() => undefined);
    await world.ports.settle();
    const again = await world.crash();
    const outcome = await again.session.prompt("hi", { key: "k1" });
    expect(outcome).toMatchObject({ kind: "interrupted", turn: 1 });
  });

  it("M3 W9 waits for the turn that will read it, when a crash left it unread", async () => {
    const world = await withRoot();
    world.session.prompt("and this", { key: "k1" }).catch(() => undefined);
    await world.ports.settle();
    const again = await world.crash();
    const asked = again.session.prompt("and this", { key: "k1" });
    await again.ports.settle();
    expect(again.hands.called).toEqual([]);
    void again.session.prompt("go on").catch(() => undefined);
    await again.ports.settle();
    await again.hands.of("/root").turn.sample(() => "read");
    again.hands.of("/root").done("done");
    expect(await asked).toMatchObject({ kind: "completed", text: "done", turn: 2 });
  });

  it("M3 waits for the turn that is reading it", async () => {
    const world = await withRoot();
    const asked = world.session.prompt("and this", { key: "k1" });
    await world.ports.settle();
    await world.hands.of("/root").turn.sample(() => "read");
    const again = world.session.prompt("and this", { key: "k1" });
    await world.ports.settle();
    world.hands.of("/root").done("done");
    expect(await again).toMatchObject({ text: "done", turn: 1 });
    expect(await asked).toEqual(await again);
  });
});

describe("a folder's log", () => {
  it("M3 keeps keys through a close and a reopen", async () => {
    const folder = await testFolder();
    const first = await openWorld({ log: folder });
    await first.session.send("/root", "hello", { key: "k/1" });
    await first.session.close();
    const log = levelLog(folder);
    const second = await openWorld({ log });
    await second.session.send("/root", "hello", { key: "k/1" });
    expect(await second.session.unread("/root")).toHaveLength(1);
    await second.session.close();
    await log.close();
  });
});
