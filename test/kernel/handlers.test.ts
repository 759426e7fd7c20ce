/** Handlers: a turn takes a child's RESULT itself (S7). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { type Scenario, given } from "../../src/testing/scenario.js";
import type { Point } from "../../src/events/point.js";

const { spawn, send, finish, sample, sampleEnd, wait, takeResult, handled, interrupt } = commands;
const p = turnOf("/root/p");
const c = turnOf("/root/p/c");

const awaiting = given({}, spawn("p"), spawn("c", { by: p }), takeResult(p, "c"));
const settled = awaiting.and(finish(c, "the answer"));
const record = newest(settled);

/** Where the newest unread record of `/root/p` stands. */
function newest(scenario: Scenario): Point {
  return scenario.kernel.durable.agents.get("/root/p")?.unread.last()?.at ?? [0, 0];
}

describe("a handler", () => {
  it("S7 withholds the RESULT from waits, marks and delivery, within a bounded time", () => {
    awaiting
      .when(finish(c))
      .includes({ type: "mail.queued", mail: "RESULT", withheld: true })
      .excludes("wake.marked")
      .asks({ kind: "timer.arm", afterMs: 30_000, submit: { kind: "handler.end", record } });
    awaiting.and(wait(p)).when(finish(c)).excludes("wait.ended");
    settled.when(wait(p)).excludes("wait.ended");
    settled.when(sample(p)).emits({ type: "sample.began" }).answers({ mail: [] });
  });

  it("S7 that succeeds consumes the record, with no wake, once", () => {
    const done = settled.when(handled(p, record));
    done.emits({ type: "mail.consumed", path: "/root/p", record });
    done.asks({ kind: "timer.disarm", timer: `handler:${record.join(".")}` });
    done.agent("/root/p", { unread: [], marked: false });
    done.when(handled(p, record, "late")).emits();
  });

  it("S7 that fails returns the record to its place, as waking mail with a warning", () => {
    const later = settled.and(send("/root/p", "later"));
    const failed = later.when(handled(p, record, "no disk"));
    failed.emits({ type: "mail.returned", record, warning: "its handler failed: no disk" });
    failed.agent("/root/p", { unread: [{ mail: "RESULT" }, { mail: "MAIL" }], marked: true });
    failed.when(sample(p)).includes({ type: "mail.delivered", records: [record, newest(later)] });
    failed.when(handled(p, record)).emits();
    settled
      .when(handled(p, record, "x"))
      .emits({ type: "mail.returned" }, { type: "wake.marked", record });
    settled
      .and(wait(p))
      .when(handled(p, record, "x"))
      .includes({ type: "wait.ended", why: "mail" });
  });

  it("S7 returns the record when the awaiting turn completes first, and wakes it anew", () => {
    settled
      .when(finish(p))
      .includes(
        { type: "settlement.began", path: "/root/p" },
        { type: "mail.returned", record },
        { type: "wake.marked", path: "/root/p", record },
        { type: "turn.settled", path: "/root/p" },
        { type: "turn.started", path: "/root/p", turn: 2 },
      );
    const over = settled.and(finish(p));
    over.when(handled(p, record)).emits();
    over.when(sample(turnOf("/root/p", 2))).includes({ type: "mail.delivered", records: [record] });
  });

  it("S7 W5 wakes nobody by a returned record when the awaiting turn failed or was interrupted", () => {
    for (const stopping of [commands.fail(p), interrupt("/root/p")]) {
      const stopped = settled.when(stopping);
      stopped.includes({ type: "mail.returned", record });
      stopped.agent("/root/p", { phase: "idle", marked: false, unread: [{ mail: "RESULT" }] });
    }
    settled
      .and(interrupt("/root/p"))
      .when(send("/root/p", "new"))
      .includes({ type: "turn.started" });
  });

  it("S7 takes nothing for a turn that settles: the RESULT is ordinary mail then", () => {
    const settling = awaiting.and(commands.yield(p), finish(p));
    settling.agent("/root/p", { phase: "settling" });
    // Its settlement runs, so the child's waits; in the end both have settled.
    const both = settling.and(finish(c)).when(commands.settled(attemptOf(p, 1)));
    both.includes(
      { type: "turn.settled", path: "/root/p" },
      { type: "mail.queued", path: "/root/p", mail: "RESULT", withheld: undefined },
      { type: "turn.started", path: "/root/p", turn: 2 },
    );
  });

  it("S7 lets other records of the same commit through, and ends a wait by them", () => {
    const yielded = awaiting.and(commands.yield(c), commands.complete(c, 1, "log"), wait(p));
    const done = yielded.when(finish(c));
    done.includes(
      { type: "mail.queued", mail: "RESULT", withheld: true },
      { type: "mail.moved", path: "/root/p" },
      { type: "wait.ended", why: "mail", unread: [{ mail: "EXECUTION", count: 1 }] },
    );
    done.when(sample(p)).answers({ mail: [{ mail: "EXECUTION" }] });
  });

  it("S7 is one a child, for own children only, of a live turn", () => {
    awaiting.when(takeResult(p, "c")).rejected("S7", "handler-taken");
    awaiting.when(takeResult(c, "/root/p")).rejected("S7", "not-a-child");
    awaiting.when(takeResult(p, "/root/p")).rejected("S7", "not-a-child");
    awaiting.when(takeResult(p, "nobody")).rejected("A2", "target-unknown");
    awaiting.and(finish(p)).when(takeResult(p, "c")).rejected("T1", "turn-over");
  });

  it("S7 serves the next RESULT only: a further one of the child is ordinary mail", () => {
    const again = settled.and(handled(p, record), commands.assign("/root/p/c", "more"));
    again.when(finish(turnOf("/root/p/c", 2))).includes({ type: "wake.marked", path: "/root/p" });
  });

  it("S7 R2 that a crash cuts off leaves ordinary unread mail, which starts nothing", () => {
    const opened = settled.reopened();
    opened.includes({ type: "mail.returned", path: "/root/p", record });
    opened.excludes("wake.marked", "turn.started");
    opened.agent("/root/p", { unread: [{ mail: "RESULT" }], marked: false });
    opened.reopened().emits({ type: "session.opened" });
    opened.when(send("/root/p", "go on")).includes({ type: "turn.started" });
    const read = opened.and(send("/root/p", "go on")).when(sample(turnOf("/root/p", 2)));
    read.answers({ mail: [{ mail: "RESULT" }, { mail: "MAIL" }] });
  });

  it("S7 A7 is a delegator's", () => {
    const talker = given(
      {},
      spawn("p", { role: "communicator" }),
      spawn("c", { parent: "/root/p" }),
    );
    talker.when(takeResult(p, "c")).rejected("A7", "role-lacks-tool");
  });

  it("S7 I6 that fails marks by the RESULT of a stopped tree's member, which a later turn had asked for", () => {
    const later = turnOf("/root/p", 2);
    const lingers = given({}, spawn("p"), spawn("c", { by: p }), commands.yield(c)).and(
      commands.interruptTree("/root/p"),
      commands.settled(attemptOf(c)),
    );
    // Without a handler the member's RESULT is muted.
    lingers.agent("/root/p", { phase: "idle", marked: false });
    const taken = given({}, spawn("p"), spawn("c", { by: p }), commands.yield(c)).and(
      commands.interruptTree("/root/p"),
      commands.notSettled(attemptOf(c)),
      commands.assign("/root/p", "again"),
      takeResult(later, "c"),
      commands.retry(c),
      commands.settled(attemptOf(c, 2)),
    );
    taken.agent("/root/p", { phase: "running", marked: false });
    const withheld = taken.kernel.volatile.handlers[0]?.record ?? [0, 0];
    taken
      .when(handled(later, withheld, "no room"))
      .emits({ type: "mail.returned" }, { type: "wake.marked", path: "/root/p" });
  });

  it("S4 drops the end of a handler that has no such record", () => {
    settled.when(handled(p, [1, 0])).emits();
    awaiting.when(handled(p, record)).emits();
    expect(settled.and(sampleless()).state("/root/p").unread).toHaveLength(1);
  });
});

const sampleless = () => sampleEnd(attemptOf(p, 9));
