/** What is known of an agent's parent, and how a host's evidence is bounded (O2). */
import { describe, expect, it } from "vitest";
import type { ReportParent } from "../../../src/runtime/peer/api.js";
import { readSession } from "../../../src/runtime/readSession.js";
import { memoryLog } from "../../../src/log/memoryLog.js";
import {
  CHILD,
  familyWorld,
  PARENT,
  sendToChild,
  spawnIdle,
  textsOf,
} from "../../support/family.js";
import type { World } from "../../support/world.js";

const resolve = (world: World, target: string = CHILD.path) =>
  world.session.resolveAgentParentReference(target);

const withReport = (reportParent: unknown, timeoutMs?: number) =>
  familyWorld({
    peer: {
      reportParent: reportParent as ReportParent,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
  });

describe("resolving an agent's parent", () => {
  it("O2 answers from the session's record, and says whether it can be addressed", async () => {
    const world = await familyWorld();
    expect(await resolve(world)).toEqual({
      agent: CHILD,
      answer: "verified",
      source: "session",
      parent: PARENT,
      addressable: true,
      reason: "the parent of /root/p/c, generation 1, is /root/p, generation 1",
    });
    expect(await resolve(world, "/root")).toMatchObject({ answer: "absent", addressable: false });
  });

  it("O2 changes nothing and writes nothing, whatever the host reports", async () => {
    const world = await withReport(() => ({ path: "/root/p", generation: 7 }));
    const appends = world.log.appends;
    const before = world.session.list();
    expect(await resolve(world)).toMatchObject({ answer: "conflict", addressable: false });
    await world.ports.settle();
    expect(world.log.appends).toBe(appends);
    expect(world.session.list()).toEqual(before);
  });

  it("O2 asks about that one agent and about no other", async () => {
    const asked: string[] = [];
    const world = await withReport((agent: { path: string }) => void asked.push(agent.path));
    for (const name of ["x", "y", "z"]) await spawnIdle(world, name, "/root");
    expect((await resolve(world)).source).toBe("session");
    expect(asked).toEqual([CHILD.path]);
  });

  it("O2 A2 of nobody is refused, and nobody is asked", async () => {
    const asked: unknown[] = [];
    const world = await withReport((agent: unknown) => void asked.push(agent));
    for (const [target, code] of [
      ["/root/x", "target-unknown"],
      ["", "target-empty"],
      ["..", "target-malformed"],
    ] as const) {
      await expect(resolve(world, target)).rejects.toMatchObject({ code });
    }
    expect(asked).toEqual([]);
  });

  it("O2 names the exact generation of an agent that has ended, and whether mail would reach it now", async () => {
    const world = await familyWorld();
    await world.session.end(CHILD.path);
    expect(await resolve(world)).toMatchObject({ agent: CHILD, parent: PARENT, addressable: true });
    await world.session.end(PARENT.path);
    expect(await resolve(world)).toMatchObject({ parent: PARENT, addressable: true });
    await spawnIdle(world, "p", "/root");
    expect(await resolve(world)).toMatchObject({ parent: PARENT, addressable: false });
  });

  it("O2 R3 works on a session that is only read", async () => {
    const world = await familyWorld();
    await world.ports.settle();
    const read = await readSession({ log: memoryLog(world.storage.copy()) });
    expect(await read.resolveAgentParentReference(CHILD.path)).toMatchObject({ parent: PARENT });
    await read.close();
  });
});

describe("a host's report", () => {
  const big = { ...PARENT, note: "x".repeat(5_000) };
  const cyclic: Record<string, unknown> = { ...PARENT };
  cyclic["self"] = cyclic;
  const UNUSABLE: readonly (readonly [string, () => unknown, RegExp])[] = [
    ["too large", () => big, /larger than 4096 bytes/],
    ["without an end", () => cyclic, /larger than 4096 bytes/],
    [
      "of many fields",
      () => ({ ...PARENT, many: Array.from({ length: 2_000 }, () => 1) }),
      /larger/,
    ],
    ["no path", () => ({ path: "p", generation: 1 }), /no path with a generation/],
    ["no generation", () => ({ path: "/root/p" }), /no path with a generation/],
    ["generation 0", () => ({ path: "/root/p", generation: 0 }), /no path with a generation/],
    ["a text", () => "/root/p", /no path with a generation/],
    ["thrown", () => Promise.reject(new Error("no idea")), /no idea/],
    [
      "thrown while it is read",
      () => ({
        generation: 1,
        get path() {
          throw new Error("not now");
        },
      }),
      /not now/,
    ],
  ];

  it.each(UNUSABLE)(
    "O2 that is %s leaves the parent uncertain, and the copy is skipped",
    async (_, report, reason) => {
      const world = await withReport(report);
      const known = await resolve(world);
      expect(known).toMatchObject({ answer: "uncertain", addressable: false });
      expect(known.reason).toMatch(reason);
      const result = await sendToChild(world, "hello");
      expect(result).toMatchObject({
        ok: true,
        sentTo: [CHILD],
        parent: { outcome: "skipped", code: "parent-uncertain", rule: "O4" },
      });
      expect(result.parent.reason).toMatch(reason);
      expect(await textsOf(world, PARENT.path)).toEqual([]);
    },
  );

  it("O2 that comes late leaves the parent uncertain: its signal aborts, and what it says then is dropped", async () => {
    const signals: AbortSignal[] = [];
    let answer: (report: unknown) => void = () => undefined;
    const world = await withReport((_: unknown, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise((done) => (answer = done));
    }, 200);
    const known = resolve(world);
    await world.ports.advance(199);
    expect(signals[0]?.aborted).toBe(false);
    await world.ports.advance(1);
    answer(PARENT);
    expect(await known).toMatchObject({ answer: "uncertain" });
    expect((await known).reason).toContain("more than 200 ms");
    expect(signals[0]?.aborted).toBe(true);
    expect(world.ports.pending).toBe(0);
  });

  it("O2 O4 that disagrees with the session's record is a conflict: a stated skip that is no failure", async () => {
    for (const report of [{ path: "/root", generation: 1 }, { ...PARENT, generation: 2 }, null]) {
      const world = await withReport(() => report);
      const result = await sendToChild(world, "hello");
      expect(result).toMatchObject({
        ok: true,
        parent: { outcome: "skipped", code: "parent-conflict", rule: "O4" },
      });
      expect(result.parent.recipient).toBeUndefined();
      const [plan] = await world.eventsOf("operation.planned");
      expect(plan?.parent).toBeUndefined();
      expect(plan?.evidence.answer).toBe("conflict");
    }
  });

  it("O2 that agrees verifies by both, and one that knows nothing leaves the session's record", async () => {
    const agrees = await withReport(() => ({ ...PARENT, note: "x".repeat(3_000) }));
    expect((await resolve(agrees)).source).toBe("both");
    expect((await sendToChild(agrees)).sentTo).toEqual([CHILD, PARENT]);
    const silent = await withReport(() => undefined);
    expect((await resolve(silent)).source).toBe("session");
  });

  it("O1 O2 is asked for once a plan, and not again by a repeat", async () => {
    let asked = 0;
    const world = await withReport(() => void asked++);
    await sendToChild(world, "hello", { operationId: "op" });
    await sendToChild(world, "hello", { operationId: "op" });
    expect(asked).toBe(1);
  });

  it("O1 O2 while which the child is replaced plans nothing", async () => {
    let answer: () => void = () => undefined;
    const world = await withReport(() => new Promise<void>((done) => (answer = done)));
    const sending = sendToChild(world, "hello");
    await world.ports.settle();
    await world.session.end(CHILD.path);
    await spawnIdle(world, "c", PARENT.path);
    answer();
    await expect(sending).rejects.toMatchObject({ code: "target-replaced", rule: "O2" });
    expect(await world.eventsOf("operation.planned")).toEqual([]);
  });
});
