/** Schedules as an arbitrary of fast-check. */
import { fc } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { schedules } from "../../src/fuzz/fastCheck.js";
import { toy } from "./toy.js";

it("a race fails a property, and shrinks to a schedule with one deviation", async () => {
  const racy = schedules(toy({ tasks: 3, acts: 4, isRacy: true }));
  const details = await fc.check(
    fc.asyncProperty(racy, (schedule) => schedule.run()),
    { seed: 3 },
  );
  expect(details.failed).toBe(true);
  expect(details.counterexample?.[0].ran?.schedule.deviations.length).toBe(1);
});

it("a sound world passes", async () => {
  const sound = schedules(toy({ tasks: 3, acts: 4, isRacy: false }));
  await fc.assert(
    fc.asyncProperty(sound, (schedule) => schedule.run()),
    { seed: 3 },
  );
  expect(String(fc.sample(sound, { numRuns: 1, seed: 3 })[0])).toContain("has not run");
});
