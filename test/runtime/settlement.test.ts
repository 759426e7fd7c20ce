/** Settlement and results, end to end (section 6 of the contract). */
import { describe, expect, it } from "vitest";
import { PREVIEW_CHARS, countChars } from "../../src/kernel/preview.js";
import type { ExecutionOptions } from "../../src/runtime/api.js";
import { openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

/** A command in the test's hand. */
function command(): {
  run: ExecutionOptions["run"];
  end(text?: string): void;
  print(text: string): void;
  stopped(): boolean;
} {
  let io: { signal: AbortSignal; print(text: string): void } | undefined;
  let end: (text?: string) => void = () => undefined;
  return {
    run: (given) =>
      new Promise<string | void>((resolve) => {
        io = given;
        end = resolve;
      }),
    end: (text) => end(text),
    print: (text) => io?.print(text),
    stopped: () => io?.signal.aborted ?? false,
  };
}

async function parentAndChild() {
  const world = await withRoot();
  await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
  await world.ports.settle();
  return { ...world, a: world.hands.of("/root/a") };
}

describe("a settlement", () => {
  it("S1 gives one RESULT to the spawn parent, whoever started the turn", async () => {
    const { a, ...world } = await parentAndChild();
    a.done("first");
    await world.ports.settle();
    await world.session.start("/root/a", "an assignment");
    await world.ports.settle();
    world.hands.of("/root/a", 2).done("second");
    await world.ports.settle();
    await world.session.send("/root/a", "wake up");
    await world.ports.settle();
    world.hands.of("/root/a", 3).fail(new Error("third broke"));
    await world.ports.settle();
    expect(await world.root.sample(({ mail }) => mail)).toEqual([
      { type: "RESULT", from: "/root/a", text: "first", outcome: "completed" },
      { type: "RESULT", from: "/root/a", text: "second", outcome: "completed" },
      { type: "RESULT", from: "/root/a", text: "The turn failed: third broke", outcome: "errored" },
    ]);
    expect(await world.session.result("/root/a")).toMatchObject({
      kind: "errored",
      turn: 3,
      reason: "third broke",
    });
  });

  it("B21 S1 of an interrupted turn carries the reason and the text so far", async () => {
    const { a, ...world } = await parentAndChild();
    const open = a.turn.sample(async () => {
      await a.turn.partial("I have found ");
      await a.turn.partial("two bugs");
      await new Promise(() => undefined);
    });
    await world.ports.settle();
    await world.session.interrupt("/root/a", "enough");
    await expect(open).rejects.toMatchObject({ code: "turn-over" });
    const mail = await world.root.sample((input) => input.mail);
    expect(mail).toHaveLength(1);
    expect(mail[0]).toMatchObject({ type: "RESULT", outcome: "interrupted" });
    expect(mail[0]?.text).toContain("enough");
    expect(mail[0]?.text).toContain("I have found two bugs");
    expect(mail[0]?.text).toContain("effects may be partial");
  });

  it("S1 of a turn that is interrupted between samples carries the newest result", async () => {
    const { a, ...world } = await parentAndChild();
    await a.turn.sample(() => "half an answer");
    await world.session.interrupt("/root/a");
    expect(await world.session.result("/root/a")).toMatchObject({
      kind: "interrupted",
      text: expect.stringContaining("half an answer") as string,
    });
  });

  it("S4 B18 gives the final text exactly once, however often the parent reads", async () => {
    const { a, ...world } = await parentAndChild();
    const waiting = world.root.wait();
    a.done("the text");
    await waiting;
    expect(await world.root.sample(({ mail }) => mail)).toHaveLength(1);
    expect(await world.root.sample(({ mail }) => mail)).toEqual([]);
    const items = await world.session.history("/root").read();
    expect(items.filter((item) => item.kind === "mail")).toHaveLength(1);
  });
});

describe("an execution", () => {
  it("S5 that ends while its turn lives is EXECUTION mail to the agent itself, and ends a wait", async () => {
    const { a, ...world } = await parentAndChild();
    const make = command();
    await expect(a.turn.yieldExecution({ command: "make", run: make.run })).resolves.toBe(1);
    await world.ports.settle();
    const waiting = a.turn.wait();
    make.print("compiling\n");
    make.end("ok");
    await expect(waiting).resolves.toMatchObject({
      unread: [{ mail: "EXECUTION", from: "/root/a", count: 1 }],
    });
    expect(await a.turn.sample(({ mail }) => mail)).toEqual([
      { type: "EXECUTION", from: "/root/a", text: "ok" },
    ]);
    expect(world.session.list()[1]?.marked).toBe(false);
    a.done("built");
    await world.ports.settle();
    expect(await world.root.sample(({ mail }) => mail.map(({ type }) => type))).toEqual(["RESULT"]);
  });

  it("S5 unread goes to the spawn parent after the RESULT, in order of completion; a running one is stopped first", async () => {
    const { a, ...world } = await parentAndChild();
    const commands = [command(), command(), command()] as const;
    for (const { run } of commands) await a.turn.yieldExecution({ command: "x", run });
    await world.ports.settle();
    const [first, second, third] = commands;
    second.end("second");
    await world.ports.settle();
    first.end("first");
    await world.ports.settle();
    third.print("half of the third");
    a.done("built");
    await world.ports.settle();
    expect(third.stopped()).toBe(true);
    expect(world.session.list()[1]?.phase).toBe("settling");
    third.end("its end, which counts no more than what it had printed");
    await world.ports.settle();
    expect(await world.root.sample(({ mail }) => mail)).toEqual([
      { type: "RESULT", from: "/root/a", text: "built", outcome: "completed" },
      { type: "EXECUTION", from: "/root/a", text: "second" },
      { type: "EXECUTION", from: "/root/a", text: "first" },
      { type: "EXECUTION", from: "/root/a", text: "half of the third" },
    ]);
    expect(await world.eventsOf("execution.completed")).toMatchObject([
      { execution: 2 },
      { execution: 1 },
      { execution: 3, stopped: true },
    ]);
    expect(world.ports.pending).toBe(0);
  });

  it("S3 S5 that does not stop is left behind after its time; what it does later changes nothing", async () => {
    const { a, ...world } = await parentAndChild();
    const stubborn = command();
    await a.turn.yieldExecution({ command: "stubborn", run: stubborn.run });
    await world.ports.settle();
    stubborn.print("so far");
    a.done("built");
    await world.ports.advance(29_999);
    expect(world.session.list()[1]?.phase).toBe("settling");
    expect(await world.session.unread("/root")).toEqual([]);
    await world.ports.advance(1);
    // That try has failed; the next one, after a pause, finds nothing left to end.
    expect(world.session.list()[1]?.phase).toBe("settling");
    expect(await world.session.unread("/root")).toEqual([]);
    await world.ports.advance(1_000);
    expect(world.session.list()[1]?.phase).toBe("idle");
    stubborn.print("late");
    stubborn.end("late");
    await world.ports.settle();
    expect((await world.session.unread("/root")).map(({ text }) => text)).toEqual([
      "built",
      "so far",
    ]);
    expect(world.ports.pending).toBe(0);
  });

  it("S5 that throws, at once or later, or whatever it throws, reports it as its text", async () => {
    const { a, ...world } = await parentAndChild();
    const runs: ExecutionOptions["run"][] = [
      () => {
        throw new Error("at once");
      },
      () => Promise.reject(new Error("later")),
      ({ print }) => {
        print("printed");
        return Promise.reject(Object.create(null) as Error);
      },
      "not a function" as unknown as ExecutionOptions["run"],
    ];
    for (const run of runs) await a.turn.yieldExecution({ command: "x", run });
    await world.ports.settle();
    const mail = await a.turn.sample((input) => input.mail);
    expect(mail.map(({ text }) => text)).toEqual([
      expect.stringContaining("The command failed"),
      expect.stringContaining("The command failed"),
      expect.stringContaining("The command failed"),
      expect.stringContaining("The command failed"),
    ]);
    expect(mail.map(({ text }) => text).join()).toContain("at once");
    expect(mail.map(({ text }) => text).join()).toContain("printed");
  });

  it("S5 of the root stays queued for its next turn", async () => {
    const world = await withRoot();
    const slow = command();
    await world.root.yieldExecution({ command: "slow", run: slow.run });
    await world.ports.settle();
    slow.print("some");
    world.hands.of("/root").done("bye");
    await world.ports.settle();
    slow.end();
    await expect(world.outcome).resolves.toMatchObject({ kind: "completed" });
    expect(await world.session.unread("/root")).toEqual([
      { type: "EXECUTION", from: "/root", text: "some" },
    ]);
    void world.session.prompt("again");
    await world.ports.settle();
    expect(await world.hands.of("/root", 2).turn.sample(({ mail }) => mail)).toHaveLength(1);
  });

  it("T7 W3 a prompt during a slow settlement starts when it ends, and nothing starts before", async () => {
    const { a, ...world } = await parentAndChild();
    world.hands.of("/root").done("bye");
    await world.ports.settle();
    const slow = command();
    await a.turn.yieldExecution({ command: "slow", run: slow.run });
    await world.ports.settle();
    a.done("built");
    await world.ports.settle();
    const prompted = world.session.prompt("and now?");
    const assigned = world.session.spawn({ name: "b", behavior: "worker", task: "t" });
    let started = false;
    void assigned.then(() => (started = true));
    await world.ports.settle();
    expect(started).toBe(false);
    expect(world.hands.called).toEqual(["/root#1", "/root/a#1"]);
    expect(world.session.list().map(({ path }) => path)).toEqual(["/root", "/root/a"]);
    slow.end();
    await world.ports.settle();
    await expect(assigned).resolves.toBe("/root/b");
    expect([...world.hands.called].sort()).toEqual([
      "/root#1",
      "/root#2",
      "/root/a#1",
      "/root/b#1",
    ]);
    expect(world.hands.of("/root", 2).turn.task).toEqual({ text: "and now?", from: "person" });
    world.hands.of("/root", 2).done("this");
    await expect(prompted).resolves.toMatchObject({ text: "this", turn: 2 });
  });
});

describe("a long payload", () => {
  it("B32 S6 is a preview in the parent's sample, whole in result and transcript, and later turns work", async () => {
    const { a, ...world } = await parentAndChild();
    const line = `${"😀 line of text ".repeat(6)}\n`;
    const payload = line.repeat(Math.ceil((20 * 1024 * 1024) / line.length));
    a.done(payload);
    await world.ports.settle();
    const mail = await world.root.sample((input) => input.mail);
    const text = mail[0]?.text ?? "";
    expect(countChars(text)).toBeLessThanOrEqual(PREVIEW_CHARS);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain("/root/a at ");
    const result = await world.session.result("/root/a");
    expect(result?.text === payload).toBe(true);
    const last = await world.session.history("/root/a").read(-1);
    expect(last[0]?.text === payload).toBe(true);
    await world.root.send("/root/a", "again");
    await world.ports.settle();
    world.hands.of("/root/a", 2).done("short");
    await world.ports.settle();
    await expect(world.root.sample((input) => input.mail)).resolves.toMatchObject([
      { text: "short" },
    ]);
    const again = await world.crash();
    expect((await again.session.history("/root/a").read(-1))[0]?.text).toBe("short");
  });

  it("S6 of up to 32,768 characters is unchanged; MAIL always is", async () => {
    const { a, ...world } = await parentAndChild();
    const most = "😀".repeat(PREVIEW_CHARS);
    await a.turn.send("/root", `${most}!`);
    a.done(most);
    await world.ports.settle();
    const mail = await world.root.sample((input) => input.mail);
    expect(mail[0]?.text === `${most}!`).toBe(true);
    expect(mail[1]?.text === most).toBe(true);
  });

  it("S6 of an EXECUTION is a preview too, and its whole text stays readable", async () => {
    const { a, ...world } = await parentAndChild();
    const long = "output\n".repeat(100_000);
    await a.turn.yieldExecution({ command: "cat", run: async () => long });
    await world.ports.settle();
    const mail = await a.turn.sample((input) => input.mail);
    expect(countChars(mail[0]?.text ?? "")).toBeLessThanOrEqual(PREVIEW_CHARS);
    const items = await world.session.history("/root/a").read();
    expect(items.find(({ kind }) => kind === "mail")?.text === long).toBe(true);
  });

  it("L2 over 64 MiB as a final response settles the turn as errored", async () => {
    const world = await openWorld({ behaviors: { root: () => "\u0000".repeat(12 * 1024 * 1024) } });
    await expect(world.session.prompt("go")).resolves.toMatchObject({ kind: "errored" });
    expect(world.session.isDegraded).toBe(false);
  });
});
