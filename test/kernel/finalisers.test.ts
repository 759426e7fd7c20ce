/** Settlements that fail: tried again, with starts between the tries, and errored in the end (S2, S3, W3). */
import { describe, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, settled, notSettled, retry, prompt, interrupt } = commands;
const a = turnOf("/root/a");
const b = turnOf("/root/b");
const host = { finalises: true };
const settling = given({ host }, spawn("a"), finish(a, "the answer"));
const one = attemptOf(a, 1);
const two = attemptOf(a, 2);
const three = attemptOf(a, 3);
const failedOnce = settling.and(notSettled(one, "the index is locked"));
const failedTwice = failedOnce.and(retry(a), notSettled(two));
const lastTry = failedTwice.and(retry(a));

describe("a settlement with finalisers", () => {
  it("S2 is begun, then tried within a bounded time, then published", () => {
    given({ host }, spawn("a"))
      .when(finish(a))
      .emits({ type: "settlement.began" }, { type: "settlement.attempted", attempt: 1 })
      .asks({
        kind: "timer.arm",
        afterMs: 30_000,
        submit: { kind: "settlement.fail", attempt: one },
      });
    settling
      .when(settled(one))
      .includes({ type: "turn.settled", outcome: "completed" }, { type: "mail.queued" })
      .asks({ kind: "timer.disarm" });
  });

  it("S3 that fails publishes nothing, and is tried again after a pause", () => {
    const failed = settling.when(notSettled(one, "the index is locked"));
    failed
      .emits({ type: "settlement.failed", attempt: 1, reason: "the index is locked" })
      .asks(
        { kind: "timer.disarm" },
        { kind: "timer.arm", afterMs: 1_000, submit: { kind: "settlement.retry", turn: a } },
      );
    failed.agent("/root/a", { phase: "settling" }).agent("/root", { unread: [], marked: false });
    failed
      .when(retry(a))
      .emits({ type: "settlement.resumed" }, { type: "settlement.attempted", attempt: 2 });
  });

  it("S3 pauses longer before the third try", () => {
    failedOnce
      .and(retry(a))
      .when(notSettled(two))
      .asks({ kind: "timer.disarm" }, { kind: "timer.arm", afterMs: 5_000 });
  });

  it("S3 that succeeds at a later try keeps its outcome", () => {
    for (const [tried, attempt] of [
      [failedOnce.and(retry(a)), two],
      [lastTry, three],
    ] as const) {
      tried
        .when(settled(attempt))
        .includes({ type: "turn.settled", outcome: "completed", failed: undefined })
        .agent("/root", { unread: [{ mail: "RESULT", text: "the answer" }] });
    }
  });

  it("S3 that fails for the third time is errored, naming the cause, with its response still there", () => {
    const settledAnyway = lastTry.when(notSettled(three, "the index is locked"));
    settledAnyway.includes(
      { type: "settlement.failed", attempt: 3 },
      { type: "turn.settled", outcome: "errored", failed: "the index is locked" },
      { type: "mail.queued", mail: "RESULT", outcome: "errored", failed: "the index is locked" },
    );
    settledAnyway.agent("/root/a", { phase: "idle", last: "errored" });
    settledAnyway.agent("/root", { unread: [{ text: "the answer" }] });
  });

  it("S3 W5 that is errored in the end clears its agent's mark", () => {
    const marked = lastTry.and(send("/root/a", "more"));
    marked.agent("/root/a", { marked: true });
    marked
      .when(notSettled(three))
      .includes({ type: "wake.cleared", path: "/root/a", why: "errored" })
      .agent("/root/a", { phase: "idle", marked: false, unread: [{ text: "more" }] });
    marked.when(settled(three)).includes({ type: "turn.started", path: "/root/a", turn: 2 });
  });

  it("S3 W3 lets turns start, and others settle, between its tries, and none during one", () => {
    settling.when(spawn("b")).includes({ type: "start.reserved" }).excludes("turn.started");
    settling
      .and(spawn("b"))
      .when(notSettled(one))
      .includes({ type: "settlement.failed" }, { type: "turn.started", path: "/root/b" });
    const both = failedOnce.and(spawn("b")).when(finish(b));
    both.includes({ type: "settlement.attempted", path: "/root/b" });
    // The pause is over while the other's settlement runs: it comes after it.
    both.when(retry(a)).emits({ type: "settlement.resumed" });
    both
      .and(retry(a))
      .when(settled(attemptOf(b, 1)))
      .includes(
        { type: "turn.settled", path: "/root/b" },
        { type: "settlement.attempted", ...two },
      );
  });

  it("S4 T1 drops what a try says that is over", () => {
    failedOnce.when(settled(one)).emits();
    failedOnce.when(notSettled(one)).emits();
    failedOnce.and(retry(a)).when(settled(one)).emits();
    failedOnce.and(retry(a)).when(retry(a)).emits();
    settling.and(settled(one)).when(retry(a)).emits();
    settling.and(settled(one), send("/root/a", "again")).when(settled(one)).emits();
  });

  it("I4 keeps its outcome when it is interrupted, between its tries too", () => {
    settling.when(interrupt("/root/a")).answers({ found: "settling" });
    failedOnce.when(interrupt("/root/a")).answers({ found: "settling" });
    failedOnce
      .and(interrupt("/root/a"), retry(a))
      .when(settled(two))
      .includes({ type: "turn.settled", outcome: "completed" });
  });

  it("T1 takes sends and entries of its finalisers while a try runs, and nothing else of the turn", () => {
    settling
      .when(commands.sendFinally("/root", "done soon", one))
      .includes({ type: "mail.queued" });
    settling.when(commands.recordFinally(one, { index: 3 })).emits({ type: "transcript.recorded" });
    settling.when(send("/root", "hi", a)).rejected("T1", "turn-over");
    settling.when(spawn("x", { by: a })).rejected("T1", "turn-over");
    failedOnce.when(commands.sendFinally("/root", "late", one)).rejected("T1", "turn-over");
    settling.and(settled(one)).when(commands.recordFinally(one, 1)).rejected("T1", "turn-over");
  });

  it("T1 S3 refuses what a finaliser of a try that is over still sends while the next try runs", () => {
    const again = failedOnce.and(retry(a));
    again.when(commands.sendFinally("/root", "late", one)).rejected("T1", "turn-over");
    again.when(commands.recordFinally(one, 1)).rejected("T1", "turn-over");
    again.when(commands.sendFinally("/root", "in time", two)).includes({ type: "mail.queued" });
  });

  it("W7 S3 of the root that is errored in the end starts nothing by old notices", () => {
    const root = turnOf("/root");
    const tries = [1, 2].flatMap((n) => [notSettled(attemptOf(root, n)), retry(root)]);
    const last = given({ host }, prompt("go"), finish(root), commands.notify("red")).and(...tries);
    last
      .when(notSettled(attemptOf(root, 3)))
      .includes({ type: "turn.settled", outcome: "errored" })
      .excludes("turn.started");
    last.when(settled(attemptOf(root, 3))).includes({ type: "turn.started", turn: 2 });
  });

  it("R2 of a dead run is finished by the next opening, between its tries too, with its outcome and no finaliser", () => {
    for (const dead of [settling, failedOnce, failedOnce.and(retry(a))]) {
      const opened = dead.and(spawn("z")).reopened();
      opened.includes({ type: "turn.settled", path: "/root/a", outcome: "completed" });
      opened.excludes("settlement.attempted", "turn.started", "wake.marked");
      opened.agent("/root", { marked: false });
      opened.reopened().emits({ type: "session.opened" });
    }
  });

  it("L8 of a closing session is tried to its end, and the run is over with it", () => {
    const closing = settling.and(commands.close());
    closing.when(settled(one)).includes({ type: "turn.settled" }, { type: "session.closed" });
    closing.and(notSettled(one), retry(a)).when(settled(two)).includes({ type: "session.closed" });
  });
});
