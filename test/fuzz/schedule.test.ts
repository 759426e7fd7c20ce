/** Schedules, tokens, strategies and shrinking, on a world small enough to be seen through. */
import { describe, expect, it } from "vitest";
import { BadArgument, ScheduleMismatch } from "../../src/errors.js";
import { STRATEGIES, fuzz } from "../../src/fuzz/fuzz.js";
import { play, replay } from "../../src/fuzz/run.js";
import { decodeSchedule, encodeSchedule } from "../../src/fuzz/schedule.js";
import { toy } from "./toy.js";

const lost = toy({ tasks: 3, acts: 4, isRacy: true });

describe("a token", () => {
  it("X4 carries a schedule there and back, and starts with its version", () => {
    const deviations = [
      { at: 0, step: "/root/b#1:read" },
      { at: 7, step: "crash" },
      { at: 8, step: "/root/b#1:read" },
    ];
    const schedule = { world: "pair", mark: "k1", deviations, steps: 12, sum: 77 };
    const token = encodeSchedule(schedule);
    expect(token).toMatch(/^dv1\.[\w-]+$/);
    expect(decodeSchedule(token)).toEqual(schedule);
  });

  it.each(["", "dv2.W10", "dv1.", "dv1.W10", "dv1.!", "dv1.WyJhIiwiYiIsMSwyLDNd"])(
    "X4 that is none is refused: %s",
    (text) => {
      expect(() => decodeSchedule(text)).toThrow(BadArgument);
    },
  );

  it("X4 of another world is refused", async () => {
    const { schedule } = await play(lost, ({ enabled }) => enabled[0] ?? null);
    await expect(replay(lost, { ...schedule, world: "other" })).rejects.toThrow(/is of "other"/);
    await expect(replay(lost, { ...schedule, mark: "t0" })).rejects.toThrow(BadArgument);
  });
});

describe("the default schedule", () => {
  it("comes to rest without a deviation", async () => {
    const { schedule, violations } = await play(lost, ({ enabled }) => enabled[0] ?? null);
    expect(schedule.deviations).toEqual([]);
    expect(violations).toEqual([]);
  });
});

describe("each strategy", () => {
  it.each(STRATEGIES.map(({ name }) => name))("%s finds a lost update", async (name) => {
    const { failure } = await fuzz(lost, { strategies: [name], runs: 300 });
    expect(failure?.violations[0]?.rule).toBe("lost");
  });

  it.each(STRATEGIES.map(({ name }) => name))(
    "M4 %s finds nothing where nothing is",
    async (name) => {
      const kind = toy({ tasks: 3, acts: 4, isRacy: false });
      const { failure, runs } = await fuzz(kind, { strategies: [name], runs: 100 });
      expect(failure).toBeNull();
      expect(runs).toBe(100);
    },
  );

  it("X4 that nobody knows is refused", async () => {
    await expect(fuzz(lost, { strategies: ["luck"] })).rejects.toThrow(/random, pct, pos/);
  });
});

describe("a failure", () => {
  it("replays strictly from its token, and is as small as it can be", async () => {
    const { failure } = await fuzz(lost, { runs: 300 });
    const again = await fuzz(lost, { token: failure?.token ?? "" });
    expect(again.failure?.violations).toEqual(failure?.violations);
    // One act of another task between a read and its write is enough.
    expect(failure?.schedule.deviations.length).toBeLessThanOrEqual(2);
    expect(failure?.steps.length).toBeLessThanOrEqual(failure?.found.steps ?? 0);
  });

  it("with the same seed is the same failure", async () => {
    const [one, other] = [await fuzz(lost, { seed: 5 }), await fuzz(lost, { seed: 5 })];
    expect(one.failure?.token).toBe(other.failure?.token);
  });

  it("X4 whose step is gone mismatches strictly, naming it, and is passed over guided", async () => {
    const { failure } = await fuzz(lost, { runs: 300 });
    const shorter = toy({ tasks: 1, acts: 4, isRacy: true });
    const schedule = failure?.schedule ?? { world: "", mark: "", deviations: [], steps: 0, sum: 0 };
    const error = await replay(shorter, schedule).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ScheduleMismatch);
    const { at, expected, enabled } = error as ScheduleMismatch;
    expect([at, expected]).toEqual([schedule.deviations[0]?.at, schedule.deviations[0]?.step]);
    expect(enabled.length).toBe(1);
    expect((await replay(shorter, schedule, "guided")).violations).toEqual([]);
  });

  it("X4 of other steps between its deviations is found by their sum", async () => {
    const { schedule } = await play(lost, ({ enabled }) => enabled[0] ?? null);
    await expect(replay(lost, { ...schedule, sum: 1 })).rejects.toThrow(ScheduleMismatch);
    await expect(replay(lost, { ...schedule, steps: 99 })).rejects.toThrow(ScheduleMismatch);
  });
});

describe("faults", () => {
  const faulty = toy({ tasks: 2, acts: 6, isRacy: false, hasFaults: true });

  it("come in some runs, never more than the budget", async () => {
    let most = 0;
    const { failure } = await fuzz(
      toy({
        tasks: 2,
        acts: 6,
        isRacy: false,
        hasFaults: true,
        onFault: (n) => (most = Math.max(most, n)),
      }),
      {
        runs: 200,
        faults: 2,
      },
    );
    expect(failure).toBeNull();
    expect(most).toBe(2);
  });

  it("are none where none are allowed", async () => {
    const { covered } = await fuzz(faulty, { runs: 50, faults: 0 });
    expect(covered.marks).toBe(0);
  });
});

describe("coverage", () => {
  it("grows to all there is, and then says that little is unseen", async () => {
    const kind = toy({ tasks: 3, acts: 3, isRacy: false });
    const few = await fuzz(kind, { runs: 3 });
    const many = await fuzz(kind, { runs: 600 });
    expect(many.covered.states).toBeGreaterThan(few.covered.states);
    expect(many.covered.unseen).toBeLessThan(0.01);
    expect(few.covered.unseen).toBeGreaterThan(many.covered.unseen);
  });
});
