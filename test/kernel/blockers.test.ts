/** Blockers: approvals and questions, stacked as tokens inside a turn (T1). */
import { describe, expect, it } from "vitest";
import { commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, finish, block, unblock, interrupt, wait } = commands;
const a = turnOf("/root/a");
const running = given({}, spawn("a"));
const blocked = running.and(block(a, "may I write?"), block(a, "may I push?"));

describe("a blocker", () => {
  it("T1 stacks: each has a token, and the newest is shown last", () => {
    running
      .when(block(a, "may I write?"))
      .emits({ type: "blocker.added", ...a, token: 1 })
      .answers({ token: 1 });
    const labels = blocked.kernel.durable.agents
      .get("/root/a")
      ?.turn?.blockers.map((one) => one.label);
    expect(labels).toEqual(["may I write?", "may I push?"]);
  });

  it("T1 is released by its token, in any order, with its answer, and a second time changes nothing", () => {
    const released = blocked.when(unblock(a, 1, "yes"));
    released.emits({ type: "blocker.released", token: 1, left: 1, answer: "yes" });
    released.when(unblock(a, 1, "no")).emits();
    released
      .when(unblock(a, 2))
      .emits({ type: "blocker.released", token: 2, left: 0, answer: undefined });
    blocked.when(unblock(a, 7)).emits();
  });

  it("T1 never gives a token twice in a turn", () => {
    blocked.and(unblock(a, 2), unblock(a, 1)).when(block(a)).answers({ token: 3 });
  });

  it("T1 belongs to its turn: it ends with it, and a later turn knows nothing of it", () => {
    for (const stopping of [finish(a), interrupt("/root/a"), commands.close()]) {
      blocked
        .when(stopping)
        .includes(
          { type: "blocker.released", token: 1, left: 1 },
          { type: "blocker.released", token: 2, left: 0 },
          { type: "settlement.began" },
        );
    }
    const next = blocked.and(finish(a), commands.send("/root/a", "again"));
    next.when(unblock(a, 1, "yes")).emits();
    next.when(block(a)).rejected("T1", "turn-over");
    next.when(block(turnOf("/root/a", 2))).answers({ token: 1 });
  });

  it("T1 stands beside a wait, and neither ends the other", () => {
    blocked.when(wait(a)).includes({ type: "wait.began" });
    blocked
      .and(wait(a))
      .when(unblock(a, 1, "yes"))
      .excludes("wait.ended");
  });

  it("T1 M1 has a question that is plain text, and an answer that is text too", () => {
    running.when(block(a, " ")).rejected("M1", "text-empty");
    blocked.when(unblock(a, 1, "")).emits({ type: "blocker.released", answer: "" });
    blocked.when(unblock(a, 1, 7 as unknown as string)).rejected("M1", "text-not-a-string");
  });

  it("R2 T1 of a dead run goes with the turn that the next opening settles", () => {
    const opened = blocked.and(commands.send("/root", "carries the volatile events")).reopened();
    opened.includes({ type: "blocker.released" }, { type: "turn.settled", path: "/root/a" });
    opened.reopened().emits({ type: "session.opened" });
  });
});
