/** Settlement and results: once, to the spawn parent, with what was left unread (section 6 of the contract). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, finishWithSample, fail, sample, sampleEnd, interrupt, complete } =
  commands;
const yields = commands.yield;
const p = turnOf("/root/p");
const c = turnOf("/root/p/c");

/** `/root/p` is mid-sample, and its child `/root/p/c` runs. */
const family = given({}, spawn("p"), sample(p), spawn("c", { by: p }));

describe("a settlement", () => {
  it("S1 S2 makes the agent idle, frees the slot and queues one RESULT, in one commit", () => {
    family
      .when(finish(c, "the answer"))
      .emits(
        {
          type: "settlement.began",
          ...c,
          outcome: { kind: "completed", response: { text: "the answer" } },
        },
        { type: "turn.settled", ...c, outcome: "completed" },
        {
          type: "mail.queued",
          path: "/root/p",
          mail: "RESULT",
          from: "/root/p/c",
          source: [5, 0],
          by: c,
        },
        { type: "wake.marked", path: "/root/p" },
      )
      .agent("/root/p/c", { phase: "idle", last: "completed", turn: null });
  });

  it("S1 of the root has no RESULT", () => {
    given({}, commands.prompt("go"))
      .when(finish(turnOf("/root")))
      .excludes("mail.queued");
  });

  it("S1 goes to the spawn parent, whoever started that turn", () => {
    const woken = family.and(finish(c), send("/root/p/c", "from the host"));
    woken
      .when(finish(turnOf("/root/p/c", 2)))
      .includes({ type: "mail.queued", mail: "RESULT", path: "/root/p", by: { turn: 2 } });
    const assigned = family.and(finish(c), commands.assign("/root/p/c", "more"));
    const settled = assigned.when(finish(turnOf("/root/p/c", 2)));
    settled.includes({ type: "mail.queued", mail: "RESULT", path: "/root/p" });
    settled.agent("/root", { unread: [] });
  });

  it("S1 says what the outcome is: a response, a short reason, or a reason and partial text", () => {
    family
      .when(fail(c, "no key"))
      .includes({ outcome: { kind: "errored", reason: "no key" }, type: "settlement.began" });
    family.and(fail(c, "no key")).agent("/root/p", { unread: [{ text: "no key" }] });
    family.when(interrupt("/root/p/c", null, "too slow")).includes({
      type: "settlement.began",
      outcome: { kind: "interrupted", reason: "too slow", partial: [] },
    });
  });

  it("S1 B21 of an interrupted child carries its partial text by reference, once", () => {
    const talking = family.and(sample(c), commands.partial(c, "so "), commands.partial(c, "far"));
    const stopped = talking.when(interrupt("/root/p/c", p));
    stopped.includes({
      type: "settlement.began",
      outcome: {
        kind: "interrupted",
        reason: "interrupted by /root/p",
        partial: [
          [6, 0],
          [7, 0],
        ],
      },
    });
    stopped.agent("/root/p", { unread: [{ mail: "RESULT", text: "interrupted by /root/p" }] });
    stopped.when(interrupt("/root/p/c", p)).answers({ found: "idle" }).excludes("mail.queued");
  });

  it("S1 takes the open sample's partial text, else the newest result", () => {
    const said = family.and(
      sample(c),
      commands.partial(c, "part"),
      sampleEnd(attemptOf(c), { result: "one" }),
    );
    said
      .when(interrupt("/root/p/c"))
      .includes({ type: "settlement.began", outcome: { partial: [[7, 0]] } });
    const failed = said.and(
      sample(c),
      commands.partial(c, "two"),
      sampleEnd(attemptOf(c, 2), { failed: "x" }),
    );
    failed
      .when(interrupt("/root/p/c"))
      .includes({ type: "settlement.began", outcome: { partial: [[9, 0]] } });
    const third = failed.and(sample(c));
    third
      .when(interrupt("/root/p/c"))
      .includes({ type: "settlement.began", outcome: { partial: [[7, 0]] } });
  });

  it("M6 S6 of a response that equals the last sample's result refers to it", () => {
    const said = family.and(sample(c), sampleEnd(attemptOf(c), { result: "long" }));
    said
      .when(finishWithSample(c))
      .includes({
        type: "settlement.began",
        outcome: { kind: "completed", response: { at: [6, 0] } },
      })
      .agent("/root/p", { unread: [{ text: "long" }] });
    family
      .when(finishWithSample(c))
      .includes({ type: "settlement.began", outcome: { response: { text: "" } } });
  });

  it("S6 makes an ill-formed final response well-formed, and says so", () => {
    family.when(finish(c, "a\ud800b")).includes({
      type: "settlement.began",
      outcome: { response: { text: "a\ufffdb" }, repaired: true },
    });
    family
      .when(finish(c, "ab"))
      .includes({ type: "settlement.began", outcome: { repaired: undefined } });
  });

  it("L2 of a response over 64 MiB is errored", () => {
    family
      .when(finish(c, "x".repeat(64 * 1024 * 1024 + 1)))
      .includes({ type: "settlement.began", outcome: { kind: "errored" } });
  });

  it("S1 T1 fixes the outcome when it begins: later ends, interrupts and calls change nothing", () => {
    const began = family.and(yields(c), finish(c, "kept"));
    began.agent("/root/p/c", { phase: "settling" });
    began.when(fail(c)).emits();
    began.when(finish(c, "other")).emits();
    began.when(interrupt("/root/p/c")).answers({ found: "settling" }).excludes("settlement.began");
    for (const call of [
      send("/root", "x", c),
      spawn("x", { by: c }),
      sample(c),
      commands.wait(c),
      yields(c),
    ]) {
      began.when(call).rejected("T1", "turn-over");
    }
    began
      .when(commands.settled(attemptOf(c)))
      .includes({ type: "turn.settled", outcome: "completed" })
      .agent("/root/p", { unread: [{ text: "kept" }, { mail: "EXECUTION" }] });
  });

  it("S2 holds its slot until it ends", () => {
    const began = given({ capacity: 1 }, spawn("p"), yields(p), finish(p));
    began.when(spawn("q")).rejected("T3", "at-capacity");
    expect(
      began.and(commands.settled(attemptOf(p))).when(commands.assign("/root/p", "x")).refusal,
    ).toBeNull();
  });

  it("S8 W1 marks its recipient, also after an interrupt of that recipient", () => {
    const stopped = given({}, spawn("p"), spawn("c", { by: p }), interrupt("/root/p"));
    stopped.agent("/root/p", { phase: "idle" });
    stopped
      .when(finish(c))
      .includes({ type: "mail.queued", mail: "RESULT" }, { type: "turn.started", path: "/root/p" });
  });
});

describe("an execution", () => {
  const running = family.and(yields(c), yields(c));

  it("S5 that completes while its turn lives is mail to its own agent, read at the next boundary", () => {
    running
      .when(complete(c, 1, "printed"))
      .emits(
        { type: "execution.completed", execution: 1 },
        {
          type: "mail.queued",
          path: "/root/p/c",
          mail: "EXECUTION",
          from: "/root/p/c",
          execution: 1,
        },
      )
      .and(sample(c))
      .agent("/root/p/c", { unread: [] });
  });

  it("S5 unread at the settlement goes to the spawn parent after the RESULT, in order of completion", () => {
    running
      .and(complete(c, 2, "second"), complete(c, 1, "first"))
      .when(finish(c))
      .includes(
        { type: "mail.queued", mail: "RESULT" },
        { type: "mail.moved", path: "/root/p", from: { path: "/root/p/c" }, record: [7, 1] },
        { type: "mail.moved", path: "/root/p", record: [8, 1] },
      )
      .agent("/root/p/c", { unread: [] })
      .agent("/root/p", {
        unread: [
          { mail: "RESULT" },
          { mail: "EXECUTION", from: "/root/p/c", text: "second" },
          { mail: "EXECUTION", from: "/root/p/c", text: "first" },
        ],
      });
  });

  it("S5 that was read already is not sent on, nor is one of a child's", () => {
    const read = running.and(complete(c, 1), complete(c, 2), sample(c));
    read.and(finish(c)).agent("/root/p", { unread: [{ mail: "RESULT" }] });
    const withChilds = running.and(
      complete(c, 1),
      complete(c, 2),
      finish(c),
      sampleEnd(attemptOf(p)),
    );
    withChilds.and(finish(p)).agent("/root", { unread: [{ mail: "RESULT", from: "/root/p" }] });
  });

  it("S5 that still runs is stopped first, and what it printed comes marked", () => {
    const trying = running.when(finish(c));
    trying
      .includes({ type: "settlement.began" }, { type: "settlement.attempted", ...attemptOf(c) })
      .excludes("turn.settled");
    trying
      .and(complete(c, 2, "so far", true))
      .when(commands.settled(attemptOf(c)))
      .includes(
        { type: "execution.completed", execution: 1, stopped: true },
        { type: "turn.settled" },
        { type: "mail.queued", mail: "RESULT" },
        { type: "mail.moved" },
        { type: "mail.moved" },
      )
      .agent("/root/p", { unread: [{ mail: "RESULT" }, { text: "so far" }, { text: "" }] });
  });

  it("S4 S5 T1 that names a settled turn, another owner or an unknown number changes nothing", () => {
    const done = running.and(complete(c, 1));
    for (const late of [
      complete(c, 1),
      complete(p, 2),
      complete(c, 3),
      complete(turnOf("/root/p/c", 2), 2),
    ]) {
      done.when(late).emits();
    }
    const settled = done.and(finish(c), commands.settled(attemptOf(c)));
    settled.when(complete(c, 2)).emits();
    settled.when(commands.settled(attemptOf(c))).emits();
  });

  it("S4 of a late try ends no other settlement", () => {
    const trying = running.and(finish(c));
    trying.when(commands.settled(attemptOf(c, 2))).emits();
    trying.when(commands.settled(attemptOf(c, 0))).emits();
    trying.when(commands.settled(attemptOf(p, 1))).emits();
  });

  it("S5 of the root stays queued for its next turn", () => {
    const root = turnOf("/root");
    given({}, commands.prompt("go"), yields(root), complete(root, 1, "mine"), finish(root))
      .agent("/root", { phase: "idle", unread: [{ mail: "EXECUTION", text: "mine" }] })
      .and(commands.prompt("again"), sample(turnOf("/root", 2)))
      .agent("/root", { unread: [] });
  });

  it("S5 has a number of its own over all turns of its agent", () => {
    const second = running.and(
      finish(c),
      commands.settled(attemptOf(c)),
      send("/root/p/c", "again"),
    );
    second.when(yields(turnOf("/root/p/c", 2))).answers({ execution: 3 });
  });
});
