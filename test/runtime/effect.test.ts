/** Calls of a behaviour's own (T1). */
import { expect, it } from "vitest";
import { withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

it("T1 effect makes the call and answers as it does, and writes nothing", async () => {
  const world = await withRoot();
  const before = (await world.events()).length;
  expect(await world.root.effect("double", async () => 4)).toBe(4);
  await expect(
    world.root.effect("fail", () => {
      throw new Error("offline");
    }),
  ).rejects.toThrow("offline");
  expect((await world.events()).length).toBe(before);
});

it("T1 effect of a turn that is over is refused, and its call is not made", async () => {
  const world = await withRoot();
  world.hands.of("/root").done("done");
  await world.ports.settle();
  let called = false;
  const late = world.root.effect("late", () => (called = true));
  await expect(late).rejects.toMatchObject({ code: "turn-over" });
  expect(called).toBe(false);
});
