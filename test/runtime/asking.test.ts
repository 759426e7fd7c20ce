/** Questions to the person: tokens that stack inside a turn, answered by the host (T1). */
import { describe, expect, it } from "vitest";
import { withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

const blockedOf = (world: Awaited<ReturnType<typeof withRoot>>) => world.session.list()[0]?.blocked;

describe("a question", () => {
  it("T1 blocks its turn until it is answered, and is an entry of the transcript", async () => {
    const world = await withRoot();
    const actor = world.session.actor("/root");
    const asked = world.root.ask("May I?");
    await world.ports.settle();
    expect(blockedOf(world)).toMatchObject({ question: "May I?", token: 1 });
    expect([actor.phase, actor.blocked]).toEqual(["running", true]);
    await world.session.answer("/root", "yes");
    expect(await asked).toBe("yes");
    expect([blockedOf(world), actor.blocked]).toEqual([undefined, false]);
    const entries = await world.session.history("/root").read(-1);
    expect(entries).toMatchObject([{ kind: "asked", text: "yes" }]);
  });

  it("T1 stacks: the newest is shown and answered first, unless its token is given", async () => {
    const world = await withRoot();
    const asked = ["one", "two", "three"].map((question) => world.root.ask(question));
    await world.ports.settle();
    expect(blockedOf(world)?.question).toBe("three");
    await world.session.answer("/root", "to two", 2);
    expect(await asked[1]).toBe("to two");
    expect(blockedOf(world)?.question).toBe("three");
    await world.session.answer("/root", "to three");
    expect(await asked[2]).toBe("to three");
    expect(blockedOf(world)?.question).toBe("one");
    expect(world.session.actor("/root").blocked).toBe(true);
    await world.session.answer("/root", "to one");
    expect(await asked[0]).toBe("to one");
  });

  it("T1 is answered once; a second answer is told that nothing waits", async () => {
    const world = await withRoot();
    const asked = world.root.ask("May I?");
    await world.ports.settle();
    const both = [world.session.answer("/root", "yes"), world.session.answer("/root", "no")];
    await Promise.allSettled(both);
    expect(await asked).toBe("yes");
    await world.session.whenQuiet();
    expect(await world.eventsOf("blocker.released")).toHaveLength(1);
    for (const token of [undefined, 1, 7]) {
      await expect(world.session.answer("/root", "again", token)).rejects.toMatchObject({
        code: "not-blocked",
        rule: "T1",
      });
    }
  });

  it("T1 S2 ends with its turn: by an interrupt, by a return, and by a close", async () => {
    const world = await withRoot();
    const first = world.root.ask("May I?");
    await world.ports.settle();
    await world.session.interrupt("/root");
    await expect(first).rejects.toMatchObject({ code: "turn-over" });
    expect(blockedOf(world)).toBeUndefined();
    world.session.prompt("again").catch(() => undefined);
    await world.ports.settle();
    const second = world.hands.of("/root").turn.ask("Now?");
    await world.ports.settle();
    world.hands.of("/root").done("without an answer");
    await expect(second).rejects.toMatchObject({ code: "turn-over" });
    await world.ports.settle();
    world.session.prompt("and again").catch(() => undefined);
    await world.ports.settle();
    const third = world.hands.of("/root").turn.ask("?");
    await world.ports.settle();
    await world.session.close();
    await expect(third).rejects.toMatchObject({ code: "session-closed" });
    expect(world.ports.pending).toBe(0);
  });

  it("T1 blocks neither mail nor samples, and takes no empty text", async () => {
    const world = await withRoot();
    const asked = world.root.ask("May I?");
    await world.session.send("/root", "hello");
    expect(await world.root.sample(({ mail }) => mail.length)).toBe(1);
    await expect(world.root.ask(" ")).rejects.toMatchObject({ code: "text-empty" });
    await world.session.answer("/root", "yes");
    expect(await asked).toBe("yes");
  });

  it("M6 T1 its answer can be read at once, before any commit carries it", async () => {
    const world = await withRoot();
    const asked = world.root.ask("May I?");
    await world.ports.settle();
    void world.session.answer("/root", "yes");
    await asked;
    const read = await world.root.sample(({ transcript }) => transcript.read(-1));
    expect(read).toMatchObject([{ kind: "asked", text: "yes" }]);
  });
});
