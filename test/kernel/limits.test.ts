/** Deadlines, limits and usage (X1-X3). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { DEFAULT_LIMITS, type Limits } from "../../src/kernel/state.js";
import { type Scenario, given } from "../../src/testing/scenario.js";

const { spawn, send, finish, sample, sampleEnd, wait, prompt, deadline } = commands;
const a = turnOf("/root/a");
const b = turnOf("/root/b");

const within = (limits: Partial<Limits>, more: { prepares?: boolean } = {}): Scenario =>
  given({ ...more, host: { limits: { ...DEFAULT_LIMITS, ...limits } } });

describe("a deadline", () => {
  const timed = given({ host: { turnTimeoutMs: 60_000 } });

  it("X1 bounds every turn from its start to its end", () => {
    timed.when(spawn("a")).asks({
      kind: "timer.arm",
      afterMs: 60_000,
      submit: { kind: "turn.timeout", turn: a },
    });
    timed.and(spawn("a")).when(finish(a)).asks({ kind: "timer.disarm" }, { kind: "timer.arm" });
    given({}).when(spawn("a")).asks();
  });

  it("X1 that passes interrupts the turn, naming it, with its partial text", () => {
    const talking = timed.and(spawn("a"), sample(a), commands.partial(a, "so far"));
    const passed = talking.when(deadline(a));
    passed.includes({
      type: "settlement.began",
      cause: "clock:deadline",
      outcome: { kind: "interrupted", partial: [[4, 0]] },
    });
    expect(passed.state("/root").unread[0]?.text).toContain("60000 ms");
    timed
      .and(spawn("a"), wait(a))
      .when(deadline(a))
      .includes({ type: "wait.ended", why: "interrupted" });
  });

  it("X1 T1 of a turn that is over is dropped", () => {
    const over = timed.and(spawn("a"), finish(a));
    over.when(deadline(a)).emits();
    over.and(send("/root/a", "again")).when(deadline(a)).emits();
    timed.and(spawn("a"), commands.yield(a), finish(a)).when(deadline(a)).emits();
  });
});

describe("a limit", () => {
  it("X2 on turns refuses every explicit start, and holds woken agents back with their marks", () => {
    const spent = within({ turns: 2 }).and(spawn("a"), finish(a));
    // The second turn is the root's, woken by the RESULT.
    spent.when(spawn("b")).rejected("X2", "limit-turns");
    spent.when(commands.assign("/root/a", "more")).rejected("X2", "limit-turns");
    spent.when(send("/root/a", "hi")).excludes("turn.started").agent("/root/a", { marked: true });
    spent
      .and(finish(turnOf("/root")))
      .when(prompt("go"))
      .rejected("X2", "limit-turns");
    spent.when(prompt("for the running root")).includes({ type: "mail.queued" });
  });

  it("X2 on turns counts starts that are reserved", () => {
    within({ turns: 1 }, { prepares: true })
      .and(spawn("a"))
      .when(spawn("b"))
      .rejected("X2", "limit-turns");
  });

  it("X2 on agents refuses a spawn, counts what is reserved, and lets one in when one has ended", () => {
    const full = within({ agents: 1 }).and(spawn("a"));
    full.when(spawn("b")).rejected("X2", "limit-agents");
    full.and(commands.end("/root/a")).when(spawn("b")).includes({ type: "agent.spawned" });
    within({ agents: 1 }, { prepares: true })
      .and(spawn("a"))
      .when(spawn("b"))
      .rejected("X2", "limit-agents");
  });

  it("X2 on unread MAIL refuses more of it, and never RESULT, EXECUTION or the person's INPUT", () => {
    const full = within({ unread: 2 }).and(
      prompt("go"),
      spawn("a"),
      send("/root", "1"),
      send("/root", "2", a),
    );
    full.when(send("/root", "3", a)).rejected("X2", "mailbox-full");
    full.when(finish(a)).includes({ type: "mail.queued", mail: "RESULT" });
    full.when(prompt("more")).includes({ type: "mail.queued", mail: "INPUT" });
    full
      .and(sample(turnOf("/root")))
      .when(send("/root", "3", a))
      .includes({ type: "mail.queued" });
    expect(DEFAULT_LIMITS).toEqual({ turns: null, agents: null, wakes: null, unread: 10_000 });
  });

  it("X2 on wakes in a row is recorded once, keeps the mark, and is lifted by the person's text", () => {
    const pair = within({ wakes: 1 }).and(commands.hold(), spawn("a"), finish(a), spawn("b"));
    const turn = turnOf("/root/a", 2);
    const woken = pair.and(send("/root/a", "one", b), finish(turn));
    const limited = woken.when(send("/root/a", "two", b));
    limited.includes({ type: "wake.limited", path: "/root/a", limit: 1 }).excludes("turn.started");
    limited.agent("/root/a", { marked: true, phase: "idle" });
    limited.when(send("/root/a", "three", b)).excludes("wake.limited");
    limited
      .when(commands.assign("/root/a", "an explicit start"))
      .includes({ type: "turn.started" });
    limited
      .when(send("/root/b", "go on"))
      .includes({ type: "turn.started", path: "/root/a", start: "wake" });
    limited
      .when(prompt("go on"))
      .includes({ type: "turn.started", path: "/root/a", start: "wake" });
  });

  it("X2 on wakes is never passed by wakes that are being prepared", () => {
    const idle = within({ wakes: 1 }, { prepares: true }).and(
      commands.hold(),
      spawn("a"),
      commands.prepared(1),
      finish(a),
      spawn("b"),
      commands.prepared(2),
      finish(b),
      spawn("c"),
      commands.prepared(3),
    );
    const c = turnOf("/root/c");
    const first = idle.when(send("/root/a", "one", c));
    first.includes({ type: "start.reserved", path: "/root/a" });
    const second = first.when(send("/root/b", "two", c));
    second.includes({ type: "wake.limited", path: "/root/b" }).excludes("start.reserved");
    // One that failed was no wake, so the next may have it.
    second
      .when(commands.notPrepared(4, "no"))
      .includes({ type: "start.reserved", path: "/root/b" });
  });

  it("X2 W9 on wakes is counted anew in a new run", () => {
    const limited = within({ wakes: 1 }).and(spawn("a"), finish(a), prompt("go"), spawn("b"));
    expect(limited.reopened().kernel.volatile).toMatchObject({ wakes: 0, limited: false });
  });
});

describe("usage", () => {
  it("X3 is kept with the sample that reports it, and odd reports are refused", () => {
    const sampling = given({}, spawn("a"), sample(a));
    sampling
      .when(sampleEnd(attemptOf(a), { result: "x", usage: { tokens: 812, cost: 0.01 } }))
      .emits({ type: "sample.ended", usage: { tokens: 812, cost: 0.01 } });
    for (const tokens of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      sampling.when(sampleEnd(attemptOf(a), { usage: { tokens } })).rejected("X3", "usage-invalid");
    }
  });
});
