/** Waiting: what ends it, what it answers, and for how long (section 5 of the contract). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, sample, sampleEnd, prompt, wait, timeout, interrupt } = commands;
const a = turnOf("/root/a");
const root = turnOf("/root");

describe("a wait", () => {
  const waiting = given({}, spawn("a"), spawn("b"), wait(a));

  it("V1 B15 suspends when everything has been delivered", () => {
    given({}, spawn("a"), send("/root/a", "hi"), sample(a), sampleEnd(attemptOf(a)))
      .when(wait(a))
      .emits({ type: "wait.began", ...attemptOf(a, 2), timeoutMs: 30_000 })
      .asks({ kind: "timer.arm", afterMs: 30_000 })
      .agent("/root/a", { phase: "waiting" });
  });

  it("V1 V2 B12 returns at once for unread mail, with counts by type and sender and no text", () => {
    const mailed = given({}, spawn("a"), spawn("b", { by: a })).and(
      send("/root/a", "secret"),
      send("/root/a", "secret"),
      finish(turnOf("/root/a/b"), "secret"),
    );
    const back = mailed.when(wait(a)).emits(
      { type: "wait.began" },
      {
        type: "wait.ended",
        why: "mail",
        unread: [
          { mail: "MAIL", from: "person", count: 2 },
          { mail: "RESULT", from: "/root/a/b", count: 1 },
        ],
      },
    );
    expect(JSON.stringify(back.commits.at(-1))).not.toContain("secret");
    back.agent("/root/a", { phase: "running", unread: [{}, {}, {}] });
    expect(back.kernel.volatile.marks.has("/root/a")).toBe(true);
  });

  it("V1 is ended by mail of any type from anyone, in the commit of that mail", () => {
    waiting
      .when(send("/root/a", "hi", turnOf("/root/b")))
      .emits(
        { type: "mail.queued" },
        { type: "wake.marked" },
        { type: "wait.ended", ...attemptOf(a), why: "mail" },
      )
      .asks({ kind: "timer.disarm" });
    given({}, spawn("a"), commands.yield(a), wait(a))
      .when(commands.complete(a, 1))
      .includes({ type: "mail.queued", mail: "EXECUTION" }, { type: "wait.ended", why: "mail" })
      .excludes("wake.marked");
  });

  it("V1 W8 is ended by the person's INPUT, which is told apart from mail", () => {
    given({}, prompt("go"), wait(root))
      .when(prompt("more"))
      .emits({ type: "mail.queued", mail: "INPUT" }, { type: "wait.ended", why: "input" });
    given({}, prompt("go"), prompt("more"))
      .when(wait(root))
      .emits({ type: "wait.began" }, { type: "wait.ended", why: "input" });
  });

  it("V2 S5 counts the EXECUTIONs that come with a RESULT", () => {
    const c = turnOf("/root/a/c");
    given(
      {},
      spawn("a"),
      spawn("c", { by: a }),
      commands.yield(c),
      commands.complete(c, 1),
      wait(a),
    )
      .when(finish(c))
      .includes({
        type: "wait.ended",
        unread: [
          { mail: "RESULT", from: "/root/a/c", count: 1 },
          { mail: "EXECUTION", from: "/root/a/c", count: 1 },
        ],
      });
  });

  it("V1 is not ended by mail to another, by a sample of another, or by a settlement elsewhere", () => {
    const b = turnOf("/root/b");
    waiting
      .and(send("/root", "hi", b), sample(b), sampleEnd(attemptOf(b)), finish(b))
      .agent("/root/a", { phase: "waiting" });
  });

  it("V3 ends when its time is up, which is a success", () => {
    waiting
      .when(timeout(attemptOf(a)))
      .emits({ type: "wait.ended", why: "timeout", unread: [] })
      .agent("/root/a", { phase: "running" });
  });

  it("V3 V4 T1 is not touched by a late timer, of this wait or an older one", () => {
    const ended = waiting.and(send("/root/a", "hi"));
    ended.when(timeout(attemptOf(a))).emits();
    const again = ended.and(sample(a), sampleEnd(attemptOf(a, 2)), wait(a));
    again
      .when(timeout(attemptOf(a)))
      .emits()
      .agent("/root/a", { phase: "waiting" });
    again.when(timeout(attemptOf(turnOf("/root/a", 2), 3))).emits();
    again.when(timeout(attemptOf(turnOf("/root/a", 1, 2), 3))).emits();
    again.when(timeout(attemptOf(a, 3))).emits({ type: "wait.ended", why: "timeout" });
  });

  it("V4 may follow another at once", () => {
    waiting
      .and(timeout(attemptOf(a)))
      .when(wait(a))
      .emits({ type: "wait.began", ...attemptOf(a, 2) })
      .asks({ kind: "timer.arm", submit: { attempt: attemptOf(a, 2) } });
  });

  it("T1 is refused beside an open sample or another wait, and a sample beside a wait", () => {
    given({}, spawn("a"), sample(a)).when(wait(a)).rejected("T1", "turn-busy");
    given({}, spawn("a"), sample(a)).when(sample(a)).rejected("T1", "turn-busy");
    waiting.when(wait(a)).rejected("T1", "turn-busy");
    waiting.when(sample(a)).rejected("T1", "turn-busy");
    waiting.when(commands.partial(a, "x")).rejected("T1", "turn-busy");
  });

  it("V5 ends with its turn, and with its interrupt", () => {
    waiting
      .when(finish(a))
      .includes({ type: "wait.ended", why: "settled" }, { type: "settlement.began" })
      .asks({ kind: "timer.disarm" });
    waiting
      .when(interrupt("/root/a"))
      .includes({ type: "wait.ended", why: "interrupted" }, { type: "settlement.began" })
      .asks({ kind: "timer.disarm" });
  });

  it("V5 that mail ended starts no turn at that moment; W4 what was not read does so later", () => {
    const woken = waiting.when(send("/root/a", "hi"));
    woken.excludes("turn.started");
    woken.when(finish(a)).includes({ type: "turn.settled" }, { type: "turn.started", turn: 2 });
  });

  it("V6 holds nobody: a parent may settle while its child goes on", () => {
    given({}, spawn("a"), spawn("c", { by: a }), finish(a))
      .agent("/root/a", { phase: "idle" })
      .agent("/root/a/c", { phase: "running" });
  });

  it("B16 does not get the RESULT of an agent that another spawned", () => {
    const c = turnOf("/root/p/c");
    const x = turnOf("/root/x");
    const asked = given({}, spawn("p"), spawn("c", { by: turnOf("/root/p") }), spawn("x")).and(
      send("/root/p/c", "please", x),
      wait(x),
    );
    const settled = asked.when(finish(c));
    settled.includes({ type: "mail.queued", path: "/root/p", mail: "RESULT" });
    settled.agent("/root/x", { phase: "waiting", unread: [] });
    settled.when(timeout(attemptOf(x))).emits({ type: "wait.ended", why: "timeout" });
  });

  it("B18 of a parent gets its child's final text exactly once", () => {
    const c = turnOf("/root/a/c");
    const done = given({}, spawn("a"), spawn("c", { by: a }), wait(a), finish(c, "the answer"));
    expect(done.state("/root/a").unread).toEqual([
      { mail: "RESULT", from: "/root/a/c", text: "the answer" },
    ]);
    const read = done.and(sample(a)).agent("/root/a", { unread: [] });
    expect(JSON.stringify(read.commits).split("the answer")).toHaveLength(2);
  });
});

describe("a wait's time", () => {
  const idle = given({}, spawn("a"));

  it.each([
    [undefined, 30_000],
    [2 ** 31, 3_600_000],
    [1e12, 3_600_000],
    [Number.POSITIVE_INFINITY, 3_600_000],
    [Number.NEGATIVE_INFINITY, 10_000],
    [1, 10_000],
    [-5, 10_000],
    [0, 10_000],
    [10_000.4, 10_000],
    [12_345.5, 12_346],
    ["45000", 45_000],
    [" 45000.4\n", 45_000],
    ["9".repeat(400), 3_600_000],
    ["-1", 10_000],
  ])("V3 B47 of %s is %d", (given_, timeoutMs) => {
    idle
      .when(wait(a, given_))
      .emits({ type: "wait.began", timeoutMs })
      .asks({ kind: "timer.arm", afterMs: timeoutMs });
  });

  it.each([
    Number.NaN,
    "soon",
    null,
    "",
    " ",
    true,
    {},
    [20_000],
    20_000n,
    "12 000",
    "Infinity",
    "0x10",
  ])("V3 B47 can't be %s", (given_) => {
    idle.when(wait(a, given_)).rejected("V3", "timeout-invalid");
  });
});
