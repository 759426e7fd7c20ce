/** How a log grows: in step with what happened, for no event copies what an earlier one holds. */
import { describe, expect, it } from "vitest";
import { openWorld, type World } from "../support/world.js";

/** Bytes of everything on the log, as JSON. */
async function bytesOf(world: World): Promise<number> {
  const events = await world.events();
  return events.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
}

/** One turn of the root: it takes what came, and says the same as its sample. */
async function turn(world: World, text: string): Promise<void> {
  const outcome = world.session.prompt("go on");
  await world.ports.settle();
  const root = world.hands.of("/root");
  await root.turn.sample(() => text);
  root.done(text);
  await outcome;
}

describe("a log", () => {
  it("L9 S6 holds a long response once, though sample, settlement and RESULT all speak of it", async () => {
    const world = await openWorld();
    await world.session.spawn({ name: "a", behavior: "worker", task: "write" });
    await world.ports.settle();
    const long = "line of text\n".repeat(50_000);
    const child = world.hands.of("/root/a");
    await child.turn.sample(() => long);
    child.done(long);
    await world.ports.settle();
    expect((await world.session.result("/root/a"))?.text).toBe(long);
    const stored = JSON.stringify(long).length;
    expect(await bytesOf(world)).toBeLessThan(stored + 10_000);
  });

  it("L9 grows by the same for the fortieth turn as for the second: no event copies history", async () => {
    const world = await openWorld();
    const grown: number[] = [];
    for (let number = 1; number <= 40; number++) {
      const before = await bytesOf(world);
      await turn(world, "x".repeat(2_000));
      grown.push((await bytesOf(world)) - before);
    }
    // Numbers in it grow by a digit or two; the text of one earlier turn would be 2,000.
    expect(grown.at(-1)).toBeLessThan((grown[1] ?? 0) + 200);
  });
});
