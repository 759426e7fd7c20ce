/** What is written beside the facts: each event's cause, and what the shell is asked to arm (L1, W2). */
import { describe, expect, it } from "vitest";
import type { Command } from "../../src/kernel/command.js";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { type EventPart, type Scenario, given } from "../../src/testing/scenario.js";

const { spawn, send, prompt, assign, sample, sampleEnd, wait, finish } = commands;
const a = turnOf("/root/a");
const one = given({}, spawn("a"));
const preparing = given({ prepares: true }, spawn("a"));

const roots: readonly (readonly [string, Scenario, Command, EventPart])[] = [
  ["mail of the person", one, send("/root/a", "hi"), { type: "mail.queued", cause: "person:send" }],
  ["a prompt", one, prompt("go"), { type: "mail.queued", cause: "person:prompt" }],
  ["a spawn of the host", one, spawn("b"), { type: "agent.spawned", cause: "host:spawn" }],
  [
    "an assignment",
    one.and(finish(a)),
    assign("/root/a", "more"),
    { type: "turn.started", cause: "host:assign" },
  ],
  ["a notice", one, commands.notify("look"), { type: "notice.queued", cause: "host:notify" }],
  ["a hold", one, commands.hold(), { type: "hold.taken", cause: "host:hold" }],
  [
    "a released hold",
    one.and(commands.hold()),
    commands.unhold(),
    { type: "hold.released", cause: "host:release" },
  ],
  ["Plan", one, commands.setPlan(true), { type: "plan.switched", cause: "person:plan" }],
  [
    "another capacity",
    one,
    commands.setCapacity(3),
    { type: "capacity.changed", cause: "host:capacity" },
  ],
  [
    "an interrupt of the host",
    one,
    commands.interrupt("/root/a"),
    { type: "agent.interrupted", cause: "host:interrupt" },
  ],
  ["an end", one, commands.end("/root/a"), { type: "agent.ending", cause: "host:end" }],
  [
    "an answer",
    one.and(commands.block(a)),
    commands.unblock(a),
    { type: "blocker.released", cause: "person:answer" },
  ],
  ["a closing", one, commands.close(), { type: "session.closing", cause: "host:close" }],
  [
    "a wait's time",
    one.and(wait(a)),
    commands.timeout(attemptOf(a)),
    { type: "wait.ended", cause: "clock:timeout" },
  ],
  [
    "a preparation's time",
    preparing,
    commands.tooLate(1),
    { type: "start.released", cause: "clock:prepare" },
  ],
  [
    "a preparation that failed",
    preparing,
    commands.notPrepared(1, "no"),
    { type: "start.released", cause: "work:prepare" },
  ],
  [
    "a pause between tries",
    given({ host: { finalises: true } }, spawn("a"), finish(a), commands.notSettled(attemptOf(a))),
    commands.retry(a),
    { type: "settlement.resumed", cause: "clock:pause" },
  ],
];

describe("what happens", () => {
  it.each(roots)("L1 names %s as its cause", (_what, before, command, part) => {
    before.when(command).includes(part);
  });

  it("L1 A6 names the turn that did it by what it was told last", () => {
    const asked = given({}, prompt("go")).and(sample(turnOf("/root")));
    const told = asked.when(sampleEnd(attemptOf(turnOf("/root")), { result: "so" }));
    const [ended] = told.commits.at(-1) ?? [];
    expect(typeof ended?.cause).not.toBe("string");
  });

  it("V3 T1 asks for a timer that ends that very wait, and answers with the wait", () => {
    one
      .when(wait(a, 20_000))
      .answers({ attempt: attemptOf(a) })
      .asks({
        kind: "timer.arm",
        timer: "wait:/root/a#1.1.1",
        afterMs: 20_000,
        submit: { kind: "wait.timeout", attempt: attemptOf(a) },
      });
  });

  it("S3 asks for a timer that fails that very try, and says why", () => {
    given({ host: { finalises: true, settleTimeoutMs: 700 } }, spawn("a"))
      .when(finish(a))
      .asks({
        kind: "timer.arm",
        timer: "settle:/root/a#1.1",
        afterMs: 700,
        submit: {
          kind: "settlement.fail",
          attempt: attemptOf(a),
          reason: "it did not end within 700 ms",
        },
      });
  });

  it("R2 S5 stops what still ran at a crash in the order in which it was yielded", () => {
    const many = Array.from({ length: 12 }, () => commands.yield(a));
    const stopped = one.and(...many, commands.complete(a, 3)).reopened();
    const done = (stopped.commits.at(-1) ?? []).filter(
      (event) => event.type === "execution.completed",
    );
    expect(done.map(({ execution, stopped: cut }) => [execution, cut])).toEqual(
      [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((execution) => [execution, true]),
    );
  });
});

describe("what a sample gave", () => {
  const open = one.and(sample(a));

  it("M6 is kept as it was: a result, an opaque one, or why there is none", () => {
    open.when(sampleEnd(attemptOf(a), { result: null })).emits({
      type: "sample.ended",
      result: null,
      opaque: undefined,
      failed: undefined,
      usage: undefined,
    });
    open.when(sampleEnd(attemptOf(a), { opaque: true })).emits({
      type: "sample.ended",
      result: undefined,
      opaque: true,
    });
    open.when(sampleEnd(attemptOf(a), { failed: "offline" })).emits({
      type: "sample.ended",
      result: undefined,
      failed: "offline",
    });
  });

  it("M6 L9 keeps no empty piece of partial text", () => {
    open.when(commands.partial(a, "")).emits();
  });

  it("X3 may report zeros, and no list, text, number or null", () => {
    open.when(sampleEnd(attemptOf(a), { usage: { tokens: 0 } })).includes({
      type: "sample.ended",
      usage: { tokens: 0 },
    });
    for (const usage of [[1], "1", 1, null, { tokens: 1, cost: -1 }, { tokens: "1" }]) {
      const odd = { ...sampleEnd(attemptOf(a)), usage } as unknown as Command;
      open.when(odd).rejected("X3", "usage-invalid");
    }
  });

  it("S1 L2 is too large for a final response, which says so", () => {
    const said = "x".repeat(64 * 1024 * 1024 + 1);
    one.when(finish(a, said)).includes({
      type: "settlement.began",
      outcome: {
        kind: "errored",
        reason: "The final response takes more than 64 MiB in the log (L2).",
      },
    });
  });
});

describe("a spawn under way", () => {
  const b = turnOf("/root/b");
  const both = given(
    { prepares: true },
    spawn("a"),
    commands.prepared(1),
    spawn("b"),
    commands.prepared(2),
  );

  it("T3 ends with its own spawner's turn, and with no other", () => {
    const underWay = both.and(spawn("x", { by: a }));
    underWay.when(finish(b)).excludes("start.released");
    underWay.when(finish(a)).includes({ type: "start.released", path: "/root/a/x" });
    const again = both.and(finish(a), assign("/root/a", "more"), commands.prepared(4));
    const second = again.and(spawn("x", { by: turnOf("/root/a", 2) }));
    second
      .when(finish(turnOf("/root/a", 2)))
      .includes({ type: "start.released", path: "/root/a/x" });
  });

  it("X2 counts as an agent, and a start of one that is there does not", () => {
    const host = { limits: { turns: null, agents: 2, wakes: null, unread: 10_000 } };
    const first = given({ prepares: true, host }, spawn("a"), commands.prepared(1), finish(a));
    first.and(assign("/root/a", "more")).when(spawn("b")).includes({ type: "start.reserved" });
    first.and(spawn("b")).when(spawn("c")).rejected("X2", "limit-agents");
  });
});
