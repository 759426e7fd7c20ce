/** Unread mail by example (M2, M4, S2, S5). */
import { describe, expect, it } from "vitest";
import { ROOT } from "../../src/paths.js";
import { foldAll } from "../../src/projections/projection.js";
import { type UnreadRecord, unread, unreadOf } from "../../src/projections/unread.js";
import { Story } from "../support/story.js";

function waiting(story: Story, path: `/root${string}`): readonly UnreadRecord[] {
  const ref = { path: path as typeof ROOT, gen: 1 };
  return unreadOf(foldAll(unread, story.log), ref).toArray();
}

describe("unread mail", () => {
  it("M4 stands oldest first, each record where it was accepted", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a");
    story.send(ROOT, "a", "one");
    const one = story.last("mail.queued").at;
    story.send("person", "a", "two");
    const two = story.last("mail.queued").at;
    expect(waiting(story, "/root/a")).toEqual([
      {
        at: one,
        textAt: one,
        mail: "MAIL",
        from: ROOT,
        outcome: null,
        execution: null,
        withheld: false,
        warning: null,
      },
      {
        at: two,
        textAt: two,
        mail: "MAIL",
        from: "person",
        outcome: null,
        execution: null,
        withheld: false,
        warning: null,
      },
    ]);
  });

  it("S2 says of a RESULT how the turn ended and where its whole payload is", () => {
    const story = new Story().prompt("go").sample(ROOT).spawn(ROOT, "a").fail("/root/a", "broke");
    expect(waiting(story, "/root")).toEqual([
      {
        at: story.last("mail.queued").at,
        textAt: story.last("settlement.began").at,
        mail: "RESULT",
        from: "/root/a",
        outcome: "errored",
        execution: null,
        withheld: false,
        warning: null,
      },
    ]);
  });

  it("S5 keeps sender and text of a moved EXECUTION, and gives it the place of its move", () => {
    const story = new Story().prompt("go").sample(ROOT).spawn(ROOT, "a");
    const turn = story.turn("/root/a");
    story.put({ kind: "yield", turn, command: "make" });
    story.put({ kind: "execution.complete", turn, execution: 1, text: "ok", stopped: false });
    const textAt = story.last("mail.queued").at;
    story.finish("/root/a");
    const [result, execution] = waiting(story, "/root");
    expect(result?.mail).toBe("RESULT");
    expect(execution).toMatchObject({
      at: story.last("mail.moved").at,
      textAt,
      mail: "EXECUTION",
      from: "/root/a",
      execution: 1,
    });
    expect(waiting(story, "/root/a")).toEqual([]);
  });

  it("M5 is empty after a boundary", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").send(ROOT, "a").send("person", "a");
    expect(waiting(story, "/root/a")).toHaveLength(2);
    expect(waiting(story.beginSample("/root/a"), "/root/a")).toEqual([]);
  });
});
