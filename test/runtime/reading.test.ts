/** Sessions that are only looked at, and what turns may read of others (R3, A7). */
import { describe, expect, it } from "vitest";
import { memoryLog } from "../../src/log/memoryLog.js";
import { readSession } from "../../src/runtime/readSession.js";
import { fingerprint, testFolder } from "../support/folders.js";
import { openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

describe("a session that is only read", () => {
  it("R3 shows live turns as they were left, and writes nothing", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
    await world.session.send("/root/a", "hello");
    await world.ports.settle();
    await world.session.whenQuiet();
    const storage = world.storage.copy();
    await using session = await readSession({ log: memoryLog(storage) });
    expect(session.list()).toMatchObject([
      { path: "/root", phase: "running", turns: 1 },
      { path: "/root/a", phase: "running", unread: 1 },
    ]);
    expect(await session.unread("/root/a")).toMatchObject([{ text: "hello" }]);
    expect(await session.history("/root/a").read()).toMatchObject([{ kind: "task", text: "be a" }]);
    expect(await session.result("/root/a")).toBeUndefined();
    expect([session.capacity, session.plan, session.usage().total]).toEqual([10, false, {}]);
    const reader = await memoryLog(storage.copy()).readSession("main");
    const before = await memoryLog(world.storage.copy()).readSession("main");
    expect(reader?.head()).toEqual(before?.head());
  });

  it("R3 leaves its folder byte for byte as it is", async () => {
    const folder = await testFolder();
    const world = await openWorld({ log: folder });
    world.session.prompt("go").catch(() => undefined);
    await world.session.send("/root", "hello");
    await world.session.close();
    const before = await fingerprint(folder);
    const session = await readSession({ log: folder });
    expect(session.list()).toMatchObject([{ path: "/root", phase: "idle" }]);
    await session.history("/root").read();
    await session.close();
    await session.close();
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("R3 is refused when there is none of that name, or it is in use", async () => {
    await expect(readSession({ log: memoryLog() })).rejects.toMatchObject({ code: "bad-argument" });
    const folder = await testFolder();
    const world = await openWorld({ log: folder });
    await expect(readSession({ log: folder })).rejects.toMatchObject({ code: "log-in-use" });
    await world.session.close();
    await expect(readSession({ log: folder, id: "other" })).rejects.toMatchObject({ rule: "R3" });
  });
});

describe("a turn that reads of others", () => {
  it("A7 a delegator reads any retained agent's transcript and result", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
    await world.root.spawn({ name: "b", behavior: "worker", task: "be b" });
    await world.ports.settle();
    world.hands.of("/root/a").done("the answer");
    await world.ports.settle();
    const { turn } = world.hands.of("/root/b");
    expect(await turn.result("/root/a")).toMatchObject({ kind: "completed", text: "the answer" });
    expect(await turn.history("/root/a").read()).toMatchObject([
      { kind: "task", text: "be a" },
      { kind: "response", text: "the answer" },
    ]);
    expect(await world.root.result("b")).toBeUndefined();
    await expect(turn.result("/root/nobody")).rejects.toMatchObject({ code: "target-unknown" });
    expect(() => turn.history("a//b")).toThrow("no agent path");
  });

  it("A7 a communicator may only message: every other tool is refused, and writes nothing", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "c", behavior: "worker", task: "talk", role: "communicator" });
    await world.ports.settle();
    const { turn } = world.hands.of("/root/c");
    const before = world.log.appends;
    const refused = { code: "role-lacks-tool", rule: "A7" };
    const calls = [
      turn.spawn({ name: "d", behavior: "worker", task: "t" }),
      turn.wait(),
      turn.list(),
      turn.interrupt("/root"),
      turn.result("/root"),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: "rejected", reason: refused });
    }
    expect(() => turn.history("/root")).toThrow(expect.objectContaining(refused));
    await world.ports.settle();
    expect(world.log.appends).toBe(before);
    await turn.send("/root", "hello");
    expect(world.session.list()[1]).toMatchObject({ path: "/root/c", role: "communicator" });
  });
});
