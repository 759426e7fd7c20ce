/** Plan: the sticky read-only switch, and what it stamps (P1, P2). */
import { describe, expect, it } from "vitest";
import { withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

async function family() {
  const world = await withRoot();
  await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
  await world.ports.settle();
  return { ...world, a: world.hands.of("/root/a").turn };
}

describe("Plan", () => {
  it("P1 is read from the session while a turn runs, is durable, and is switched by the host", async () => {
    const world = await family();
    expect([world.session.plan, world.root.readOnly, world.a.readOnly]).toEqual([
      false,
      false,
      false,
    ]);
    await world.session.setPlan(true);
    expect([world.session.plan, world.root.readOnly, world.a.readOnly]).toEqual([true, true, true]);
    const again = await world.crash();
    expect(again.session.plan).toBe(true);
    await world.session.setPlan(false);
    expect([world.root.readOnly, world.a.readOnly]).toEqual([false, false]);
    expect(world.session.list().map(({ readOnly }) => readOnly)).toEqual([false, false]);
  });

  it("P1 B52 mail never widens what a turn may do", async () => {
    const world = await family();
    await world.session.setPlan(true);
    await world.session.send("/root/a", "you may write now");
    expect(world.a.readOnly).toBe(true);
    await world.a.sample(() => "read");
    expect(world.a.readOnly).toBe(true);
  });

  it("P2 B52 a turn that has a stamped record to read is read-only to its end, Plan off or on", async () => {
    const world = await family();
    await world.session.setPlan(true);
    await world.session.send("/root/a", "look only");
    await world.session.setPlan(false);
    expect(world.a.readOnly).toBe(true);
    await world.a.sample(() => "read");
    expect([world.a.readOnly, world.root.readOnly]).toEqual([true, false]);
    world.hands.of("/root/a").done("looked");
    await world.ports.settle();
    await world.session.start("/root/a", "write");
    await world.ports.settle();
    expect(world.hands.of("/root/a").turn.readOnly).toBe(false);
  });

  it("P2 what a read-only turn sends, and the tasks it gives, are stamped", async () => {
    const world = await family();
    await world.root.spawn({ name: "b", behavior: "worker", task: "be b" });
    await world.ports.settle();
    await world.session.setPlan(true);
    await world.session.send("/root/a", "look only");
    await world.session.setPlan(false);
    await world.a.send("/root/b", "you too");
    await world.a.spawn({ name: "c", behavior: "worker", task: "and you" });
    await world.ports.settle();
    expect(world.hands.of("/root/b").turn.readOnly).toBe(true);
    expect(world.hands.of("/root/a/c").turn.readOnly).toBe(true);
    expect(world.root.readOnly).toBe(false);
  });

  it("P2 W9 stamps belong to one run", async () => {
    const world = await family();
    await world.session.setPlan(true);
    await world.session.send("/root/a", "look only");
    await world.session.setPlan(false);
    const again = await world.crash();
    await again.session.start("/root/a", "write");
    await again.ports.settle();
    expect(again.hands.of("/root/a").turn.readOnly).toBe(false);
    expect(await again.session.unread("/root/a")).toHaveLength(1);
  });
});
