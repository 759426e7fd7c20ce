/** A process may die after any commit: the next opening settles what was live, starts nothing, and leaves nothing to a second (R1, R2, R4, W9). */
import { expect, it } from "vitest";
import type { DovecoteEvent } from "../src/events/events.js";
import { decide } from "../src/kernel/decide.js";
import { type State, emptyState } from "../src/kernel/state.js";
import { commands } from "../src/testing/commands.js";
import { foldAll } from "../src/testing/scenario.js";
import { liveTurns } from "../src/fuzz/choices.js";
import type { KernelRun } from "../src/fuzz/kernelRun.js";
import { everyProgram } from "./support/play.js";
import { plainDurable } from "./support/plain.js";

const STARTS: ReadonlySet<DovecoteEvent["type"]> = new Set([
  "agent.spawned",
  "start.reserved",
  "turn.started",
  "sample.began",
  "wait.began",
  "wake.marked",
  "mail.delivered",
] as const);

function reopen(before: State) {
  const { outcome, events, effects, state } = decide(before, commands.open());
  expect(outcome.ok).toBe(true);
  expect(events[0]).toMatchObject({ type: "session.opened", run: before.durable.run + 1 });
  expect(events.filter((event) => STARTS.has(event.type))).toEqual([]);
  expect(effects.filter((effect) => effect.kind !== "timer.disarm")).toEqual([]);
  return { events, state };
}

function everyPrefixReopens({ commits, host }: KernelRun): void {
  let before = emptyState(host);
  for (const commit of commits) {
    before = foldAll(before, [commit]);
    const live = liveTurns(before).length;
    const { events, state } = reopen(before);
    expect(events.filter((event) => event.type === "turn.settled")).toHaveLength(live);
    expect(liveTurns(state)).toEqual([]);
    expect(state.durable).toMatchObject({
      active: 0,
      trying: null,
      capacity: before.durable.capacity,
    });
    if (live === 0) expect(events).toHaveLength(1);
    const again = reopen(foldAll(before, [events]));
    expect(again.events).toHaveLength(1);
    const run = before.durable.run;
    expect(plainDurable({ ...again.state.durable, run })).toEqual(
      plainDurable({ ...state.durable, run }),
    );
  }
}

it("R1 R2 W9 recovers at every commit, once, and starts nothing", () => {
  everyProgram({ rest: everyPrefixReopens });
});
