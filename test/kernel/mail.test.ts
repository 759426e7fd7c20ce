/** Mail: what is accepted, in which order it is read, and what its sender hears (section 2 of the contract). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, sample, sampleEnd, prompt, wait, assign } = commands;
const a = turnOf("/root/a");
const b = turnOf("/root/b");

describe("a text", () => {
  const one = given({}, spawn("a"));

  it.each(["", " ", "\n\t\r", "\u00a0\u2003\ufeff"])(
    "M1 of only white space is refused: %j",
    (text) => {
      one.when(send("/root/a", text)).rejected("M1", "text-empty");
      one.when(prompt(text)).rejected("M1", "text-empty");
      one.when(spawn("b", { task: text })).rejected("M1", "text-empty");
      one.and(finish(a)).when(assign("/root/a", text)).rejected("M1", "text-empty");
    },
  );

  it("M1 that is no string, or has a lone surrogate, is refused", () => {
    for (const text of [undefined, null, 7, {}, ["hi"], new String("hi")]) {
      one.when(send("/root/a", text as string)).rejected("M1", "text-not-a-string");
    }
    for (const text of ["\ud800", "a\udc00b", "\udc00\ud800"]) {
      one.when(send("/root/a", text)).rejected("M1", "text-ill-formed");
      one.when(spawn("b", { task: text })).rejected("M1", "text-ill-formed");
    }
  });

  it.each(["\0", "a\u2028b\r\n", "😀", "</mail>", "x".repeat(3_000_000), " padded "])(
    "M1 is kept exactly as it was",
    (text) => {
      const kept = one.when(send("/root/a", text));
      expect(kept.state("/root/a").unread[0]?.text === text).toBe(true);
      expect(kept.reopened().state("/root/a").unread[0]?.text === text).toBe(true);
    },
  );

  it("L2 of over 64 MiB as the log writes it is refused, and one under it is not", () => {
    const limit = 64 * 1024 * 1024;
    one.when(send("/root/a", "x".repeat(limit + 1))).rejected("L2", "too-large");
    one.when(send("/root/a", "\0".repeat(limit / 6 + 1))).rejected("L2", "too-large");
    one.when(send("/root/a", "é".repeat(limit / 2 + 1))).rejected("L2", "too-large");
    // A line end is two bytes in JSON, not six.
    const lines = `${"x".repeat(99)}\n`.repeat(limit / 102);
    expect(JSON.stringify(lines).length).toBeLessThan(limit);
    expect(one.when(send("/root/a", lines)).refusal).toBeNull();
  });
});

describe("a boundary", () => {
  it("M5 B22 gives all unread mail, oldest first, one record each, in a commit that names the sample", () => {
    given({}, spawn("a"), sample(a), ...["A", "B", "C"].map((text) => send("/root/a", text)))
      .and(sampleEnd(attemptOf(a)))
      .when(sample(a))
      .emits(
        {
          type: "mail.delivered",
          ...attemptOf(a, 2),
          records: [
            [4, 0],
            [5, 0],
            [6, 0],
          ],
        },
        { type: "wake.cleared", path: "/root/a", why: "delivered" },
        { type: "sample.began", ...attemptOf(a, 2) },
      )
      .answers({ mail: [{ at: [4, 0] }, { at: [5, 0] }, { at: [6, 0] }] })
      .agent("/root/a", { unread: [], marked: false });
  });

  it("M5 comes to an agent that never waits, and to one mid-sample only at the next one", () => {
    const open = given({}, spawn("a"), sample(a), send("/root/a", "late"));
    expect(open.state("/root/a").unread).toHaveLength(1);
    const next = open.and(sampleEnd(attemptOf(a)), sample(a));
    expect(next.state("/root/a").unread).toEqual([]);
  });

  it("M5 keeps its mail delivered when the sample fails", () => {
    given({}, spawn("a"), send("/root/a", "hi"), sample(a))
      .and(sampleEnd(attemptOf(a), { failed: "offline" }))
      .agent("/root/a", { unread: [] })
      .when(sample(a))
      .emits({ type: "sample.began" });
  });

  it("M4 is first in, first out over all senders, and call order for each", () => {
    const queued = given({}, spawn("a"), spawn("b")).and(
      send("/root/a", "1", b),
      send("/root/a", "2"),
      send("/root/a", "3", b),
      send("a", "4"),
    );
    expect(queued.state("/root/a").unread.map((one) => one.text)).toEqual(["1", "2", "3", "4"]);
    expect(
      queued
        .reopened()
        .state("/root/a")
        .unread.map((one) => one.text),
    ).toEqual(["1", "2", "3", "4"]);
  });
});

describe("the answer of SendMessage", () => {
  const full = given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"));

  it("M7 B09 says so when capacity alone keeps an idle recipient from starting", () => {
    full.when(send("/root/a", "hi", b)).answers({ held: true });
    full
      .and(send("/root/a", "hi", b))
      .when(send("/root/a", "again"))
      .answers({ held: true });
  });

  it("M7 is empty for a recipient that starts at once, is active, or is the root", () => {
    given({}, spawn("a"), finish(a)).when(send("/root/a", "hi")).answers({ held: false });
    full.when(send("/root/b", "hi")).answers({ held: false });
    full.when(send("/root", "hi", b)).answers({ held: false });
  });

  it("M7 M8 is empty for oneself at capacity", () => {
    full.when(send("/root/b", "note", b)).answers({ held: false });
  });

  it("M7 is empty while something else than capacity holds the start", () => {
    const busy = given({ capacity: 2 }, spawn("a"), finish(a), spawn("b"), spawn("c"));
    const settling = busy.and(commands.yield(b), finish(b));
    settling.when(send("/root/a", "hi")).answers({ held: false });
  });

  it("M7 is empty while the recipient prepares, which a send never waits for", () => {
    given({ capacity: 1, prepares: true }, spawn("a"), commands.prepared(1), finish(a))
      .and(send("/root/a", "wake"))
      .when(send("/root/a", "more"))
      .answers({ held: false })
      .agent("/root/a", { preparing: true, phase: "idle" });
  });
});

describe("mail to oneself", () => {
  it("M8 is queued, marks nobody, and never starts a turn later", () => {
    const noted = given({}, spawn("a")).when(send("/root/a", "note", a));
    noted.emits({ type: "mail.queued", path: "/root/a", from: "/root/a" });
    noted
      .and(finish(a))
      .agent("/root/a", { phase: "idle", unread: [{ text: "note" }], marked: false });
  });

  it("M8 ends a wait", () => {
    given({}, spawn("a"), send("/root/a", "note", a))
      .when(wait(a))
      .emits({ type: "wait.began" }, { type: "wait.ended", why: "mail" });
  });
});

describe("a group of commands", () => {
  it("M7 ends each decision with an offer, so that grouping can't be observed", () => {
    given({}, spawn("a"), finish(a))
      .when(send("/root/a", "hi"))
      .emits(
        { type: "mail.queued" },
        { type: "wake.marked" },
        { type: "wake.cleared", why: "started" },
        { type: "turn.started", start: "wake", turn: 2, task: undefined },
      );
  });
});
