/** The root queue: marks and notices in one order, holds, and the person's takeover (W7, W8, T4). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, fail, sample, wait, prompt, hold, unhold, notify, interrupt } =
  commands;
const root = turnOf("/root");
const fresh = given({});
const preparing = given({ prepares: true }, notify("build is red"));

describe("a notice", () => {
  it("W7 starts an idle root, and comes at its first boundary", () => {
    const woken = fresh.when(notify("build is red"));
    woken.emits(
      { type: "notice.queued", text: "build is red" },
      { type: "wake.marked", path: "/root" },
      { type: "wake.cleared" },
      { type: "turn.started", path: "/root", start: "wake" },
    );
    woken
      .when(sample(root))
      .emits({ type: "notice.delivered", notices: [[2, 0]] }, { type: "sample.began" })
      .answers({ mail: [], notices: [[2, 0]] });
  });

  it("W7 to an active root comes at its next boundary and ends no wait", () => {
    const waiting = fresh.and(prompt("go"), wait(root));
    const noted = waiting.when(notify("build is red"));
    noted.excludes("wait.ended").agent("/root", { phase: "waiting", marked: true });
    const read = noted.and(commands.timeout(attemptOf(root)));
    read.when(sample(root)).answers({ notices: [[4, 0]] });
    read.and(sample(root)).agent("/root", { marked: false });
  });

  it("W7 that a completed root turn left is offered again; after a failed or interrupted one it starts nothing until something new comes", () => {
    const noted = fresh.and(prompt("go"), notify("build is red"));
    noted.when(finish(root)).includes({ type: "turn.started", turn: 2, start: "wake" });
    for (const stopping of [fail(root), interrupt("/root"), commands.deadline(root)]) {
      const stopped = noted.when(stopping);
      stopped.excludes("turn.started").agent("/root", { marked: false });
      const woken = stopped.when(notify("and more"));
      woken.includes({ type: "turn.started", turn: 2 });
      woken.when(sample(turnOf("/root", 2))).answers({
        notices: [
          [3, 0],
          [5, 0],
        ],
      });
    }
  });

  it("W7 shares one order with mail: a boundary gives both", () => {
    const both = fresh.and(hold(), notify("one"), send("/root", "two"), notify("three"), unhold());
    both.when(sample(root)).answers({
      mail: [{ at: [4, 0] }],
      notices: [
        [3, 0],
        [5, 0],
      ],
    });
  });

  it("W7 does not outlive the run", () => {
    const opened = fresh.and(hold(), notify("one")).reopened();
    expect(opened.kernel.volatile.notices.length).toBe(0);
    expect(opened.kernel.volatile.holds).toEqual([]);
    opened.when(prompt("go")).includes({ type: "turn.started" });
  });

  it("W7 M1 is plain text", () => {
    fresh.when(notify(" ")).rejected("M1", "text-empty");
  });
});

describe("a hold", () => {
  it("W7 stops the root queue alone, and the last release lets it go on", () => {
    const held = fresh.and(hold("pause"), hold("pause"), hold("dialogue"));
    held.when(send("/root", "hi")).includes({ type: "wake.marked" }).excludes("turn.started");
    const waiting = held.and(send("/root", "hi"), notify("red"));
    waiting.when(unhold("pause")).emits({ type: "hold.released", name: "pause" });
    waiting.and(unhold("pause")).when(unhold("dialogue")).emits({ type: "hold.released" });
    waiting
      .and(unhold("pause"), unhold("pause"))
      .when(unhold("dialogue"))
      .includes({ type: "hold.released" }, { type: "turn.started", start: "wake" });
    held.when(spawn("a")).includes({ type: "turn.started", path: "/root/a" });
  });

  it("W7 that is released without having been taken changes nothing, and one has a name", () => {
    fresh.when(unhold("never")).emits();
    fresh.when(hold(" ")).rejected("W7", "hold-invalid");
    fresh.when(hold("\ud800")).rejected("W7", "hold-invalid");
  });

  it("W8 does not stop the person, nor a root that is given a task", () => {
    fresh.and(hold()).when(prompt("go")).includes({ type: "turn.started", start: "prompt" });
    fresh.and(hold()).when(commands.assign("/root", "tidy")).includes({ type: "turn.started" });
  });

  it("W7 T4 cancels a root start that is being prepared, which is no attempt: mark and notices keep their place", () => {
    const held = preparing.when(hold());
    held.emits(
      { type: "hold.taken" },
      { type: "start.released", path: "/root", why: "held" },
      { type: "wake.marked", path: "/root", record: [2, 0] },
    );
    held.asks({ kind: "timer.disarm" }, { kind: "prepare.abort", reservation: 1 });
    held.when(commands.prepared(1)).emits();
    const again = held.when(unhold());
    again.includes({ type: "start.reserved", reservation: 2, mark: [2, 0] });
    again
      .and(commands.prepared(2))
      .when(sample(root))
      .answers({ notices: [[2, 0]] });
  });

  it("T4 leaves no mark where a preparation failed by itself, and mail stays", () => {
    preparing.when(commands.notPrepared(1, "no")).excludes("wake.marked", "start.reserved");
    const held = preparing.and(commands.notPrepared(1, "no")).when(hold());
    held.emits({ type: "hold.taken" });
    held.when(unhold()).emits({ type: "hold.released" });
  });
});

describe("the person's text while the root is being prepared", () => {
  it("W8 takes the reservation over, which is then immune to holds", () => {
    const claimed = preparing.when(prompt("go"));
    claimed.emits(
      { type: "mail.queued", mail: "INPUT" },
      { type: "start.claimed", reservation: 1, input: [3, 0] },
    );
    const held = claimed.when(hold());
    held.emits({ type: "hold.taken" });
    held.when(commands.prepared(1)).includes(
      {
        type: "turn.started",
        start: "prompt",
        reservation: 1,
        task: { at: [3, 0] },
        from: "person",
      },
      { type: "mail.delivered", attempt: 0, records: [[3, 0]] },
    );
    held
      .and(commands.prepared(1))
      .when(sample(root))
      .answers({ mail: [], notices: [[2, 0]] });
  });

  it("W8 leaves the INPUT unread when that preparation fails, and starts nothing for it", () => {
    const failed = preparing.and(prompt("go")).when(commands.notPrepared(1, "no"));
    failed.includes({ type: "start.released", why: "failed" }).excludes("start.reserved");
    failed.agent("/root", { phase: "idle", unread: [{ mail: "INPUT" }] });
    const again = failed.and(prompt("again"));
    const started = again.when(commands.prepared(2));
    started.includes({ type: "mail.delivered", records: [[5, 0]] });
    started.when(sample(root)).answers({ mail: [{ mail: "INPUT", at: [3, 0] }] });
  });

  it("W8 behind an assignment under way waits for its turn, and starts the root itself when that fails", () => {
    const assigned = given({ prepares: true }, commands.assign("/root", "tidy"), prompt("go"));
    assigned
      .when(commands.notPrepared(1, "no"))
      .includes({ type: "start.released" }, { type: "start.reserved", start: "prompt" });
    assigned
      .and(commands.prepared(1))
      .when(sample(root))
      .includes({ type: "mail.delivered", attempt: 1, records: [[3, 0]] });
  });

  it("W8 X2 needs no further turn", () => {
    const host = { limits: { turns: 1, agents: null, wakes: null, unread: null } };
    given({ prepares: true, host }, notify("red"))
      .when(prompt("go"))
      .includes({ type: "start.claimed" });
  });

  it("W8 left unread when a root turn settles starts the next one, whatever the outcome", () => {
    for (const stopping of [finish(root), fail(root), interrupt("/root")]) {
      fresh
        .and(prompt("go"), prompt("and this"))
        .when(stopping)
        .includes({ type: "turn.started", turn: 2, start: "prompt", task: { at: [3, 0] } });
    }
  });
});
