/** Interrupts: who may stop whom, and what is left (section 7 of the contract). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, sample, interrupt, wait, prompt } = commands;
const a = turnOf("/root/a");
const b = turnOf("/root/b");
const root = turnOf("/root");

describe("an interrupt", () => {
  const two = given({}, spawn("a"), spawn("b"));

  it("I1 by an agent of the root, itself, an unknown or malformed target is refused", () => {
    two.when(interrupt("/root", a)).rejected("I1", "interrupt-root");
    two.when(interrupt("/root/a", a)).rejected("I1", "interrupt-self");
    two.when(interrupt("/root/x", a)).rejected("A2", "target-unknown");
    two.when(interrupt("b/", a)).rejected("A2", "target-malformed");
    two.when(interrupt("", a)).rejected("A2", "target-empty");
  });

  it("I1 by the host may be of the root too", () => {
    two.and(prompt("go")).when(interrupt("/root")).answers({ path: "/root", found: "active" });
  });

  it("I1 stops one agent; its descendants go on", () => {
    two
      .and(spawn("c", { by: a }))
      .when(interrupt("/root/a", b))
      .answers({ found: "active" })
      .agent("/root/a", { phase: "idle", last: "interrupted" })
      .agent("/root/a/c", { phase: "running" });
  });

  it("I2 of an idle agent says so, has no RESULT, leaves the mail and clears the mark", () => {
    const queued = given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"), send("/root/a", "hi"));
    queued.agent("/root/a", { marked: true });
    const stopped = queued.when(interrupt("/root/a"));
    stopped
      .emits(
        { type: "agent.interrupted", found: "idle", turn: undefined },
        { type: "wake.cleared", why: "interrupted" },
      )
      .answers({ found: "idle" })
      .agent("/root/a", { marked: false, unread: [{ text: "hi" }] });
    stopped.when(finish(b)).includes({ type: "turn.settled" });
    expect(stopped.and(finish(b)).state("/root/a").phase).toBe("idle");
  });

  it("I3 of a preparing agent cancels its reservation, without RESULT, and its mail stays", () => {
    given(
      { prepares: true },
      spawn("a"),
      commands.prepared(1),
      finish(a),
      send("/root/a", "1"),
      send("/root/a", "2"),
    )
      .when(interrupt("/root/a"))
      .emits(
        { type: "agent.interrupted", found: "preparing" },
        { type: "wake.cleared", why: "interrupted" },
        { type: "start.released", why: "interrupted" },
      )
      .answers({ found: "preparing" })
      .agent("/root/a", {
        preparing: false,
        marked: false,
        unread: [{ text: "1" }, { text: "2" }],
      });
  });

  it("I3 of a spawn under way is the host's alone", () => {
    const under = given({ prepares: true }, spawn("b"), commands.prepared(1), spawn("a"));
    under.when(interrupt("/root/a", b)).rejected("A2", "target-unknown");
    under
      .when(interrupt("/root/a"))
      .answers({ found: "preparing" })
      .includes({ type: "start.released" });
    under.and(interrupt("/root/a")).when(interrupt("/root/a")).rejected("A2", "target-unknown");
  });

  it("I4 of a running or waiting agent settles it once, as interrupted", () => {
    for (const state of [two, two.and(sample(a)), two.and(wait(a))]) {
      const stopped = state.when(interrupt("/root/a"));
      stopped.answers({ found: "active" }).includes(
        { type: "agent.interrupted", found: "active", turn: 1 },
        {
          type: "settlement.began",
          outcome: { kind: "interrupted", reason: "interrupted by the host" },
        },
        { type: "turn.settled", outcome: "interrupted" },
        { type: "mail.queued", mail: "RESULT", outcome: "interrupted" },
      );
      stopped.when(finish(a)).emits();
      stopped.when(commands.sampleEnd(attemptOf(a))).emits();
    }
  });

  it("I4 of a settling agent lets the outcome stand, clears the mark and says so", () => {
    const settling = two.and(commands.yield(a), finish(a), send("/root/a", "hi"));
    settling.agent("/root/a", { marked: true });
    const asked = settling.when(interrupt("/root/a"));
    asked
      .emits(
        { type: "agent.interrupted", found: "settling" },
        { type: "wake.cleared", why: "interrupted" },
      )
      .answers({ found: "settling" });
    const ended = asked.when(commands.settled(attemptOf(a)));
    ended.agent("/root/a", { phase: "idle", last: "completed", unread: [{ text: "hi" }] });
  });

  it("I4 asked a second time changes nothing", () => {
    const stopped = two.and(commands.yield(a), interrupt("/root/a"));
    stopped.agent("/root/a", { phase: "settling" });
    stopped.when(interrupt("/root/a")).emits({ type: "agent.interrupted", found: "settling" });
  });

  it("I5 B25 leaves all unread mail, in order, and W5 clears the mark that exists", () => {
    const mailed = two.and(...["1", "2", "3"].map((text) => send("/root/a", text)));
    const stopped = mailed.when(interrupt("/root/a"));
    stopped.agent("/root/a", {
      phase: "idle",
      marked: false,
      unread: [{ text: "1" }, { text: "2" }, { text: "3" }],
    });
  });

  it("I5 does not keep later mail from waking, even mail that comes before the turn has settled", () => {
    const stopping = two.and(commands.yield(a), interrupt("/root/a"), send("/root/a", "later"));
    stopping
      .when(commands.settled(attemptOf(a)))
      .includes(
        { type: "turn.settled", outcome: "interrupted" },
        { type: "turn.started", path: "/root/a" },
      );
  });

  it("I5 of the root lets only mail that comes after its turn has settled wake it", () => {
    const stopping = two.and(
      prompt("go"),
      commands.yield(root),
      interrupt("/root"),
      send("/root", "1", a),
    );
    const settled = stopping.when(commands.settled(attemptOf(root)));
    settled.excludes("turn.started").agent("/root", { phase: "idle", marked: false });
    settled.when(send("/root", "2", a)).includes({ type: "turn.started", path: "/root" });
  });

  it("I4 has a reason: the one given, trimmed and well-formed, or who asked", () => {
    const reasonOf = (reason: string | undefined, by = a) =>
      two.when(interrupt("/root/b", by, reason)).commits.at(-1)?.[0];
    expect(reasonOf(" too slow ")).toMatchObject({ reason: "too slow" });
    expect(reasonOf("\ud800")).toMatchObject({ reason: "\ufffd" });
    expect(reasonOf("  ")).toMatchObject({ reason: "interrupted by /root/a" });
    expect(reasonOf(undefined)).toMatchObject({ reason: "interrupted by /root/a", by: a });
  });
});
