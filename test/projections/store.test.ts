/** The store: projections that can be read and subscribed to (Q1). */
import { describe, expect, it } from "vitest";
import { ROOT } from "../../src/paths.js";
import { listAgents, roster } from "../../src/projections/roster.js";
import { ProjectionRunner } from "../../src/projections/runner.js";
import { ProjectionStore } from "../../src/projections/store.js";
import { unread, unreadOf } from "../../src/projections/unread.js";
import { Story } from "../support/story.js";

function opened() {
  const story = new Story();
  const errors: unknown[] = [];
  const store = new ProjectionStore(new ProjectionRunner({ roster, unread }), {
    onListenerError: (error) => errors.push(error),
  });
  store.confirm(story.log);
  const step = (act: (story: Story) => void): void => {
    const before = story.log.length;
    act(story);
    store.confirm(story.log.slice(before));
  };
  return { story, store, errors, step };
}

const root = { path: ROOT, gen: 1 } as const;

describe("the projection store", () => {
  it("reads the live state at any time, with listeners or without", () => {
    const { store, step } = opened();
    expect(store.view("roster").get().get(ROOT)?.phase).toBe("idle");
    step((story) => story.prompt("go"));
    expect(store.view("roster").get().get(ROOT)?.phase).toBe("running");
  });

  it("Q1 tells its listeners once for each shown batch, however many events it has", () => {
    const { store, step } = opened();
    const told: number[] = [];
    store.view("roster").subscribe((state) => told.push(listAgents(state).length));
    step((story) => story.prompt("go").spawn(ROOT, "a").spawn(ROOT, "b"));
    expect(told).toEqual([3]);
  });

  it("tells nobody of a projection that did not change", () => {
    const { store, step } = opened();
    let told = 0;
    store.view("unread").subscribe(() => told++);
    step((story) => story.prompt("go"));
    const afterPrompt = told;
    step((story) => story.sample(ROOT).wait(ROOT));
    expect(told).toBe(afterPrompt);
  });

  it("tells of a selected part only when that part becomes another", () => {
    const { store, step } = opened();
    const counts: number[] = [];
    const count = store.view("unread").select((mail) => unreadOf(mail, root).length);
    count.subscribe((value) => counts.push(value));
    const paths: (readonly string[])[] = [];
    store
      .view("roster")
      .select(
        (state) => listAgents(state).map(({ path }) => path),
        (a, b) => a.join() === b.join(),
      )
      .subscribe((value) => paths.push(value));
    step((story) => story.prompt("go").sample(ROOT).prompt("more"));
    step((story) => story.spawn(ROOT, "a"));
    step((story) => story.prompt("and more"));
    expect(counts).toEqual([1, 2]);
    expect(count.get()).toBe(2);
    expect(paths).toEqual([["/root", "/root/a"]]);
  });

  it("L6 tells of what was taken back, and keeps what the log has apart", () => {
    const { story, store } = opened();
    const before = story.log.length;
    store.show(story.prompt("go").log.slice(before));
    const phases: (string | undefined)[] = [];
    const phase = store.view("roster").select((state) => state.get(ROOT)?.phase);
    phase.subscribe((value) => phases.push(value));
    expect(phase.get()).toBe("running");
    expect(store.view("roster").confirmed().get(ROOT)?.phase).toBe("idle");
    store.fallBack();
    expect(phases).toEqual(["idle"]);
  });

  it("Q1 a listener that throws disturbs no other, and its error is reported", () => {
    const { store, errors, step } = opened();
    let told = 0;
    store.view("roster").subscribe(() => {
      throw new Error("broke");
    });
    store.view("roster").subscribe(() => told++);
    step((story) => story.prompt("go"));
    expect(told).toBe(1);
    expect(errors).toEqual([new Error("broke")]);
  });

  it("Q1 a selector that throws disturbs no other, and throws at who reads it", () => {
    const { store, errors, step } = opened();
    const bad = store.view("roster").select((state) => {
      if (state.get(ROOT)?.phase === "running") throw new Error("broke");
      return 0;
    });
    let told = 0;
    bad.subscribe(() => told++);
    store.view("roster").subscribe(() => told++);
    step((story) => story.prompt("go"));
    expect(told).toBe(1);
    expect(errors).toEqual([new Error("broke")]);
    expect(() => bad.get()).toThrow("broke");
  });

  it("Q1 a listener may unsubscribe, itself or another, from inside its call", () => {
    const { store, step } = opened();
    const told: string[] = [];
    const stop = store.view("roster").subscribe(() => {
      told.push("first");
      stop();
      stop();
    });
    store.view("roster").subscribe(() => told.push("second"));
    step((story) => story.prompt("go"));
    step((story) => story.spawn(ROOT, "a"));
    expect(told).toEqual(["first", "second", "second"]);
  });

  it("Q1 what a listener causes from inside its call is told after it, to all", () => {
    const { store, story, step } = opened();
    const seen: number[] = [];
    store.view("roster").subscribe((state) => {
      if (listAgents(state).length === 1) step(() => story.spawn(ROOT, "a"));
    });
    store.view("roster").subscribe((state) => seen.push(listAgents(state).length));
    step(() => story.prompt("go"));
    expect(seen.at(-1)).toBe(2);
    expect(store.view("roster").get().size).toBe(2);
  });
});
