/** Presets: three ways of working as data that stays with the session (section 12). */
import { describe, expect, it } from "vitest";

import { openSession, presets } from "../../src/index.js";
import { policiesOf } from "../../src/kernel/presets.js";
import { memoryLog, MemoryStorage } from "../../src/log/memoryLog.js";
import { openWorld } from "../support/world.js";

/** All objects in a value, itself included. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe("presets", () => {
  it("X4: are three, public by name, and frozen to the bottom", () => {
    expect(Object.keys(presets)).toEqual(["tree", "jobs", "peer"]);
    const found = objectsIn(presets);
    expect(found.length).toBe(1 + 2 * 3);
    expect(found.every((one) => Object.isFrozen(one))).toBe(true);
    for (const name of ["tree", "jobs", "peer"] as const) expect(presets[name].name).toBe(name);
  });

  it("J3, O4: differ in what may be sent", () => {
    expect(policiesOf("tree").admission.bytes).toBeNull();
    expect(policiesOf("jobs").admission).toMatchObject({ bytes: 4_096, waiting: 8 });
    expect(policiesOf("peer").admission.bytes).toBe(4_000);
  });

  it("R1: stay with the session, and a session without one on its log is a tree", async () => {
    for (const preset of ["tree", "jobs", "peer"] as const) {
      const world = await openWorld({ preset });
      await world.ports.settle();
      expect(world.session.preset).toBe(preset);
      const [created] = await world.eventsOf("session.created");
      expect(created?.preset).toBe(preset === "tree" ? undefined : preset);
      const again = await openWorld({ storage: world.storage.copy() });
      expect(again.session.preset).toBe(preset);
      await world.session.close();
      await again.session.close();
    }
  });

  it("X4: are refused by an unknown name, and for a session that keeps another", async () => {
    const storage = new MemoryStorage();
    const behaviors = { root: () => "done" };
    const log = memoryLog(storage);
    await expect(
      openSession({ log, behaviors, preset: "constructor" as "tree" }),
    ).rejects.toMatchObject({ code: "bad-argument" });
    const session = await openSession({ log, behaviors, preset: "jobs" });
    await session.close();
    await expect(openSession({ log, behaviors, preset: "tree" })).rejects.toThrow(
      "made with the preset `jobs`",
    );
  });

  it("W1, O6: in `peer` mail wakes nobody, and is read at the next boundary", async () => {
    const world = await openWorld({ preset: "peer" });
    await world.session.spawn({ name: "a", behavior: "worker", task: "go" });
    await world.ports.settle();
    world.hands.of("/root/a").done();
    await world.ports.settle();
    await world.session.send("/root/a", "hello");
    await world.ports.settle();
    expect(world.hands.called.filter((key) => key.startsWith("/root/a"))).toEqual(["/root/a#1"]);
    expect(await world.session.unread("/root/a")).toMatchObject([{ text: "hello" }]);
    await world.session.close();
  });
});
