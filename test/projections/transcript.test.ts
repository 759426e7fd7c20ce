/** Transcripts by example: what stands in them, in which order, and where the texts are (M5, M6, W8). */
import { describe, expect, it } from "vitest";
import type { Point } from "../../src/events/point.js";
import { type AgentPath, ROOT } from "../../src/paths.js";
import { foldAll } from "../../src/projections/projection.js";
import { transcript, transcriptOf } from "../../src/projections/transcript.js";
import type { TranscriptEntry } from "../../src/projections/transcriptEntries.js";
import { Story } from "../support/story.js";

function entries(story: Story, path: AgentPath): readonly TranscriptEntry[] {
  return transcriptOf(foldAll(transcript, story.log), { path, gen: 1 }).toArray();
}

function kinds(story: Story, path: AgentPath): readonly string[] {
  return entries(story, path).map(({ kind }) => kind);
}

/** The text that an event holds, as a reader of the log finds it. */
function textAt(story: Story, at: Point | undefined): unknown {
  const found = story.log.find((one) => one.at[0] === at?.[0] && one.at[1] === at[1])?.event;
  switch (found?.type) {
    case "mail.queued":
      return found.text;
    case "turn.started":
    case "start.reserved":
      return found.task !== undefined && "text" in found.task ? found.task.text : undefined;
    case "sample.ended":
      return found.result;
    case "settlement.began":
      return found.outcome.reason ?? found.outcome.response;
    default:
      return undefined;
  }
}

describe("a transcript", () => {
  it("W8 lists the INPUT that a turn took as its task once, as that task", () => {
    const story = new Story().prompt("look at this").sample(ROOT, "seen");
    expect(kinds(story, ROOT)).toEqual(["task", "sample"]);
    const [task] = entries(story, ROOT);
    expect(task).toMatchObject({ start: "prompt", from: "person" });
    expect(task?.kind === "task" && textAt(story, task.textAt)).toBe("look at this");
    expect(task?.kind === "task" && task.record).toEqual(task?.kind === "task" && task.textAt);
  });

  it("W8 lists INPUT that came to an active root where a boundary gave it", () => {
    const story = new Story().prompt("one").sample(ROOT).prompt("two").sample(ROOT);
    expect(kinds(story, ROOT)).toEqual(["task", "sample", "mail", "sample"]);
    expect(entries(story, ROOT)[2]).toMatchObject({ mail: "INPUT", from: "person", attempt: 2 });
  });

  it("M6 puts the task first, then mail, then the sample that took it", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a", "the task");
    story.send(ROOT, "a", "one").send("person", "a", "two").sample("/root/a");
    const [task, one, two, sample] = entries(story, "/root/a");
    expect(task).toMatchObject({ kind: "task", from: ROOT, record: null });
    expect(task?.kind === "task" && textAt(story, task.textAt)).toBe("the task");
    expect(one?.kind === "mail" && textAt(story, one.textAt)).toBe("one");
    expect(two).toMatchObject({ kind: "mail", from: "person", attempt: 1, turn: 1 });
    expect(sample).toMatchObject({ kind: "sample", attempt: 1, failed: false });
  });

  it("M6 keeps mail that comes during a sample out until the boundary after it", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").beginSample("/root/a");
    story.send(ROOT, "a").endSample("/root/a", "r");
    expect(kinds(story, "/root/a")).toEqual(["task", "sample"]);
    expect(kinds(story.sample("/root/a"), "/root/a")).toEqual(["task", "sample", "mail", "sample"]);
  });

  it("M5 gives every delivered record an entry of its own, also the RESULT with its outcome", () => {
    const story = new Story().prompt("go").sample(ROOT).spawn(ROOT, "a").spawn(ROOT, "b");
    story.finish("/root/a", "found it").fail("/root/b", "broke").sample(ROOT);
    const mail = entries(story, ROOT).filter((entry) => entry.kind === "mail");
    expect(mail).toMatchObject([
      { mail: "RESULT", from: "/root/a", outcome: "completed" },
      { mail: "RESULT", from: "/root/b", outcome: "errored" },
    ]);
    expect(textAt(story, mail[0]?.textAt)).toEqual({ text: "found it" });
    expect(textAt(story, mail[1]?.textAt)).toBe("broke");
  });

  it("M6 lists what the turn did with the library's tools, in order, with their answers", () => {
    const story = new Story().prompt("go").sample(ROOT).spawn(ROOT, "a", "its task");
    const turn = story.turn(ROOT);
    story.send(ROOT, "a", "hello").wait(ROOT).timeout(ROOT).interrupt(ROOT, "a");
    story.put({ kind: "yield", turn, command: "make" });
    story.put({ kind: "record", turn, entry: { tool: "grep" } });
    const [, , spawned, sent, waited, interrupted, yielded, recorded] = entries(story, ROOT);
    expect(spawned).toMatchObject({ kind: "spawned", child: { path: "/root/a", gen: 1 } });
    expect(spawned?.kind === "spawned" && textAt(story, spawned.textAt)).toBe("its task");
    expect(sent).toMatchObject({ kind: "sent", to: "/root/a" });
    expect(sent?.kind === "sent" && textAt(story, sent.textAt)).toBe("hello");
    expect(waited).toMatchObject({ kind: "waited", why: "timeout", unread: [] });
    expect(interrupted).toMatchObject({ target: { path: "/root/a" }, found: "active" });
    expect(yielded).toMatchObject({ kind: "yielded", execution: 1 });
    expect(recorded).toMatchObject({ kind: "recorded", turn: 1 });
  });

  it("T3 names the task of a prepared spawn where its reservation holds it", () => {
    const story = new Story({ prepares: true }).prompt("go");
    story.put({ kind: "prepared", reservation: 1 }).spawn(ROOT, "a", "its task");
    story.put({ kind: "prepared", reservation: 2 });
    const [task] = entries(story, "/root/a");
    expect(task?.kind === "task" && textAt(story, task.textAt)).toBe("its task");
    expect(entries(story, ROOT)[1]).toMatchObject({ kind: "spawned", child: { path: "/root/a" } });
  });

  it("M6 refers to the last sample when the final response equals its result", () => {
    const story = new Story().prompt("go").sample(ROOT, "the answer");
    const sample = story.last("sample.ended").at;
    const end = { kind: "completed", response: { sample: true } } as const;
    story.put({ kind: "turn.finish", turn: story.turn(ROOT), end });
    expect(entries(story, ROOT).at(-1)).toMatchObject({
      kind: "response",
      sample: true,
      textAt: sample,
      outcome: "completed",
    });
  });

  it("S1 keeps the response of its own, or the reason and the partial text of a turn cut short", () => {
    const done = new Story().prompt("go").finish(ROOT, "bye");
    expect(entries(done, ROOT).at(-1)).toMatchObject({ kind: "response", sample: false });
    const cut = new Story().prompt("go").beginSample(ROOT);
    cut.put({ kind: "partial", turn: cut.turn(ROOT), text: "so far" });
    const partial = [cut.last("partial.recorded").at];
    cut.interrupt(null, ROOT);
    const at = cut.last("settlement.began").at;
    expect(entries(cut, ROOT).at(-1)).toMatchObject({
      outcome: "interrupted",
      textAt: at,
      partial,
    });
  });

  it("S2 the RESULT of a turn is no message that its agent sent", () => {
    const story = new Story().prompt("go").spawn(ROOT, "a").sample("/root/a").finish("/root/a");
    expect(kinds(story, "/root/a")).toEqual(["task", "sample", "response"]);
  });

  it("S5 R4 an EXECUTION that moved to the parent is in the parent's transcript alone", () => {
    const story = new Story().prompt("go").sample(ROOT).spawn(ROOT, "a");
    const turn = story.turn("/root/a");
    story.put({ kind: "yield", turn, command: "make" });
    story.put({ kind: "execution.complete", turn, execution: 1, text: "ok", stopped: false });
    const text = story.last("mail.queued").at;
    story.finish("/root/a").sample(ROOT);
    expect(kinds(story, "/root/a")).toEqual(["task", "yielded", "response"]);
    const mail = entries(story, ROOT).filter((entry) => entry.kind === "mail");
    expect(mail).toMatchObject([
      { mail: "RESULT", from: "/root/a" },
      { mail: "EXECUTION", from: "/root/a", textAt: text, record: story.last("mail.moved").at },
    ]);
  });

  it("W1 a wake has no task of its own", () => {
    const story = new Story().send("person", "/root", "psst").sample(ROOT);
    expect(kinds(story, ROOT)).toEqual(["mail", "sample"]);
  });
});
