/** What a behaviour can do with its turn, and what it is refused (sections 2, 3 and 5 of the contract). */
import { describe, expect, it } from "vitest";
import type { Behavior, TurnOutcome } from "../../src/runtime/api.js";
import { type World, openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

/** Root and two children, all in the test's hand. */
async function family(): Promise<World & Awaited<ReturnType<typeof withRoot>>> {
  const world = await withRoot();
  await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
  await world.root.spawn({ name: "b", behavior: "worker", task: "be b" });
  await world.ports.settle();
  return world;
}

describe("a boundary", () => {
  it("M5 M6 gives the task, then mail oldest first, and never again", async () => {
    const world = await family();
    const a = world.hands.of("/root/a").turn;
    await world.root.send("/root/a", "one");
    await world.hands.of("/root/b").turn.send("/root/a", "two");
    await world.session.send("/root/a", "three");
    const first = world.hands.sample("/root/a");
    await world.ports.settle();
    expect(first.input.task).toEqual({ text: "be a", from: "/root" });
    expect(first.input.mail).toEqual([
      { type: "MAIL", from: "/root", text: "one" },
      { type: "MAIL", from: "/root/b", text: "two" },
      { type: "MAIL", from: "person", text: "three" },
    ]);
    expect(await world.session.unread("/root/a")).toEqual([]);
    first.end("read");
    await first.ended;
    await expect(a.sample(({ mail }) => mail)).resolves.toEqual([]);
    const items = await first.input.transcript.read();
    expect(items.map(({ kind, text }) => [kind, text])).toEqual([
      ["task", "be a"],
      ["mail", "one"],
      ["mail", "two"],
      ["mail", "three"],
      ["sample", "read"],
      ["sample", "[]"],
    ]);
  });

  it("B22 T5 comes after the open sample, with all that came meanwhile", async () => {
    const world = await family();
    const open = world.hands.sample("/root/a");
    await world.ports.settle();
    for (const text of ["A", "B", "C"]) await world.root.send("/root/a", text);
    expect(open.input.mail).toEqual([]);
    open.end();
    await open.ended;
    const next = await world.hands.of("/root/a").turn.sample(({ mail }) => mail);
    expect(next.map(({ text }) => text)).toEqual(["A", "B", "C"]);
  });

  it("M5 of a sample that fails does not make its mail unread again", async () => {
    const world = await family();
    const a = world.hands.of("/root/a").turn;
    await world.root.send("/root/a", "one");
    const boom = { not: "an error" };
    await expect(
      a.sample(() => {
        // A provider's client may throw anything.
        // oxlint-disable-next-line typescript/only-throw-error
        throw boom;
      }),
    ).rejects.toBe(boom);
    expect(await world.session.unread("/root/a")).toEqual([]);
    expect(await a.sample(({ mail }) => mail)).toEqual([]);
    expect(await world.eventsOf("sample.ended")).toMatchObject([
      { failed: '{"not":"an error"}' },
      { result: [] },
    ]);
  });

  it("M5 whose texts can't be read is a sample that failed, and the turn goes on", async () => {
    const world = await family();
    const a = world.hands.of("/root/a").turn;
    const big = "x".repeat(3 * 1024 * 1024);
    await world.root.send("/root/a", big);
    // Texts that are no longer kept come from the log; one read of it fails.
    const broken = (world.storage as unknown as { streams: Map<string, { records: string[] }> })
      .streams;
    const records = broken.get("main")?.records ?? [];
    const at = records.findIndex((record) => record.includes(big));
    const whole = records[at] ?? "";
    records[at] = whole.replace("xxx", "xyx");
    await expect(a.sample(() => "never")).rejects.toMatchObject({ code: "log-corrupt" });
    records[at] = whole;
    await expect(a.sample(() => "again")).resolves.toBe("again");
  });

  it("M4 keeps the order of calls that nobody awaited", async () => {
    const world = await family();
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`);
    for (const text of texts) void world.root.send("/root/a", text);
    await world.ports.settle();
    const mail = await world.hands.of("/root/a").turn.sample((input) => input.mail);
    expect(mail.map(({ text }) => text)).toEqual(texts);
  });
});

describe("a message", () => {
  it("M7 W6 answers nothing, but that it waits for a slot when capacity alone holds its idle recipient", async () => {
    const world = await withRoot({ capacity: 1 });
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    world.hands.of("/root/a").done("ready");
    await world.ports.settle();
    await world.root.spawn({ name: "b", behavior: "worker", task: "t" });
    await world.ports.settle();
    await expect(world.root.send("/root/b", "x")).resolves.toEqual({});
    await world.hands.of("/root/b").turn.sample(() => "read");
    await expect(world.root.send("/root/a", "x")).resolves.toEqual({ startsWhenSlotFrees: true });
    await expect(world.session.send("/root/a", "y")).resolves.toEqual({
      startsWhenSlotFrees: true,
    });
    world.hands.of("/root/b").done("ready");
    await world.ports.settle();
    expect(world.hands.called).toEqual(["/root#1", "/root/a#1", "/root/b#1", "/root/a#2"]);
    const mail = await world.hands.of("/root/a", 2).turn.sample((input) => input.mail);
    expect(mail.map(({ text }) => text)).toEqual(["x", "y"]);
  });

  it("M8 to oneself is read at the next boundary, ends a wait, and starts nothing later", async () => {
    const world = await family();
    const a = world.hands.of("/root/a");
    await a.turn.send("/root/a", "note");
    await expect(a.turn.wait()).resolves.toEqual({
      why: "mail",
      unread: [{ mail: "MAIL", from: "/root/a", count: 1 }],
    });
    a.done("ready");
    await world.ports.settle();
    expect(world.session.list()[1]).toMatchObject({ phase: "idle", unread: 1, marked: false });
    expect(world.hands.called).toHaveLength(3);
  });

  it("W4 that comes during a final answer starts exactly one turn more, which reads it", async () => {
    const world = await family();
    const a = world.hands.of("/root/a");
    const last = world.hands.sample("/root/a");
    await world.ports.settle();
    await world.root.send("/root/a", "late");
    last.end("final");
    await last.ended;
    a.done("final");
    await world.ports.settle();
    expect(world.hands.called.filter((key) => key.startsWith("/root/a#"))).toEqual([
      "/root/a#1",
      "/root/a#2",
    ]);
    const again = world.hands.of("/root/a", 2);
    expect(again.turn.task).toBeUndefined();
    await expect(again.turn.sample(({ mail }) => mail)).resolves.toMatchObject([{ text: "late" }]);
    again.done("done");
    await world.ports.settle();
    expect(world.hands.called).toHaveLength(4);
  });

  it("B01 S1 RESULTs before the last boundary come with it, those after it start exactly one turn", async () => {
    const world = await openWorld();
    await world.session.spawn({ name: "p", behavior: "worker", task: "lead" });
    await world.ports.settle();
    const p = world.hands.of("/root/p");
    const names = ["c1", "c2", "c3", "c4", "c5", "c6"];
    const first = world.hands.sample("/root/p");
    await world.ports.settle();
    for (const name of names) await p.turn.spawn({ name, behavior: "worker", task: "t" });
    await world.ports.settle();
    for (const name of ["c3", "c1", "c4", "c2"]) {
      world.hands.of(`/root/p/${name}`).done(`${name} is done`);
      await world.ports.settle();
    }
    first.end("spawned");
    await first.ended;
    const seen = [...(await p.turn.sample(({ mail }) => mail))];
    expect(seen.map(({ text }) => text.slice(0, 2))).toEqual(["c3", "c1", "c4", "c2"]);
    for (const name of ["c6", "c5"]) world.hands.of(`/root/p/${name}`).done(`${name} is done`);
    await world.ports.settle();
    p.done("reported");
    await world.ports.settle();
    const turns = world.hands.called.filter((key) => key.startsWith("/root/p#"));
    expect(turns).toEqual(["/root/p#1", "/root/p#2"]);
    seen.push(...(await world.hands.of("/root/p", 2).turn.sample(({ mail }) => mail)));
    world.hands.of("/root/p", 2).done("done");
    await world.ports.settle();
    expect(seen.map(({ text }) => text.slice(0, 2)).sort()).toEqual(names);
    expect(world.hands.called.filter((key) => key.startsWith("/root/p#"))).toEqual(turns);
  });
});

describe("a wait", () => {
  it("V1 V2 B12 returns at once when mail is there, with counts and no text", async () => {
    const world = await family();
    await world.hands.of("/root/a").turn.send("/root", "secret one");
    await world.hands.of("/root/a").turn.send("/root", "secret two");
    await world.session.send("/root", "secret three");
    const answer = await world.root.wait();
    expect(answer).toEqual({
      why: "mail",
      unread: [
        { mail: "MAIL", from: "/root/a", count: 2 },
        { mail: "MAIL", from: "person", count: 1 },
      ],
    });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(world.ports.pending).toBe(0);
  });

  it("V1 B18 ends with a RESULT, whose text comes once, by the next boundary", async () => {
    const world = await family();
    const waiting = world.root.wait();
    world.hands.of("/root/a").done("the final text");
    await expect(waiting).resolves.toEqual({
      why: "mail",
      unread: [{ mail: "RESULT", from: "/root/a", count: 1 }],
    });
    await expect(world.root.sample(({ mail }) => mail)).resolves.toEqual([
      { type: "RESULT", from: "/root/a", text: "the final text", outcome: "completed" },
    ]);
    const items = await world.session.history("/root").read();
    expect(items.filter(({ text }) => text.includes("the final text"))).toHaveLength(2);
    expect(items.map(({ kind }) => kind)).toEqual([
      "task",
      "spawned",
      "spawned",
      "waited",
      "mail",
      "sample",
    ]);
    // Once as the record that was delivered, once in what this sample chose to return.
    expect(
      items.filter(({ kind, text }) => kind === "mail" && text === "the final text"),
    ).toHaveLength(1);
  });

  it("V1 ends when the person writes", async () => {
    const world = await family();
    const waiting = world.root.wait();
    const asked = world.session.prompt("and this?");
    asked.catch(() => undefined);
    await expect(waiting).resolves.toMatchObject({ why: "input" });
  });

  it("V3 runs out of time as a success, by the monotonic clock alone", async () => {
    const world = await withRoot();
    let answer: unknown;
    void world.root.wait().then((given) => (answer = given));
    world.ports.jump(3_600_000);
    await world.ports.advance(29_999);
    world.ports.jump(-7_200_000);
    expect(answer).toBeUndefined();
    await world.ports.advance(1);
    expect(answer).toEqual({ why: "timeout", unread: [] });
    expect(world.ports.pending).toBe(0);
  });

  it.each<[unknown, number]>([
    [2 ** 31, 3_600_000],
    [1e12, 3_600_000],
    [Number.POSITIVE_INFINITY, 3_600_000],
    [Number.NEGATIVE_INFINITY, 10_000],
    [1, 10_000],
    ["45000", 45_000],
    ["  12000.6 ", 12_001],
    [undefined, 30_000],
  ])("V3 B47 of %j takes %d ms", async (timeoutMs, expected) => {
    const world = await withRoot();
    void world.root.wait(timeoutMs === undefined ? {} : { timeoutMs: timeoutMs as number });
    await world.ports.settle();
    expect(await world.session.whenQuiet()).toMatchObject({ waiting: ["/root"] });
    expect(await world.eventsOf("wait.began")).toMatchObject([{ timeoutMs: expected }]);
  });

  it.each<unknown>([Number.NaN, "soon", null, "", " ", {}, true, "0x10", 10n, [20_000]])(
    "V3 B47 of %s is refused, and leaves nothing",
    async (timeoutMs) => {
      const world = await withRoot();
      await expect(world.root.wait({ timeoutMs: timeoutMs as number })).rejects.toMatchObject({
        code: "timeout-invalid",
        rule: "V3",
      });
      expect(world.ports.pending).toBe(0);
      await expect(world.root.sample(() => "still free")).resolves.toBe("still free");
    },
  );

  it("V4 is gone, timer and all, before its caller goes on: it may wait again at once, or throw", async () => {
    const world = await family();
    const pending: number[] = [];
    const again = world.root.wait().then(() => {
      pending.push(world.ports.pending);
      return world.root.wait({ timeoutMs: 20_000 });
    });
    await world.hands.of("/root/a").turn.send("/root", "one");
    await expect(again).resolves.toMatchObject({ why: "mail" });
    expect(pending).toEqual([0]);
    await world.root.sample(() => undefined);
    const third = world.root.wait();
    // The dead wait's time passes; the live one is not touched by it.
    await world.ports.advance(25_000);
    expect(world.session.list()[0]?.phase).toBe("waiting");
    await world.ports.advance(5_000);
    await expect(third).resolves.toMatchObject({ why: "timeout" });
  });

  it("V5 T1 is ended by an interrupt, and by the end of its own turn", async () => {
    const world = await family();
    const a = world.hands.of("/root/a");
    const interrupted = a.turn.wait();
    await world.session.interrupt("/root/a");
    await expect(interrupted).resolves.toMatchObject({ why: "interrupted" });
    const b = world.hands.of("/root/b");
    const settled = b.turn.wait();
    b.done("never mind");
    await expect(settled).resolves.toMatchObject({ why: "settled" });
    expect(world.ports.pending).toBe(0);
  });

  it("V6 a parent may settle while its children go on", async () => {
    const world = await family();
    world.hands.of("/root").done("good night");
    await expect(world.outcome).resolves.toMatchObject({ kind: "completed", text: "good night" });
    expect(world.session.list().map(({ phase }) => phase)).toEqual(["idle", "running", "running"]);
  });
});

describe("a second call", () => {
  it("T1 of sample or wait is refused as busy while one is open, and harms neither", async () => {
    const world = await withRoot();
    const busy = { code: "turn-busy", rule: "T1" };
    const open = world.hands.sample("/root");
    await world.ports.settle();
    await expect(world.root.sample(() => 1)).rejects.toMatchObject(busy);
    await expect(world.root.wait()).rejects.toMatchObject(busy);
    open.end("fine");
    await expect(open.ended).resolves.toBe("fine");
    const waiting = world.root.wait();
    await expect(world.root.sample(() => 1)).rejects.toMatchObject(busy);
    await expect(world.root.wait()).rejects.toMatchObject(busy);
    await expect(world.root.partial("x")).rejects.toMatchObject(busy);
    await world.ports.advance(30_000);
    await expect(waiting).resolves.toMatchObject({ why: "timeout" });
    await expect(world.root.partial("x")).rejects.toMatchObject(busy);
  });

  it("T1 on a handle whose turn has ended is refused, whatever it is", async () => {
    const world = await family();
    const a = world.hands.of("/root/a");
    a.done("ready");
    await world.ports.settle();
    const { turn } = a;
    const calls = [
      turn.sample(() => 1),
      turn.wait(),
      turn.send("/root", "x"),
      turn.partial("x"),
      turn.record({ x: 1 }),
      turn.spawn({ name: "c", behavior: "worker", task: "t" }),
      turn.interrupt("/root/b"),
      turn.yieldExecution({ command: "x", run: async () => "x" }),
      turn.list(),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { code: "turn-over", rule: "T1" },
      });
    }
    expect(await world.session.unread("/root")).toHaveLength(1);
    expect(turn.signal.aborted).toBe(false);
  });

  it("T1 that nobody awaits does not end the process", async () => {
    const world = await openWorld({
      behaviors: {
        root: (turn) => {
          void Promise.resolve()
            .then(() => world.ports.settle())
            .then(() => void turn.send("/root", "too late"));
          return "done";
        },
      },
    });
    await world.session.prompt("go");
    await world.ports.settle();
    await world.ports.settle();
    expect(await world.session.unread("/root")).toEqual([]);
  });
});

describe("a role", () => {
  it("A7 of communicator may only message: everything else is refused, list too", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "c", behavior: "worker", task: "t", role: "communicator" });
    await world.ports.settle();
    const { turn } = world.hands.of("/root/c");
    await expect(turn.send("/root", "hello")).resolves.toEqual({});
    const calls = [
      turn.wait(),
      turn.spawn({ name: "d", behavior: "worker", task: "t" }),
      turn.interrupt("/root"),
      turn.list(),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ reason: { code: "role-lacks-tool", rule: "A7" } });
    }
  });

  it("A8 of delegator lists everybody, sorted, without internal ids", async () => {
    const world = await family();
    await world.root.send("/root/b", "x");
    expect(await world.root.list()).toEqual([
      expect.objectContaining({ path: "/root", generation: 1, phase: "running", unread: 0 }),
      expect.objectContaining({ path: "/root/a", marked: false, role: "delegator" }),
      expect.objectContaining({ path: "/root/b", marked: true, unread: 1 }),
    ]);
  });
});

describe("what a behaviour returns or throws", () => {
  /** A value that can't be put into words. */
  const wordless: unknown = Object.create(null);
  const liar = new Error("x");
  Object.defineProperty(liar, "message", {
    get() {
      throw new Error("no");
    },
  });

  const run = async (behavior: Behavior): Promise<TurnOutcome> => {
    const world = await openWorld({ behaviors: { root: behavior } });
    return world.session.prompt("go");
  };
  const throwing = (value: unknown) => (): never => {
    throw value;
  };

  it.each<[string, unknown, string]>([
    ["an error", new Error("broke"), "broke"],
    ["an error without words", new Error(), "Error"],
    ["a string", "just text", "just text"],
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["an object with a message", { message: "from elsewhere" }, "from elsewhere"],
    ["plain data", { status: 500 }, '{"status":500}'],
    ["an object without a prototype", wordless, "{}"],
    ["an error that lies", liar, "it threw something that can't be put into words"],
    ["an empty string", "", 'it threw ""'],
    ["ill-formed text", "a\ud800", "a\ufffd"],
  ])("S1 %s is an errored turn with a reason", async (_what, value, reason) => {
    expect(await run(throwing(value))).toMatchObject({ kind: "errored", reason });
    expect(await run(() => Promise.reject(value as Error))).toMatchObject({
      kind: "errored",
      reason,
    });
  });

  it("S1 a reason is short, whatever was thrown", async () => {
    const outcome = await run(throwing(new Error("😀".repeat(5_000_000))));
    expect(outcome.kind).toBe("errored");
    expect(outcome.reason?.length).toBeLessThan(5_000);
    expect(outcome.reason?.isWellFormed()).toBe(true);
  });

  it.each<unknown>([7, {}, [], true, Symbol("s"), () => "x", 10n])(
    "S1 that is no text is an errored turn: %s",
    async (value) => {
      const outcome = await run(() => value as string);
      expect(outcome).toMatchObject({ kind: "errored" });
      expect(outcome.reason).toContain(typeof value);
    },
  );

  it("S1 S6 nothing is an empty response, ill-formed text is repaired and says so", async () => {
    expect(await run(() => undefined)).toMatchObject({ kind: "completed", text: "" });
    expect(await run(() => null as unknown as string)).toMatchObject({
      kind: "completed",
      text: "",
    });
    expect(await run(() => "a\ud800b")).toMatchObject({ text: "a\ufffdb", repaired: true });
  });

  it("S1 counts once: what comes after an interrupt is dropped", async () => {
    const world = await withRoot();
    await world.session.interrupt("/root", "stop");
    world.hands.of("/root").done("too late");
    await world.ports.settle();
    await expect(world.outcome).resolves.toMatchObject({ kind: "interrupted", reason: "stop" });
    expect(await world.eventsOf("settlement.began")).toHaveLength(1);
  });

  it("M6 a final response that equals the last sample's result is kept once", async () => {
    const world = await openWorld({
      behaviors: { root: (turn) => turn.sample(() => "the one answer") },
    });
    await expect(world.session.prompt("go")).resolves.toMatchObject({ text: "the one answer" });
    const events = await world.events();
    expect(JSON.stringify(events).split("the one answer")).toHaveLength(2);
    expect(await world.session.result("/root")).toMatchObject({ text: "the one answer" });
    expect(await world.session.history("/root").read(-1)).toMatchObject([
      { kind: "response", text: "the one answer", outcome: "completed" },
    ]);
  });
});

describe("the transcript", () => {
  it("M6 has the host's own entries and results as data, and marks what JSON can't carry", async () => {
    const world = await withRoot();
    await world.root.record({ cost: 3 });
    await world.root.sample(() => ({ tool: "x", args: [1, null] }));
    await world.root.sample(() => 10n);
    await world.root.sample(() => undefined);
    const items = await world.session.history("/root").read();
    expect(items.slice(1)).toMatchObject([
      { kind: "recorded", data: { cost: 3 } },
      {
        kind: "sample",
        data: { tool: "x", args: [1, null] },
        text: '{"tool":"x","args":[1,null]}',
      },
      { kind: "sample", text: "" },
      { kind: "sample", text: "" },
    ]);
    expect(await world.eventsOf("sample.ended")).toMatchObject([{}, { opaque: true }, {}]);
  });

  it("M6 refuses an entry that JSON can't carry", async () => {
    const world = await withRoot();
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const entry of [undefined, () => 1, Symbol("s"), 10n, cycle]) {
      await expect(world.root.record(entry as never)).rejects.toMatchObject({
        code: "value-not-json",
      });
    }
  });

  it("M6 is read in parts, from the end too, and grows with the session", async () => {
    const world = await withRoot();
    const transcript = world.session.history("/root");
    expect(transcript.length).toBe(1);
    for (const n of [1, 2, 3]) await world.root.record(n);
    expect(transcript.length).toBe(4);
    expect((await transcript.read(-2)).map(({ data }) => data)).toEqual([2, 3]);
    expect((await transcript.read(1, 2)).map(({ data }) => data)).toEqual([1]);
  });
});
