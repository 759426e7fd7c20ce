/** Marks and offers: who is woken by mail, when, and in which order (section 4 of the contract). */
import { describe, expect, it } from "vitest";
import { decide } from "../../src/kernel/decide.js";
import { Row } from "../../src/kernel/persistent.js";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, fail, sample, sampleEnd, prompt, wait, interrupt, setCapacity } =
  commands;
const a = turnOf("/root/a");
const b = turnOf("/root/b");
const root = turnOf("/root");

describe("a mark", () => {
  it("W1 is set by mail and by RESULT, whatever the state of its recipient", () => {
    const one = given({ capacity: 1 }, spawn("a"));
    one
      .when(send("/root/a", "hi"))
      .emits({ type: "mail.queued" }, { type: "wake.marked", record: [3, 0] });
    one.and(wait(a)).when(send("/root/a", "hi")).includes({ type: "wake.marked" });
    given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"))
      .when(send("/root/a", "hi"))
      .includes({ type: "wake.marked" });
    given({}, prompt("go"), spawn("c", { by: root }))
      .when(finish(turnOf("/root/c")))
      .includes({ type: "mail.queued", mail: "RESULT" }, { type: "wake.marked", path: "/root" });
  });

  it("W1 coalesces: further mail sets none, and the first record's place is kept", () => {
    const marked = given({ capacity: 1 }, spawn("a"), send("/root/a", "one"));
    marked.when(send("/root/a", "two")).emits({ type: "mail.queued" });
    expect(marked.kernel.volatile.marks.get("/root/a")).toEqual([3, 0]);
  });

  it("W1 is not set by EXECUTION, self-mail or INPUT", () => {
    given({}, spawn("a"), commands.yield(a))
      .when(commands.complete(a, 1))
      .emits({ type: "execution.completed" }, { type: "mail.queued", mail: "EXECUTION" });
    given({}, spawn("a"))
      .when(send("/root/a", "me", a))
      .emits({ type: "mail.queued" });
    given({}, prompt("go")).when(prompt("more")).emits({ type: "mail.queued", mail: "INPUT" });
  });

  it("W1 is cleared by the boundary that delivers the mail, and by nothing that reads none", () => {
    const marked = given({}, spawn("a"), sample(a), send("/root/a", "hi"), sampleEnd(attemptOf(a)));
    expect(marked.state("/root/a").marked).toBe(true);
    marked.when(sample(a)).includes({ type: "wake.cleared", why: "delivered" });
    marked.and(wait(a)).agent("/root/a", { marked: true, unread: [{}] });
  });

  it("W1 does not come back for mail that a turn was started with and never read", () => {
    given({}, spawn("a"), finish(a), send("/root/a", "hi"))
      .agent("/root/a", { turn: 2, unread: [{}], marked: false })
      .when(finish(turnOf("/root/a", 2)))
      .excludes("turn.started")
      .agent("/root/a", { phase: "idle", unread: [{}], marked: false });
  });

  it("L7 holds in a state that was written down and read back, where no two points are one object", () => {
    const marked = given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"), send("/root/a", "hi"));
    const { kernel } = marked;
    const markOrder = Row.of(
      kernel.volatile.markOrder.toArray().map((one) => structuredClone(one)),
    );
    const copy = { ...kernel, volatile: { ...kernel.volatile, markOrder } };
    const freed = decide(copy, finish(b));
    expect(freed.events).toMatchObject(marked.when(finish(b)).commits.at(-1) ?? []);
    expect(freed.state.durable.agents.get("/root/a")?.phase).toBe("running");
  });

  it("W9 goes when the session is opened again; its mail stays and starts nothing", () => {
    given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"), send("/root/a", "hi"))
      .agent("/root/a", { marked: true })
      .reopened()
      .excludes("turn.started", "wake.marked")
      .agent("/root/a", { marked: false, unread: [{ text: "hi" }], phase: "idle" });
  });
});

describe("the offer", () => {
  it("W2 B05 starts idle agents and the idle root by themselves, with the mail in the first sample", () => {
    const idle = given({}, spawn("a"), finish(a), spawn("b"), interrupt("/root"));
    const both = idle
      .and(finish(turnOf("/root")))
      .and(send("/root/a", "to a"), send("/root", "to root"));
    both.agent("/root/a", { phase: "running" }).agent("/root", { phase: "running" });
    both.when(sample(turnOf("/root/a", 2))).includes({ type: "mail.delivered", path: "/root/a" });
    expect(both.and(sample(turnOf("/root", 2))).state("/root").unread).toEqual([]);
  });

  it("W2 B07 gives three mails to one turn and one sample once a slot frees", () => {
    const full = given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"));
    const queued = full.and(...["1", "2", "3"].map((text) => send("/root/a", text)));
    queued.agent("/root/a", { phase: "idle", marked: true, unread: [{}, {}, {}] });
    const freed = queued.when(finish(b));
    freed.includes(
      { type: "turn.settled" },
      { type: "turn.started", path: "/root/a", start: "wake" },
    );
    freed.when(sample(turnOf("/root/a", 2))).includes({
      type: "mail.delivered",
      records: [
        [5, 0],
        [6, 0],
        [7, 0],
      ],
    });
    expect(freed.and(finish(turnOf("/root/a", 2))).state("/root/a").phase).toBe("idle");
  });

  it("W2 B09 lets the oldest waking mail go first, by when it came and not by name", () => {
    const three = given({ capacity: 3 }, spawn("x"), spawn("y"), spawn("z"))
      .and(
        ...["x", "y", "z"].map((name) => finish(turnOf(`/root/${name}`))),
        setCapacity(1),
        spawn("p"),
      )
      .and(send("/root/z", "1"), send("/root/x", "2"), send("/root/y", "3"), send("/root/z", "4"));
    const first = three.when(finish(turnOf("/root/p")));
    first.includes({ type: "turn.started", path: "/root/z" });
    first.agent("/root/x", { phase: "idle" }).agent("/root/y", { phase: "idle" });
    const second = first.when(finish(turnOf("/root/z", 2)));
    second.includes({ type: "turn.started", path: "/root/x" });
    second.when(finish(turnOf("/root/x", 2))).includes({ type: "turn.started", path: "/root/y" });
  });

  it("B09 lets a parent's wait run out while its child waits for the parent's slot", () => {
    const p = turnOf("/root/p");
    const c = turnOf("/root/p/c");
    const held = given(
      { capacity: 2 },
      spawn("p"),
      spawn("c", { by: p }),
      finish(c),
      setCapacity(1),
    )
      .and(sample(p), sampleEnd(attemptOf(p)), wait(p))
      .when(send("/root/p/c", "go on", p));
    held.answers({ held: true }).excludes("wait.ended");
    const timed = held.when(commands.timeout(attemptOf(p, 2)));
    timed.emits({ type: "wait.ended", why: "timeout" });
    timed.when(finish(p)).includes({ type: "turn.started", path: "/root/p/c", start: "wake" });
  });

  it("W2 passes over an agent whose behaviour is not there, and starts the next", () => {
    const full = given(
      { capacity: 1, behaviors: ["agent", "odd"] },
      spawn("a", { behavior: "odd" }),
    )
      .and(finish(a), spawn("b"), finish(b))
      .reopened({ behaviors: ["agent"] });
    full.and(send("/root/a", "hi")).agent("/root/a", { phase: "idle", marked: true });
    full.and(send("/root/a", "hi"), send("/root/b", "hi")).agent("/root/b", { phase: "running" });
    full.when(send("/root/a", "hi")).answers({ held: false });
    full.when(commands.assign("/root/a", "do")).rejected("R1", "behavior-unknown");
  });

  it("W6 starts as many as a raised capacity allows, at once", () => {
    const full = given({ capacity: 3 }, spawn("a"), spawn("b"), spawn("c"), finish(a), finish(b));
    const queued = full.and(setCapacity(1), send("/root/b", "1"), send("/root/a", "2"));
    queued
      .when(setCapacity(2))
      .emits(
        { type: "capacity.changed", from: 1, to: 2 },
        { type: "wake.cleared", path: "/root/b" },
        { type: "turn.started", path: "/root/b" },
      );
    queued.when(setCapacity(1)).emits();
  });
});

describe("a settlement", () => {
  const trying = given(
    { capacity: 3 },
    spawn("a"),
    finish(a),
    spawn("b"),
    commands.yield(b),
    finish(b),
  );

  it("W3 that runs keeps every turn of the session from starting", () => {
    expect(trying.kernel.durable.trying).toBe("/root/b");
    const late = trying.and(send("/root/a", "hi"));
    late.agent("/root/a", { phase: "idle", marked: true });
    late
      .when(commands.settled(attemptOf(b)))
      .includes(
        { type: "turn.settled", path: "/root/b" },
        { type: "turn.started", path: "/root/a" },
      );
  });

  it("W3 runs alone: the next waits, settling, and the offer comes between the two", () => {
    const c = turnOf("/root/c");
    const two = given({ capacity: 3 }, spawn("a"), finish(a), spawn("b"), spawn("c")).and(
      commands.yield(b),
      commands.yield(c),
      finish(b),
      finish(c),
      send("/root/a", "hi"),
    );
    two.agent("/root/c", { phase: "settling" });
    two
      .when(commands.settled(attemptOf(b)))
      .includes(
        { type: "turn.settled", path: "/root/b" },
        { type: "turn.started", path: "/root/a" },
        { type: "settlement.attempted", path: "/root/c" },
      )
      .excludes("settlement.began");
  });

  it("W3 shares one commit with its beginning where the turn owns nothing", () => {
    given({}, spawn("a"))
      .when(finish(a))
      .includes({ type: "settlement.began" }, { type: "turn.settled" });
  });

  it("W3 lets mail that comes during it start its agent afterwards", () => {
    trying
      .and(send("/root/b", "late"))
      .when(commands.settled(attemptOf(b)))
      .includes(
        { type: "turn.settled", path: "/root/b" },
        { type: "turn.started", path: "/root/b", turn: 2 },
      );
  });

  it("W4 that completed a turn offers the mark that is left", () => {
    given({}, spawn("a"), sample(a), send("/root/a", "hi"), sampleEnd(attemptOf(a)))
      .when(finish(a))
      .includes(
        { type: "turn.settled", outcome: "completed" },
        { type: "turn.started", path: "/root/a" },
      );
  });

  it("W5 that is errored clears the marks at its commit; later mail marks anew", () => {
    const failed = given({}, spawn("a"), send("/root/a", "hi")).when(fail(a));
    failed
      .includes({ type: "turn.settled" }, { type: "wake.cleared", why: "errored" })
      .agent("/root/a", { phase: "idle", marked: false, unread: [{}] });
    failed.when(send("/root/a", "more")).includes({ type: "turn.started", path: "/root/a" });
  });

  it("W7 of the root offers late mail again when completed, and not when errored or interrupted", () => {
    const late = given({}, spawn("a"), prompt("go"), sample(root), send("/root", "late", a));
    late.when(finish(root)).includes({ type: "turn.started", path: "/root", start: "wake" });
    late
      .when(fail(root))
      .excludes("turn.started")
      .agent("/root", { unread: [{}], marked: false });
    const stopped = late.when(interrupt("/root"));
    stopped.excludes("turn.started").agent("/root", { phase: "idle", unread: [{}] });
    stopped.when(send("/root", "new", a)).includes({ type: "turn.started", path: "/root" });
  });
});

describe("capacity", () => {
  it("W6 counts running, waiting, settling and preparing agents, and not the root", () => {
    const c = turnOf("/root/c");
    const used = given({ capacity: 3 }, prompt("go"), spawn("a"), spawn("b"), spawn("c"));
    const mixed = used.and(wait(a), commands.yield(c), finish(c));
    mixed.when(spawn("d")).rejected("T3", "at-capacity");
    given({ capacity: 1, prepares: true }, spawn("a"))
      .when(spawn("b"))
      .rejected("T3", "at-capacity");
    given({ capacity: 1 }, prompt("go")).and(spawn("a"));
  });

  it("W6 is a positive integer", () => {
    for (const capacity of [0, -1, 1.5, Number.NaN, Infinity, "3", null, 2 ** 53]) {
      given({})
        .when(setCapacity(capacity as number))
        .rejected("W6", "capacity-invalid");
    }
  });

  it("W6 may be lowered below what runs; nothing is stopped, and slots wear off", () => {
    const lowered = given({ capacity: 2 }, spawn("a"), spawn("b"), setCapacity(1));
    lowered.agent("/root/a", { phase: "running" }).agent("/root/b", { phase: "running" });
    lowered.and(finish(a)).when(spawn("c")).rejected("T3", "at-capacity");
    expect(lowered.and(finish(a), finish(b)).when(spawn("c")).refusal).toBeNull();
  });

  it("W6 is kept with the session, and opening with another one records the change", () => {
    const one = given({ capacity: 7 });
    expect(one.reopened().kernel.durable.capacity).toBe(7);
    one.reopened({ capacity: 7 }).emits({ type: "session.opened" });
    one
      .reopened({ capacity: 3 })
      .emits({ type: "session.opened" }, { type: "capacity.changed", from: 7, to: 3 });
    expect(one.reopened({ capacity: 3 }).kernel.durable.capacity).toBe(3);
  });
});

describe("the person's INPUT", () => {
  it("W8 starts the idle root at once and comes first, as its task", () => {
    given({ capacity: 1 }, spawn("a"))
      .when(prompt("hello"))
      .emits(
        { type: "mail.queued", path: "/root", mail: "INPUT", from: "person" },
        { type: "turn.started", path: "/root", start: "prompt", task: { at: [3, 0] } },
        { type: "mail.delivered", attempt: 0, records: [[3, 0]] },
      )
      .answers({ input: [3, 0] })
      .agent("/root", { phase: "running", unread: [] });
  });

  it("W8 comes before mail that is older", () => {
    const behind = given(
      {},
      spawn("a"),
      prompt("go"),
      sample(root),
      send("/root", "old", a),
      fail(root),
    );
    const asked = behind.when(prompt("new"));
    asked
      .includes({ type: "mail.delivered", attempt: 0 })
      .agent("/root", { unread: [{ text: "old" }] });
  });

  it("W8 is read by an active root at its next boundary", () => {
    const busy = given({}, prompt("go"), sample(root), prompt("more"));
    busy.agent("/root", { unread: [{ mail: "INPUT", text: "more" }] });
    busy
      .and(sampleEnd(attemptOf(root)))
      .when(sample(root))
      .includes({ type: "mail.delivered", attempt: 2 });
  });

  it("W8 left unread starts the next turn, whatever the outcome; one turn for each that is left", () => {
    const left = given({}, prompt("go"), prompt("one"), prompt("two"));
    for (const end of [finish(root), fail(root), interrupt("/root")]) {
      const next = left.when(end);
      next.includes({ type: "turn.settled" }, { type: "turn.started", turn: 2, start: "prompt" });
      next.agent("/root", { unread: [{ text: "two" }] });
      next
        .when(finish(turnOf("/root", 2)))
        .includes({ type: "turn.started", turn: 3, start: "prompt" });
    }
  });

  it("W9 of an earlier run starts nothing", () => {
    given({}, prompt("go"), prompt("left"))
      .reopened()
      .excludes("turn.started")
      .agent("/root", { phase: "idle", unread: [{ text: "left" }] });
  });
});
