/** The timeline: who woke whom and why, as data and as a picture. */
import { describe, expect, it } from "vitest";
import { ROOT } from "../../src/paths.js";
import { type TimelineEntry, buildTimeline, causeChain } from "../../src/projections/timeline.js";
import { explainStart, renderTimeline } from "../../src/projections/timelineText.js";
import { Story, survey } from "../support/story.js";

type Kind = TimelineEntry["kind"];

/** The entries of one kind, in order. */
function told<K extends Kind>(story: Story, kind: K): Extract<TimelineEntry, { kind: K }>[] {
  const is = (entry: TimelineEntry): entry is Extract<TimelineEntry, { kind: K }> =>
    entry.kind === kind;
  return buildTimeline(story.log).filter(is);
}

const turnOf = (path: string, turn = 1) => ({ path, gen: 1, turn });

describe("the timeline", () => {
  it("W2 says of every start what kind it is and who caused it", () => {
    const story = new Story({ capacity: 2 }).prompt("go").spawn(ROOT, "a").finish("/root/a");
    story.send(ROOT, "a", "again").finish("/root/a");
    story.put({ kind: "assign", target: "a", task: "t" });
    const input = story.log.find(({ event }) => event.type === "mail.queued")?.at;
    expect(told(story, "started")).toMatchObject([
      { path: ROOT, start: "prompt", cause: { by: "person", mail: "INPUT", record: input } },
      { path: "/root/a", start: "spawn", cause: { by: ROOT, turn: turnOf(ROOT), mail: null } },
      { path: "/root/a", turn: 2, start: "wake", cause: { by: ROOT, mail: "MAIL" } },
      { path: "/root/a", turn: 3, start: "assignment", cause: { by: "host", turn: null } },
    ]);
  });

  it("S8 names the child whose RESULT woke its parent, and its turn", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").finish(ROOT).finish("/root/a");
    expect(told(story, "started").at(-1)).toMatchObject({
      path: ROOT,
      turn: 2,
      start: "wake",
      cause: { by: "/root/a", turn: turnOf("/root/a"), mail: "RESULT" },
    });
  });

  it("T2 finds the cause of a prepared start behind its reservation", () => {
    const story = new Story({ prepares: true }).prompt("go");
    story.put({ kind: "prepared", reservation: 1 }).spawn(ROOT, "a");
    story.put({ kind: "prepared", reservation: 2 });
    expect(told(story, "started")).toMatchObject([
      { path: ROOT, cause: { by: "person", mail: "INPUT" } },
      { path: "/root/a", cause: { by: ROOT } },
    ]);
  });

  it("V1 V2 says when a turn waited, and what released it", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").wait(ROOT).send("/root/a", "/root");
    story.sample(ROOT).wait(ROOT).timeout(ROOT);
    story.wait(ROOT).interrupt(null, ROOT);
    const waits = told(story, "waited").map(({ at }) => at);
    expect(told(story, "released")).toMatchObject([
      { why: "mail", waitedSince: waits[0], cause: { by: "/root/a", mail: "MAIL" } },
      { why: "timeout", waitedSince: waits[1], cause: { by: "clock", mail: null } },
      { why: "interrupted", waitedSince: waits[2], cause: { by: "host" } },
    ]);
  });

  it("S1 says how a turn settled, who ended it, and to whom its RESULT went", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").spawn(ROOT, "b");
    story.interrupt(ROOT, "a");
    const result = story.last("mail.queued").at;
    story.fail("/root/b", "broke").finish(ROOT);
    expect(told(story, "settled")).toMatchObject([
      { path: "/root/a", outcome: "interrupted", to: ROOT, record: result, cause: { by: ROOT } },
      { path: "/root/b", outcome: "errored", to: ROOT, cause: { by: "/root/b" } },
      { path: ROOT, outcome: "completed", to: null, record: null },
    ]);
  });

  it("follows a start back to the person through every turn between", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").spawn("/root/a", "b");
    story.finish("/root/a/b").send("/root/a", "b", "more");
    const entries = buildTimeline(story.log);
    const last = told(story, "started").at(-1);
    if (last === undefined) throw new Error("no start");
    expect(causeChain(entries, last)).toMatchObject([
      { path: "/root/a", start: "spawn" },
      { path: ROOT, start: "prompt" },
    ]);
    const mail = story.log.findLast(
      ({ event }) => event.type === "mail.queued" && event.mail === "MAIL",
    );
    expect(explainStart(entries, last)).toBe(
      `wake by MAIL from /root/a at ${mail?.at.join(".")} < spawn by /root < prompt by INPUT from person at 2.0`,
    );
  });
});

describe("the picture of a timeline", () => {
  const entries = buildTimeline(survey().log);

  it("draws lanes, arrows and who woke whom", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").spawn(ROOT, "b").wait(ROOT);
    story.send("/root/a", "/root/b").finish("/root/b").sample(ROOT).finish(ROOT);
    story.send("person", "b").finish("/root/a");
    expect(`\n${renderTimeline(buildTimeline(story.log), { width: 80 })}\n`).toMatchInlineSnapshot(`
      "
       2.0  ●      person prompts root
       3.1  ├─●─●  root spawns a, b
       5.0  ○ │ │  root waits
       6.0  ┆ ├─▶  a mails b
       7.1  ◉─┼─✓  b completed; RESULT ends the wait of root
       7.6  │ │ ●  b#2 starts: MAIL from a at 6.0
      10.1  ✓ │ │  root completed
      11.0  · │ ▶  person mails b
      12.1  ●─✓ │  a completed; RESULT wakes root#2

      ● starts  ○ waits  ◉ goes on  ✓ completed
      "
    `);
  });

  it("draws a survey of a dozen agents", () => {
    expect(`\n${renderTimeline(entries, { width: 100 })}\n`).toMatchInlineSnapshot(`
      "
        2.0  ●                          person prompts root
        5.1  ├─●─●─●─────●─●─●─●─●      root spawns docs, events, kernel, log, fuzz, tools, tests, style
       13.1  ├─┼─┼─┼─────┼─┼─┼─┼─┼─●─●  root spawns bench, cli
       15.0  ○ │ │ │     │ │ │ │ │ │ │  root waits
       20.1  ┆ │ │ ├─●─● │ │ │ │ │ │ │  kernel spawns phases, offers
       22.0  ┆ │ │ ○ │ │ │ │ │ │ │ │ │  kernel waits
       23.0  ┆ ◀─┤ ┆ │ │ │ │ │ │ │ │ │  events mails docs
       24.1  ┆ │ │ ◉─✓ │ │ │ │ │ │ │ │  phases completed; RESULT ends the wait of kernel
       27.0  ┆ │ │ ○ · │ │ │ │ │ │ │ │  kernel waits
       28.1  ◉─✓ │ ┆ · │ │ │ │ │ │ │ │  docs completed; RESULT ends the wait of root
       28.6  │ ● │ ┆ · │ │ │ │ │ │ │ │  docs#2 starts: MAIL from events at 23.0
       31.0  ○ │ │ ┆ · │ │ │ │ │ │ │ │  root waits
       32.0  ┆ │ │ ◉ · │ │ │ │ │ │ │ │  kernel goes on: its time is up
       33.0  ┆ ◀─┤ │ · │ │ │ │ │ │ │ │  events mails docs
       34.1  ◉─┼─┼─┼───┼─┼─┼─┼─┼─┼─✗ │  bench errored; RESULT ends the wait of root
       37.0  ├─┼─┼─┼───▶ │ │ │ │ │ · │  root interrupts offers
       37.2  │ │ │ ◀───⊘ │ │ │ │ │ · │  offers was interrupted; RESULT to kernel
       38.1  ◀─┼─┼─✓ · · │ │ │ │ │ · │  kernel completed; RESULT to root
       38.5  │ │ │ ● · · │ │ │ │ │ · │  kernel#2 starts: RESULT from offers at 37.3
       39.1  ◀─✓ │ │ · · │ │ │ │ │ · │  docs#2 completed; RESULT to root
       39.4  │ ● │ │ · · │ │ │ │ │ · │  docs#3 starts: MAIL from events at 33.0
       40.1  ◀─┼─✓ │ · · │ │ │ │ │ · │  events completed; RESULT to root
       41.1  ◀─┼───┼─────✓ │ │ │ │ · │  log completed; RESULT to root
       42.1  ◀─┼───┼───────✓ │ │ │ · │  fuzz completed; RESULT to root
       43.1  ◀─┼───┼─────────✓ │ │ · │  tools completed; RESULT to root
       44.0  ◉ │ · │ · · · · · │ │ · │  root need not wait: mail is there
       47.0  │ │ · │ · · · · · │ ▶ · │  host interrupts style
       47.2  ◀─┼───┼───────────┼─⊘ · │  style was interrupted; RESULT to root
       48.1  ✓ │ · │ · · · · · │ · · │  root completed
       48.3  ● │ · │ · · · · · │ · · │  root#2 starts: RESULT from style at 47.3
       49.1  ◀─┼───┼───────────✓ · · │  tests completed; RESULT to root
       52.0  │ │ · │ · · · · · · · · │  run 2 opened
       52.2  ◀─┼───┼─────────────────⊘  cli was interrupted; RESULT to root
       52.5  ◀─⊘ · │ · · · · · · · · ·  docs#3 was interrupted; RESULT to root
       52.8  ◀─────⊘ · · · · · · · · ·  kernel#2 was interrupted; RESULT to root
      52.11  ⊘ · · · · · · · · · · · ·  root#2 was interrupted

      ● starts  ○ waits  ◉ goes on  ✓ completed  ✗ errored  ⊘ interrupted
      "
    `);
  });

  it.each([30, 50, 60, 72, 80, 100, 140])("keeps every line within %i characters", (width) => {
    const lines = renderTimeline(entries, { width }).split("\n");
    expect(lines.filter((line) => line.length > width)).toEqual([]);
  });

  it("gives the same picture of the same log, and none of nothing", () => {
    const again = renderTimeline(buildTimeline(survey().log), { width: 100 });
    expect(again).toBe(renderTimeline(entries, { width: 100 }));
    expect(renderTimeline([], { width: 80 })).toBe("");
  });

  it("tells agents of the same name apart by what stands above them", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").spawn(ROOT, "b");
    story.spawn("/root/a", "x").spawn("/root/b", "x");
    const picture = renderTimeline(buildTimeline(story.log), { width: 80 });
    expect(picture).toContain("a spawns a/x");
    expect(picture).toContain("b spawns b/x");
  });
});
