/** The session: opened again, recovered, closed (R1, R2, W9, L8). */
import { describe, expect, it } from "vitest";
import type { RejectionCode } from "../../src/errors.js";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, sample, sampleEnd, interrupt, wait, prompt, close } = commands;
const yields = commands.yield;
const a = turnOf("/root/a");
const b = turnOf("/root/a/b");
const root = turnOf("/root");

describe("a session that is opened again", () => {
  it("R1 is as it was, and starts nothing, when nothing was live", () => {
    const rest = given(
      { capacity: 3 },
      spawn("a", { role: "communicator" }),
      finish(a),
      prompt("x"),
      finish(root),
    );
    const unread = rest.and(
      send("/root/a", "hi"),
      commands.fail(turnOf("/root/a", 2)),
      interrupt("/root"),
    );
    const again = unread.reopened();
    again.emits({ type: "session.opened", run: 2 }).asks().answers({ recovered: [] });
    expect({ ...again.kernel.durable, run: 1 }).toEqual(unread.kernel.durable);
    again.reopened().emits({ type: "session.opened", run: 3 });
  });

  it("R2 B30 settles a live turn as interrupted, with its partial text, and marks nobody", () => {
    given({}, spawn("a"), sample(a), commands.partial(a, "so far"))
      .reopened()
      .emits(
        { type: "session.opened", run: 2 },
        {
          type: "settlement.began",
          ...a,
          outcome: {
            kind: "interrupted",
            reason: "the process ended while this turn was live",
            partial: [[4, 0]],
          },
        },
        { type: "turn.settled", ...a },
        { type: "mail.queued", path: "/root", mail: "RESULT", from: "/root/a" },
        { type: "session.recovered", turns: 1, unread: 1 },
      )
      .agent("/root/a", { phase: "idle", last: "interrupted", marked: false })
      .agent("/root", { phase: "idle", marked: false, unread: [{ mail: "RESULT" }] });
  });

  it("R2 goes deepest first, then by path, in one commit, and ends no wait with it but as interrupted", () => {
    const tree = given({}, spawn("z"), spawn("a"), spawn("b", { by: a }), prompt("go"), wait(a));
    const again = tree.reopened();
    again.answers({ recovered: [b, a, turnOf("/root/z"), root] });
    again.includes(
      { type: "turn.settled", path: "/root/a/b" },
      { type: "mail.queued", path: "/root/a", mail: "RESULT" },
      { type: "wait.ended", path: "/root/a", why: "interrupted" },
      { type: "turn.settled", path: "/root/a" },
      { type: "turn.settled", path: "/root/z" },
      { type: "turn.settled", path: "/root" },
    );
    again.excludes("wake.marked", "turn.started");
  });

  it("R2 sends unread EXECUTIONs after the RESULT, those that still ran marked stopped", () => {
    const again = given(
      {},
      spawn("a"),
      yields(a),
      yields(a),
      commands.complete(a, 2, "ended"),
    ).reopened();
    again.includes(
      { type: "execution.completed", execution: 1, stopped: true },
      { type: "turn.settled" },
      { type: "mail.queued", mail: "RESULT" },
      { type: "mail.moved" },
      { type: "mail.moved" },
    );
    again.agent("/root", {
      unread: [
        { mail: "RESULT" },
        { mail: "EXECUTION", text: "ended" },
        { mail: "EXECUTION", text: "" },
      ],
    });
  });

  it("R2 keeps the outcome of a settlement that had begun", () => {
    for (const settling of [
      given({}, spawn("a"), yields(a), finish(a, "kept")),
      given({}, spawn("z"), yields(turnOf("/root/z")), finish(turnOf("/root/z")))
        .and(spawn("y"))
        .and(
          commands.settled(attemptOf(turnOf("/root/z"))),
          spawn("a"),
          yields(a),
          finish(a, "kept"),
        ),
    ]) {
      const again = settling.reopened();
      again.includes({ type: "turn.settled", path: "/root/a", outcome: "completed" });
      expect(again.state("/root").unread.map((one) => one.text)).toContain("kept");
      expect(again.kernel.durable.trying).toBeNull();
      expect(again.kernel.durable.settling.length).toBe(0);
    }
  });

  it("R2 takes no call and no completion of the dead run", () => {
    const again = given({}, spawn("a"), sample(a)).reopened();
    again.when(sampleEnd(attemptOf(a))).emits();
    again.when(finish(a)).emits();
    again.when(send("/root", "hi", a)).rejected("T1", "turn-over");
  });

  it("W9 forgets reservations; a spawn that was under way never was", () => {
    const again = given({ prepares: true, capacity: 1 }, spawn("a")).reopened();
    again.emits({ type: "session.opened" });
    again.when(send("/root/a", "hi")).rejected("A2", "target-unknown");
    again.when(commands.prepared(1)).emits();
    again.when(spawn("a")).answers({ pending: { reservation: 1 } });
  });
});

describe("a session that is closed", () => {
  it("L8 with nothing live is over at once, and closing twice is fine", () => {
    const closed = given({}, spawn("a"), finish(a), interrupt("/root")).when(close());
    closed.emits({ type: "session.closing" }, { type: "session.closed" });
    closed.when(close()).emits();
  });

  it("L8 interrupts what is live, deepest first, and ends when the last has settled", () => {
    const closing = given({}, spawn("a"), spawn("b", { by: a }), yields(a), wait(b)).when(close());
    closing
      .includes(
        { type: "session.closing" },
        { type: "wait.ended", path: "/root/a/b", why: "interrupted" },
        { type: "settlement.began", path: "/root/a/b", outcome: { reason: "session closed" } },
        { type: "settlement.began", path: "/root/a", outcome: { kind: "interrupted" } },
        { type: "turn.settled", path: "/root/a/b" },
        { type: "settlement.attempted", path: "/root/a" },
      )
      .excludes("session.closed");
    closing
      .when(commands.settled(attemptOf(a, 1)))
      .includes({ type: "turn.settled", path: "/root/a" }, { type: "session.closed" })
      .excludes("turn.started");
  });

  it("L8 admits nothing more, and no offer follows", () => {
    const closed = given(
      { capacity: 1 },
      spawn("a"),
      finish(a),
      spawn("c"),
      send("/root/a", "hi"),
      close(),
    );
    closed.agent("/root/a", { phase: "idle", unread: [{ text: "hi" }] });
    const code: RejectionCode = "session-closed";
    closed.when(send("/root/a", "more")).rejected("L8", code);
    closed.when(spawn("d")).rejected("L8", code);
    closed.when(prompt("go")).rejected("L8", code);
    closed.when(commands.assign("/root/a", "x")).rejected("L8", code);
    closed.when(interrupt("/root/a")).rejected("L8", code);
    closed.when(commands.setCapacity(9)).rejected("L8", code);
    closed.when(commands.tooLate(1)).emits();
  });

  it("L8 releases what is being prepared", () => {
    given({ prepares: true }, spawn("a"))
      .when(close())
      .emits(
        { type: "session.closing" },
        { type: "start.released", why: "closed" },
        { type: "session.closed" },
      )
      .asks({ kind: "timer.disarm" }, { kind: "prepare.abort", reservation: 1 });
  });

  it("L8 R2 leaves a settlement that is never finished to the next opening", () => {
    given({}, spawn("a"), yields(a), close())
      .reopened()
      .includes({ type: "turn.settled", path: "/root/a", outcome: "interrupted" })
      .answers({ recovered: [a] });
  });
});
