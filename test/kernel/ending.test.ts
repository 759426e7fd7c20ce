/** Ending agents for good, and stopping whole trees (A5, I6). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, end, sample, wait, prompt, interruptTree, setCapacity } = commands;
const root = turnOf("/root");
const p = turnOf("/root/p");
const c = turnOf("/root/p/c");
const d = turnOf("/root/p/c/d");

/** Root runs; below it three generations, all running. */
const family = given(
  {},
  prompt("go"),
  spawn("p", { by: root }),
  spawn("c", { by: p }),
  spawn("d", { by: c }),
);

describe("ending an agent", () => {
  it("A5 settles the subtree, deepest first, then retires its identities, in one commit when nothing is owned", () => {
    family
      .when(end("/root/p"))
      .includes(
        { type: "agent.ending", path: "/root/p" },
        { type: "agent.interrupted", path: "/root/p/c/d", muted: true },
        { type: "agent.interrupted", path: "/root/p/c", muted: true },
        { type: "agent.interrupted", path: "/root/p", muted: undefined },
        { type: "turn.settled", path: "/root/p/c/d", outcome: "interrupted" },
        { type: "turn.settled", path: "/root/p/c", outcome: "interrupted" },
        { type: "turn.settled", path: "/root/p", outcome: "interrupted" },
        {
          type: "agent.retired",
          path: "/root/p",
          gen: 1,
          members: [
            { path: "/root/p/c/d", gen: 1 },
            { path: "/root/p/c", gen: 1 },
            { path: "/root/p", gen: 1 },
          ],
        },
      )
      .agent("/root", { marked: true, unread: [{ mail: "RESULT", from: "/root/p" }] });
  });

  it("A5 refuses the root, and what is unknown, ended already or being ended", () => {
    family.when(end("/root")).rejected("A5", "end-root");
    family.when(end("/root/nobody")).rejected("A2", "target-unknown");
    const ended = family.and(end("/root/p"));
    ended.when(end("/root/p")).rejected("A2", "target-ended");
    ended.when(end("/root/p/c")).rejected("A2", "target-ended");
  });

  it("A5 refuses sends, starts and interrupts into the subtree from the request on", () => {
    const owning = family.and(commands.yield(d), end("/root/p"));
    owning.agent("/root/p/c/d", { phase: "settling" });
    for (const command of [
      send("/root/p", "hi", root),
      send("/root/p/c/d", "hi"),
      commands.assign("/root/p/c", "more"),
      spawn("e", { parent: "/root/p" }),
      commands.interrupt("/root/p/c"),
      commands.takeResult(root, "/root/p"),
    ]) {
      owning.when(command).rejected("A2", "target-ended");
    }
    owning.when(spawn("p")).rejected("A5", "path-taken");
    owning.when(spawn("x", { by: c })).rejected("T1", "turn-over");
  });

  it("A5 waits for a settlement under way, and retires when the last one has ended", () => {
    const owning = family.and(commands.yield(d), end("/root/p"));
    owning.agent("/root/p", { phase: "settling" });
    owning
      .when(commands.settled(attemptOf(d, 1)))
      .includes(
        { type: "turn.settled", path: "/root/p" },
        { type: "agent.retired", path: "/root/p" },
      )
      .excludes("turn.started");
  });

  it("A5 starts nothing of the subtree, whatever marks it: its marks and stamps go", () => {
    const marked = given(
      { capacity: 1 },
      spawn("p"),
      finish(p),
      spawn("q"),
      commands.setPlan(true),
      send("/root/p", "wake up"),
    );
    marked.agent("/root/p", { marked: true });
    const ended = marked.and(end("/root/p"), commands.setPlan(false));
    expect(ended.kernel.volatile.marks.has("/root/p")).toBe(false);
    expect(ended.kernel.volatile.stamps.has("/root/p")).toBe(false);
    ended.when(setCapacity(3)).excludes("turn.started");
  });

  it("A5 releases a start that was being prepared, and a spawn below", () => {
    const preparing = given({ prepares: true }, spawn("p"), commands.prepared(1)).and(
      spawn("c", { by: p }),
    );
    preparing
      .when(end("/root/p"))
      .includes({ type: "start.released", path: "/root/p/c", why: "ended" })
      .includes({ type: "agent.retired" });
  });

  it("A5 gives the path's next user the next generation, and old mail to nobody", () => {
    const again = family
      .and(send("/root/p/c", "late"), end("/root/p"))
      .when(spawn("p", { by: root }));
    again.includes(
      { type: "agent.spawned", path: "/root/p", gen: 2 },
      { type: "turn.started", path: "/root/p", gen: 2, turn: 1 },
    );
    again.agent("/root/p", { gen: 2, unread: [] });
    again.when(sample(p)).rejected("T1", "turn-over");
    const third = again.and(end("/root/p"), spawn("p", { by: root }));
    third.agent("/root/p", { gen: 3 });
    third.reopened().agent("/root/p", { gen: 3, phase: "idle" });
  });

  it("A5 of a path inside one that is being ended goes with it", () => {
    const both = family.and(commands.yield(d), end("/root/p/c"), end("/root/p"));
    both
      .when(commands.settled(attemptOf(d, 1)))
      .includes(
        { type: "agent.retired", path: "/root/p/c" },
        { type: "agent.retired", path: "/root/p" },
      );
  });

  it("A5 R2 is finished by the next opening, and by no second one", () => {
    const owning = family.and(commands.yield(d), end("/root/p"));
    const opened = owning.reopened();
    opened.includes(
      { type: "turn.settled", path: "/root/p/c/d" },
      { type: "turn.settled", path: "/root/p" },
      { type: "agent.retired", path: "/root/p" },
    );
    opened.excludes("wake.marked", "turn.started");
    opened.reopened().emits({ type: "session.opened" });
    opened.when(send("/root/p", "hi")).rejected("A2", "target-ended");
  });

  it("S7 leaves a RESULT that a handler has to the handler", () => {
    const awaiting = family.and(commands.takeResult(root, "/root/p"));
    const ended = awaiting.when(end("/root/p"));
    ended.includes({ type: "mail.queued", path: "/root", mail: "RESULT", withheld: true });
    const record = ended.kernel.durable.agents.get("/root")?.unread.first()?.at ?? [0, 0];
    ended.when(commands.handled(root, record)).emits({ type: "mail.consumed", record });
    ended
      .when(commands.handled(root, record, "no"))
      .emits({ type: "mail.returned", record }, { type: "wake.marked", path: "/root", record });
    // The path's next user may be awaited by the same turn.
    ended.and(spawn("p", { by: root })).and(commands.takeResult(root, "/root/p"));
  });
});

describe("stopping a tree", () => {
  it("I6 lets only the top's RESULT wake outward", () => {
    const stopped = family.when(interruptTree("/root/p", "enough"));
    stopped.answers({
      stopped: [
        { path: "/root/p/c/d", found: "active" },
        { path: "/root/p/c", found: "active" },
        { path: "/root/p", found: "active" },
      ],
    });
    stopped
      .agent("/root/p/c", { phase: "idle", marked: false, unread: [{ from: "/root/p/c/d" }] })
      .agent("/root/p", { phase: "idle", marked: false, unread: [{ from: "/root/p/c" }] })
      .agent("/root", { marked: true, unread: [{ from: "/root/p", text: "enough" }] });
  });

  it("I6 mutes a member that was settling already, and still ends a wait by its RESULT", () => {
    const settling = family.and(commands.yield(d), finish(d));
    const stopped = settling.and(interruptTree("/root/p"));
    stopped.agent("/root/p/c/d", { phase: "settling" });
    const restarted = stopped.and(commands.settled(attemptOf(d, 1)));
    restarted.agent("/root/p/c", {
      phase: "idle",
      marked: false,
      unread: [{ mail: "RESULT" }, {}],
    });
  });

  it("I6 marks nobody by a RESULT that was withheld when the tree was stopped", () => {
    const withheld = family.and(commands.takeResult(c, "d"), finish(d));
    const stopped = withheld.when(interruptTree("/root/p"));
    stopped.includes({ type: "mail.returned", path: "/root/p/c" });
    stopped.agent("/root/p/c", { phase: "idle", turn: null, marked: false, unread: [{}] });
  });

  it("I6 of the root stops everything; and what is idle or waiting too", () => {
    const waiting = family.and(wait(c), finish(d, "early"));
    waiting
      .when(interruptTree("/root"))
      .includes({ type: "turn.settled", path: "/root", outcome: "interrupted" })
      .excludes("turn.started")
      .agent("/root/p", { phase: "idle", marked: false })
      .agent("/root", { phase: "idle", marked: false });
  });

  it("T3 cancels a spawn under way of the same turn only, never of the path's next generation", () => {
    const old = given({ prepares: true }, spawn("p"), commands.prepared(1), end("/root/p"));
    // The RESULT had the root reserved, too.
    const next = old.and(spawn("p"), commands.prepared(3));
    const spawning = next.and(spawn("c", { by: turnOf("/root/p", 1, 2) }));
    spawning
      .when(finish(turnOf("/root/p", 1, 2)))
      .includes({ type: "start.released", why: "spawner settled" });
  });
});
