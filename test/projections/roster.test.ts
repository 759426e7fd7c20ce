/** The roster by example: what `list` shows (A8). */
import { describe, expect, it } from "vitest";
import { ROOT } from "../../src/paths.js";
import { foldAll } from "../../src/projections/projection.js";
import { type RosterEntry, listAgents, roster } from "../../src/projections/roster.js";
import { Story } from "../support/story.js";

function listed(story: Story): readonly RosterEntry[] {
  return listAgents(foldAll(roster, story.log));
}

function entry(story: Story, path: string): RosterEntry | undefined {
  return listed(story).find((one) => one.path === path);
}

describe("the roster", () => {
  it("A8 lists the agents sorted by path, each with its parent, role and behaviour", () => {
    const story = new Story().prompt("go");
    story.spawn(ROOT, "b").spawn(ROOT, "a_1").spawn(ROOT, "a").spawn("/root/a", "z");
    expect(listed(story).map(({ path }) => path)).toEqual([
      "/root",
      "/root/a",
      "/root/a/z",
      "/root/a_1",
      "/root/b",
    ]);
    expect(entry(story, "/root/a/z")).toMatchObject({
      gen: 1,
      parent: "/root/a",
      role: "delegator",
      behavior: "worker",
      turns: 1,
    });
    expect(entry(story, "/root")?.parent).toBeNull();
  });

  it("T1 follows the phases of a turn, and says since when", () => {
    const story = new Story();
    expect(entry(story, ROOT)).toMatchObject({ phase: "idle", turns: 0, last: null });
    story.prompt("go");
    const started = story.last("turn.started").at;
    expect(entry(story, ROOT)).toMatchObject({ phase: "running", since: started, turns: 1 });
    story.sample(ROOT);
    expect(entry(story, ROOT)).toMatchObject({ phase: "running", since: started });
    story.wait(ROOT);
    const waits = story.last("wait.began").at;
    expect(entry(story, ROOT)).toMatchObject({ phase: "waiting", since: waits });
    story.timeout(ROOT).finish(ROOT);
    const began = story.last("settlement.began").at;
    expect(entry(story, ROOT)).toMatchObject({
      phase: "idle",
      since: story.last("turn.settled").at,
      last: { turn: 1, outcome: "completed", began },
    });
  });

  it("T2 shows a start as preparing from its reservation to its start", () => {
    const story = new Story({ prepares: true }).prompt("go");
    const since = story.last("start.reserved").at;
    expect(entry(story, ROOT)).toMatchObject({
      phase: "idle",
      preparing: { start: "prompt", since },
    });
    story.put({ kind: "prepared", reservation: 1 });
    expect(entry(story, ROOT)).toMatchObject({ phase: "running", preparing: null });
  });

  it("T3 knows nothing of a spawn before its commit", () => {
    const story = new Story({ prepares: true }).prompt("go");
    story.put({ kind: "prepared", reservation: 1 }).spawn(ROOT, "a");
    expect(story.last("start.reserved").event).toMatchObject({ path: "/root/a" });
    expect(entry(story, "/root/a")).toBeUndefined();
    story.put({ kind: "prepared", reservation: 2 });
    expect(entry(story, "/root/a")).toMatchObject({ phase: "running" });
  });

  it("W1 M5 counts unread mail and shows the mark, until a boundary takes both", () => {
    const story = new Story({ capacity: 1 }).prompt("go").spawn(ROOT, "a");
    story.send(ROOT, "a").send(ROOT, "a");
    const first = story.log.find(
      ({ event }) => event.type === "mail.queued" && event.mail === "MAIL",
    );
    expect(entry(story, "/root/a")).toMatchObject({ unread: 2, marked: first?.at });
    story.beginSample("/root/a");
    expect(entry(story, "/root/a")).toMatchObject({ unread: 0, marked: null });
  });

  it("S5 moves an unread EXECUTION from the count of its owner to that of its parent", () => {
    const story = new Story().prompt("go").sample(ROOT).spawn(ROOT, "a");
    const turn = story.turn("/root/a");
    story.put({ kind: "yield", turn, command: "make" });
    story.put({ kind: "execution.complete", turn, execution: 1, text: "ok", stopped: false });
    expect(entry(story, "/root/a")?.unread).toBe(1);
    story.finish("/root/a");
    expect(entry(story, "/root/a")?.unread).toBe(0);
    expect(entry(story, ROOT)?.unread).toBe(2);
  });

  it("W9 clears marks and reservations when a run is opened, and keeps the mail", () => {
    const story = new Story({ prepares: true });
    story.send("person", "/root", "a message");
    expect(entry(story, ROOT)?.preparing).not.toBeNull();
    story.send("person", "/root", "another");
    expect(entry(story, ROOT)?.marked).not.toBeNull();
    story.reopen();
    expect(entry(story, ROOT)).toMatchObject({ marked: null, preparing: null, unread: 2 });
  });
});
