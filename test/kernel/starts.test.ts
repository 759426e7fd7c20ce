/** Starts: reserved, prepared, committed or given up (T1-T7, and W8 where the root prepares). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { type Scenario, given } from "../../src/testing/scenario.js";

const { spawn, send, finish, prompt, assign, interrupt, prepared, notPrepared, tooLate } = commands;
const a = turnOf("/root/a");
const b = turnOf("/root/b");
const root = turnOf("/root");

/** `/root/a` is idle after one turn of its own, and starts are prepared. The root was woken and is at rest again. */
const rested = given(
  { prepares: true },
  spawn("a"),
  prepared(1),
  finish(a),
  prepared(2),
  finish(root),
);
/** The same, with `/root/a` marked and preparing under reservation 3. */
const waking = rested.and(send("/root/a", "wake"));
/** `/root/s` runs its settlement, so that nothing starts; `/root/a` and the root are idle. No hook. */
const settling = given({}, spawn("a"), finish(a), finish(root), spawn("s")).and(
  commands.yield(turnOf("/root/s")),
  finish(turnOf("/root/s")),
);
const settlementEnd = commands.settled(attemptOf(turnOf("/root/s")));

describe("a spawn", () => {
  it("T3 without a hook commits identity, task and start together", () => {
    given({})
      .when(spawn("a", { task: "do it" }))
      .emits(
        { type: "agent.spawned", path: "/root/a", gen: 1, behavior: "agent", role: "delegator" },
        { type: "turn.started", turn: 1, start: "spawn", task: { text: "do it" }, from: "person" },
      )
      .asks()
      .answers({ path: "/root/a", pending: null });
  });

  it("T2 T3 with a hook reserves path and slot, and is unknown until it starts", () => {
    const reserved = given({ capacity: 1, prepares: true }).when(spawn("a"));
    reserved
      .emits({ type: "start.reserved", path: "/root/a", reservation: 1, task: { text: "be a" } })
      .asks(
        { kind: "prepare", reservation: { path: "/root/a", reservation: 1 } },
        { kind: "timer.arm", afterMs: 30_000 },
      )
      .answers({ path: "/root/a", pending: { reservation: 1 } });
    reserved.when(send("/root/a", "hi")).rejected("A2", "target-unknown");
    reserved
      .when(prepared(1))
      .emits(
        { type: "start.prepared", reservation: 1 },
        { type: "agent.spawned", path: "/root/a" },
        { type: "turn.started", reservation: 1, task: { at: [2, 0] } },
      )
      .asks({ kind: "timer.disarm" });
  });

  it("T2 T3 that fails, is late or is interrupted frees its slot and leaves no trace", () => {
    const reserved = given({ capacity: 1, prepares: true }, spawn("a"));
    for (const [end, why] of [
      [notPrepared(1, "no disk"), "failed"],
      [tooLate(1), "timeout"],
      [interrupt("/root/a"), "interrupted"],
    ] as const) {
      const gone = reserved.when(end);
      gone.includes({ type: "start.released", reservation: 1, why }).excludes("mail.queued");
      gone.asks({ kind: "timer.disarm" }, { kind: "prepare.abort", reservation: 1 });
      expect(gone.kernel.durable).toEqual(given({ capacity: 1 }).kernel.durable);
      gone.when(send("/root/a", "hi")).rejected("A2", "target-unknown");
      gone.when(prepared(1)).emits();
      expect(gone.when(spawn("a")).refusal).toBeNull();
    }
  });

  it("T3 is refused when free slots are no more than the marked idle agents that could start", () => {
    // Only a settlement can keep a startable agent from a free slot.
    const s = turnOf("/root/s");
    const busy = given(
      { capacity: 3 },
      spawn("a"),
      finish(a),
      spawn("b"),
      finish(b),
      spawn("s"),
    ).and(commands.yield(s), finish(s), send("/root/a", "1"));
    expect(busy.when(spawn("c")).refusal).toBeNull();
    busy.and(send("/root/b", "2")).when(spawn("c")).rejected("T3", "at-capacity");
  });

  it("T3 is cancelled when its spawner's turn ends meanwhile", () => {
    const under = given({ prepares: true }, spawn("a"), prepared(1), spawn("b", { by: a }));
    for (const end of [finish(a), commands.fail(a), interrupt("/root/a")]) {
      under
        .when(end)
        .includes({ type: "start.released", reservation: 2, why: "spawner settled" })
        .excludes("agent.spawned");
      under.and(end).when(prepared(2)).emits();
    }
  });

  it("T3 with an unknown behaviour is refused, and names the known ones", () => {
    const refused = given({}).when(spawn("a", { behavior: "reviewr" }));
    refused.rejected("R1", "behavior-unknown");
    expect(refused.refusal?.message).toContain("agent");
  });
});

describe("a preparation", () => {
  it("T2 takes a slot and its agent's mark, and shows as preparing while the agent is idle", () => {
    waking.agent("/root/a", { phase: "idle", preparing: true, marked: false, unread: [{}] });
    waking
      .when(prepared(3))
      .includes({ type: "turn.started", start: "wake", turn: 2, reservation: 3 });
  });

  it("T4 that fails restores no mark: one wake is one attempt, and later mail marks anew", () => {
    for (const end of [notPrepared(3, "no"), tooLate(3), interrupt("/root/a")]) {
      const gone = waking.when(end);
      gone.excludes("start.reserved", "wake.marked");
      gone.agent("/root/a", { preparing: false, marked: false, unread: [{}], last: "completed" });
      gone.when(send("/root/a", "more")).includes({ type: "start.reserved", path: "/root/a" });
    }
  });

  it("T4 that fails after further mail had come is tried again for that mail", () => {
    waking
      .and(send("/root/a", "more"))
      .when(notPrepared(3, "no"))
      .emits(
        { type: "start.released", why: "failed", reason: "no" },
        { type: "start.reserved", path: "/root/a", reservation: 4 },
        { type: "wake.cleared", why: "started" },
      );
  });

  it("T4 W4 leaves the mark of mail that came after the reservation to the turn's boundary", () => {
    const started = waking.and(send("/root/a", "more"), prepared(3));
    started.agent("/root/a", { phase: "running", marked: true });
    started
      .when(finish(turnOf("/root/a", 2)))
      .includes({ type: "start.reserved", path: "/root/a" });
    started
      .and(commands.sample(turnOf("/root/a", 2)))
      .agent("/root/a", { marked: false, unread: [] });
  });

  it("T4 lets the others be offered when it gives its slot back", () => {
    const c = turnOf("/root/c");
    const two = given({ capacity: 1, prepares: true })
      .and(spawn("a"), prepared(1), finish(a), prepared(2), finish(root))
      .and(spawn("c"), prepared(3), finish(c), prepared(4), finish(turnOf("/root", 2)))
      .and(send("/root/a", "1"), send("/root/c", "2"));
    two.agent("/root/a", { preparing: true }).agent("/root/c", { marked: true });
    two
      .when(notPrepared(5, "no"))
      .includes(
        { type: "start.released", path: "/root/a" },
        { type: "start.reserved", path: "/root/c" },
      );
  });

  it("T2 hears one answer; repeated, late and unknown ones are dropped", () => {
    const started = waking.and(prepared(3));
    for (const late of [
      prepared(3),
      notPrepared(3, "x"),
      tooLate(3),
      prepared(99),
      prepared(Number.NaN),
    ]) {
      started.when(late).emits().asks();
    }
  });

  it("T2 that has answered is not failed by its timer while it waits for a settlement", () => {
    const s = turnOf("/root/s");
    const ready = rested
      .and(spawn("s"), prepared(3), commands.yield(s), send("/root/a", "wake"), finish(s))
      .and(prepared(4));
    ready.agent("/root/a", { preparing: true, phase: "idle" });
    ready.when(tooLate(4)).emits();
    ready
      .when(settlementEnd)
      .includes(
        { type: "turn.settled", path: "/root/s" },
        { type: "turn.started", path: "/root/a" },
      );
  });
});

describe("an assignment", () => {
  it("T6 starts an idle agent with a task, without a mark", () => {
    rested
      .when(assign("/root/a", "more"))
      .includes({ type: "start.reserved", start: "assignment" });
    given({}, spawn("a"), finish(a))
      .when(assign("a", "more"))
      .emits({
        type: "turn.started",
        turn: 2,
        start: "assignment",
        task: { text: "more" },
        from: "person",
      })
      .answers({ path: "/root/a", pending: null });
  });

  it("T6 is refused to an agent that is active, settling or preparing, and at capacity", () => {
    given({}, spawn("a")).when(assign("/root/a", "x")).rejected("T6", "not-idle");
    given({}, spawn("a"), commands.wait(a)).when(assign("/root/a", "x")).rejected("T6", "not-idle");
    settling.when(assign("/root/s", "x")).rejected("T6", "not-idle");
    waking.when(assign("/root/a", "x")).rejected("T6", "not-idle");
    given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"))
      .when(assign("/root/a", "x"))
      .rejected("T6", "at-capacity");
  });

  it("T6 W6 starts the root even at capacity, which it does not use", () => {
    given({ capacity: 1 }, spawn("a"))
      .when(assign("/root", "x"))
      .emits({ type: "turn.started", path: "/root", start: "assignment" });
  });
});

describe("an explicit start during a settlement", () => {
  const starts: readonly (readonly [string, (from: Scenario) => Scenario, string])[] = [
    ["spawn", (from) => from.when(spawn("n")), "/root/n"],
    ["assignment", (from) => from.when(assign("/root/a", "x")), "/root/a"],
    ["prompt", (from) => from.when(prompt("x")), "/root"],
  ];

  it.each(starts)(
    "T7 of the kind %s reserves at once, and starts when it ends",
    (start, ask, path) => {
      const asked = ask(settling);
      asked
        .includes({ type: "start.reserved", start: start as "spawn" }, { type: "start.prepared" })
        .excludes("turn.started");
      asked
        .when(settlementEnd)
        .includes(
          { type: "turn.settled", path: "/root/s" },
          { type: "turn.started", path: path as "/root", start: start as "spawn" },
        );
    },
  );

  it("T7 goes before the offer, and the offer before the next settlement", () => {
    const t = turnOf("/root/t");
    const s = turnOf("/root/s");
    given({ capacity: 4 }, spawn("a"), finish(a), spawn("b"), finish(b), spawn("s"), spawn("t"))
      .and(commands.yield(s), commands.yield(t), finish(s), finish(t))
      .and(send("/root/a", "wake"), assign("/root/b", "work"))
      .when(settlementEnd)
      .includes(
        { type: "turn.settled", path: "/root/s" },
        { type: "turn.started", path: "/root/b", start: "assignment" },
        { type: "turn.started", path: "/root/a", start: "wake" },
        { type: "settlement.attempted", path: "/root/t" },
      );
  });

  it("T7 I3 is cancelled by an interrupt like any other reservation", () => {
    for (const [, ask, path] of starts) {
      const gone = ask(settling).when(interrupt(path));
      gone.answers({ found: "preparing" }).includes({ type: "start.released", why: "interrupted" });
      gone.when(settlementEnd).excludes("agent.spawned");
      expect(gone.and(settlementEnd).kernel.volatile.reservations).toEqual([]);
    }
    settling.and(prompt("x"), interrupt("/root"), settlementEnd).agent("/root", {
      unread: [{ mail: "RESULT" }, { mail: "INPUT" }, { mail: "RESULT" }, { mail: "EXECUTION" }],
    });
  });
});

describe("the root's preparation", () => {
  it("W8 T4 that fails leaves the INPUT unread and is not tried again by itself", () => {
    const asked = rested.and(prompt("go"));
    for (const end of [notPrepared(3, "no"), tooLate(3), interrupt("/root")]) {
      const gone = asked.when(end);
      gone.includes({ type: "start.released", path: "/root" }).excludes("start.reserved");
      gone.agent("/root", {
        phase: "idle",
        preparing: false,
        unread: [{ text: "done" }, { text: "go" }],
      });
      const next = gone.when(prompt("again"));
      next.includes({ type: "start.reserved", path: "/root", start: "prompt" });
      const started = next.and(prepared(4));
      started.agent("/root", { unread: [{ text: "done" }, { text: "go" }] });
    }
  });

  it("W8 for mail is taken over by an INPUT, which then comes first as the task", () => {
    rested
      .and(send("/root", "mail"), prompt("go"))
      .when(prepared(3))
      .includes(
        {
          type: "turn.started",
          path: "/root",
          start: "prompt",
          from: "person",
          task: { at: [8, 0] },
        },
        { type: "mail.delivered", path: "/root", attempt: 0, records: [[8, 0]] },
      );
  });

  it("W8 for an assignment keeps its task; the INPUT comes at the first boundary", () => {
    const both = rested.and(assign("/root", "work"), prompt("go"), prepared(3));
    both.agent("/root", {
      phase: "running",
      unread: [{ text: "done" }, { mail: "INPUT", text: "go" }],
    });
  });
});

describe("a completion", () => {
  it("T1 that does not match path, generation, turn and attempt is dropped", () => {
    const open = given({}, spawn("a"), commands.sample(a));
    for (const stale of [
      attemptOf(a, 2),
      attemptOf(a, 0),
      attemptOf(turnOf("/root/a", 2)),
      attemptOf(turnOf("/root/a", 1, 2)),
      attemptOf(turnOf("/root/x")),
    ]) {
      open.when(commands.sampleEnd(stale)).emits();
      open.when(commands.timeout(stale)).emits();
      open.when(commands.settled(stale)).emits();
    }
    open.when(commands.sampleEnd(attemptOf(a))).emits({ type: "sample.ended" });
    open
      .and(finish(a))
      .when(commands.sampleEnd(attemptOf(a)))
      .emits();
  });

  it("T1 S1 that ends a turn counts once", () => {
    const done = given({}, spawn("a"), finish(a, "first"));
    done.when(finish(a, "second")).emits();
    done.when(commands.fail(a)).emits();
    done.when(interrupt("/root/a")).answers({ found: "idle" }).excludes("turn.settled");
  });
});
