/** The runner: several projections at once, live and confirmed (L1, L6, Q1). */
import { describe, expect, it } from "vitest";
import type { Placed } from "../../src/kernel/loop.js";
import { ROOT } from "../../src/paths.js";
import { type Projection, foldAll, placeCommit } from "../../src/projections/projection.js";
import { listAgents, roster } from "../../src/projections/roster.js";
import { ProjectionRunner } from "../../src/projections/runner.js";
import { transcript, transcriptOf } from "../../src/projections/transcript.js";
import { unread } from "../../src/projections/unread.js";
import { Story } from "../support/story.js";

const all = { roster, unread, transcript };
const root = { path: ROOT, gen: 1 } as const;

/** Counts events, and breaks on those of one type. */
function brittle(breaksOn: string): Projection<number> {
  return {
    name: "brittle",
    version: 1,
    initial: 0,
    apply(state, event) {
      if (event.type === breaksOn) throw new Error("broke");
      return state + 1;
    },
  };
}

function after(story: Story, act: (story: Story) => void): readonly Placed[] {
  const before = story.log.length;
  act(story);
  return story.log.slice(before);
}

describe("the projection runner", () => {
  it("Q2 gives the state of every projection by its name", () => {
    const story = new Story().prompt("go").sample(ROOT);
    const runner = new ProjectionRunner(all);
    expect(runner.names).toEqual(["roster", "unread", "transcript"]);
    runner.show(story.log);
    expect(listAgents(runner.read("roster"))).toEqual(listAgents(foldAll(roster, story.log)));
    expect(transcriptOf(runner.read("transcript"), root).length).toBe(2);
  });

  it("L1 shows at once what waits for a commit, and confirms it with the commit that carries it", () => {
    const story = new Story().prompt("go");
    const runner = new ProjectionRunner(all);
    runner.confirm(story.log);
    runner.show(after(story, () => story.wait(ROOT)));
    expect(runner.read("roster").get(ROOT)?.phase).toBe("waiting");
    expect(runner.confirmed("roster").get(ROOT)?.phase).toBe("running");
    runner.confirm();
    expect(runner.confirmed("roster")).toBe(runner.read("roster"));
  });

  it("L6 drops what was shown but never committed, and goes on from what the log has", () => {
    const story = new Story().prompt("go");
    const runner = new ProjectionRunner(all);
    runner.confirm(story.log);
    const confirmed = runner.read("transcript");
    const before = transcriptOf(confirmed, root).toArray();
    runner.show(after(new Story().prompt("go"), (lost) => lost.sample(ROOT, "lost").wait(ROOT)));
    expect(transcriptOf(runner.read("transcript"), root).length).toBe(before.length + 1);
    runner.fallBack();
    expect(runner.read("transcript")).toBe(confirmed);
    runner.confirm(after(story, () => story.sample(ROOT).spawn(ROOT, "a")));
    expect(transcriptOf(confirmed, root).toArray()).toEqual(before);
    const kinds = transcriptOf(runner.read("transcript"), root)
      .toArray()
      .map(({ kind }) => kind);
    expect(kinds).toEqual(["task", "sample", "spawned"]);
  });

  it("Q1 a projection that throws disturbs no other, and reading it says so", () => {
    const story = new Story();
    const runner = new ProjectionRunner({ roster, brittle: brittle("turn.started") });
    runner.confirm(story.log);
    expect(runner.read("brittle")).toBe(story.log.length);
    runner.show(after(story, () => story.prompt("go")));
    expect(runner.read("roster").get(ROOT)?.phase).toBe("running");
    expect(() => runner.read("brittle")).toThrow(/brittle threw/);
    expect(runner.confirmed("brittle")).toBe(3);
    runner.fallBack();
    expect(runner.read("brittle")).toBe(3);
  });

  it("refuses a projection that stands under another name than its own", () => {
    expect(() => new ProjectionRunner({ list: roster })).toThrow(/roster is given as list/);
  });

  it("L2 gives the events of a commit their order points", () => {
    const { event } = new Story().last("session.opened");
    expect(placeCommit({ n: 4, events: [event, event] }).map(({ at }) => at)).toEqual([
      [4, 0],
      [4, 1],
    ]);
  });
});
