/** Bugs that are planted in the kernel: the checkers must find each, in random programs and in the exhaustive search. */
import { fc } from "@fast-check/vitest";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Violation } from "../../src/kernel/invariants/checkers.js";
import { explore, renderExplored } from "../../src/fuzz/explore.js";
import { play, programs } from "../../src/fuzz/programs.js";
import { SMALL_SCOPES } from "../../src/fuzz/scopes.js";
import type * as root from "../../src/kernel/rules/root.js";
import type * as starts from "../../src/kernel/rules/starts.js";
import { type Stage } from "../../src/kernel/stage.js";
import { type Verdict, DONE } from "../../src/kernel/verdict.js";

const planted = vi.hoisted(() => ({ spawnsOutlive: false, holdsForget: false }));

vi.mock("../../src/kernel/rules/starts.js", async (original) => {
  const real = await original<typeof starts>();
  const releaseSpawns: typeof real.releaseSpawns = (...given) => {
    if (!planted.spawnsOutlive) real.releaseSpawns(...given);
  };
  return { ...real, releaseSpawns };
});

vi.mock("../../src/kernel/rules/root.js", async (original) => {
  const real = await original<typeof root>();
  const { release } = await import("../../src/kernel/rules/starts.js");
  const forget = (stage: Stage, name: string): Verdict<null> => {
    const at = stage.emit({ type: "hold.taken", cause: "host:hold", name });
    const preparing = stage.reservationOf("/root");
    if (preparing?.start === "wake") release(stage, preparing, "held", at);
    return DONE;
  };
  const hold: typeof real.hold = (stage, command) =>
    planted.holdsForget ? forget(stage, command.name) : real.hold(stage, command);
  return { ...real, hold };
});

afterEach(() => {
  planted.spawnsOutlive = false;
  planted.holdsForget = false;
});

function foundByPrograms(): readonly Violation[] {
  for (const program of fc.sample(programs, { seed: 20, numRuns: 300 })) {
    const { violations } = play(program);
    if (violations.length > 0) return violations;
  }
  return [];
}

function foundBySearch(name: string): string {
  const scope = SMALL_SCOPES.find((one) => one.name === name);
  return scope === undefined ? "" : renderExplored(explore(scope));
}

describe("a planted bug", () => {
  it("is not there unless it is planted", () => {
    expect(foundByPrograms()).toEqual([]);
  });

  it("T3 of spawns that outlive their spawner's turn is found", () => {
    planted.spawnsOutlive = true;
    expect(foundByPrograms().map(({ rule }) => rule)).toContain("T3");
    expect(foundBySearch("a spawn whose spawner ends")).toMatch(
      /violated[^]*T3 the spawn of \/root\/a outlives turn 1 of \/root\n[^]*\/root#1:spawn:a/,
    );
  });

  it("W7 T4 of a hold that loses the mark of the start which it cancels is found", () => {
    planted.holdsForget = true;
    expect(foundByPrograms().map(({ rule }) => rule)).toContain("W7");
    expect(foundBySearch("a hold over a prepared root")).toMatch(
      /violated[^]*W7 \/root: the mark that its start had taken is not back\n[^]*host:hold:a/,
    );
  });
});
