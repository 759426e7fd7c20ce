/** The root queue: notices, holds, and the person's text that passes them by (W7, W8). */
import { describe, expect, it } from "vitest";
import { openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

describe("a notice", () => {
  it("W7 wakes an idle root, which is given it with its mail, in their order", async () => {
    const world = await openWorld();
    const release = await world.session.hold("quiet please");
    await world.session.notifyRoot("first");
    await world.session.send("/root", "second");
    await world.session.notifyRoot("third");
    await world.ports.settle();
    expect(world.hands.called).toEqual([]);
    await release();
    await world.ports.settle();
    expect(world.hands.called).toEqual(["/root#1"]);
    expect(world.hands.of("/root").turn.task).toBeUndefined();
    const mail = await world.hands.of("/root").turn.sample((input) => input.mail);
    expect(mail).toEqual([
      { type: "NOTICE", from: "host", text: "first" },
      { type: "MAIL", from: "person", text: "second" },
      { type: "NOTICE", from: "host", text: "third" },
    ]);
    expect(await world.hands.of("/root").turn.sample((input) => input.mail)).toEqual([]);
  });

  it("W7 ends no wait, and comes at the next boundary", async () => {
    const world = await withRoot();
    const waiting = world.root.wait({ timeoutMs: 20_000 });
    await world.session.notifyRoot("a build is done");
    await world.ports.settle();
    expect(world.session.list()[0]?.phase).toBe("waiting");
    await world.ports.advance(20_000);
    expect(await waiting).toEqual({ why: "timeout", unread: [] });
    expect(await world.root.sample(({ mail }) => mail)).toMatchObject([{ type: "NOTICE" }]);
  });

  it("W7 does not outlive the run", async () => {
    const world = await openWorld();
    await world.session.hold("x");
    await world.session.notifyRoot("lost");
    await world.session.send("/root", "kept");
    const again = await world.crash();
    again.session.prompt("go").catch(() => undefined);
    await again.ports.settle();
    const mail = await again.hands.of("/root").turn.sample((input) => input.mail);
    expect(mail).toMatchObject([{ text: "kept" }]);
  });

  it("W7 is not empty", async () => {
    const world = await openWorld();
    await expect(world.session.notifyRoot(" ")).rejects.toMatchObject({ code: "text-empty" });
  });
});

describe("a hold", () => {
  it("W7 is counted per name, and releasing it twice is releasing it once", async () => {
    const world = await openWorld();
    const releases = [await world.session.hold("dialogue"), await world.session.hold("dialogue")];
    const other = await world.session.hold("pause");
    await world.session.send("/root", "wake up");
    await releases[0]?.();
    await releases[0]?.();
    await other();
    await world.ports.settle();
    expect(world.hands.called).toEqual([]);
    await releases[1]?.();
    await world.ports.settle();
    expect(world.hands.called).toEqual(["/root#1"]);
  });

  it("W7 cancels a root start that is being prepared, which is not lost", async () => {
    const world = await openWorld({ prepare: () => new Promise<void>(() => undefined) });
    await world.session.notifyRoot("due");
    await world.ports.settle();
    expect(world.session.list()[0]?.preparing).toBe(true);
    const release = await world.session.hold("dialogue");
    expect(world.session.list()[0]).toMatchObject({ preparing: false, marked: true });
    await release();
    expect(world.session.list()[0]).toMatchObject({ preparing: true, marked: false });
  });

  it("W8 does not stop the person, who gets all due notices with the text", async () => {
    const world = await openWorld();
    await world.session.hold("dialogue");
    await world.session.notifyRoot("due");
    const outcome = world.session.prompt("hello");
    await world.ports.settle();
    const { turn } = world.hands.of("/root");
    expect(turn.task).toEqual({ text: "hello", from: "person" });
    expect(await turn.sample(({ mail }) => mail)).toMatchObject([{ text: "due" }]);
    world.hands.of("/root").done("hi");
    expect(await outcome).toMatchObject({ text: "hi" });
  });

  it("W7 has a name", async () => {
    const world = await openWorld();
    for (const name of ["", " ", "\ud800", 7 as unknown as string]) {
      await expect(world.session.hold(name)).rejects.toMatchObject({ code: "hold-invalid" });
    }
  });
});

describe("a prompt", () => {
  it("W8 whose preparation fails rejects, and its text stays unread", async () => {
    const prepare = async (): Promise<void> => {
      throw new Error("no container");
    };
    const world = await openWorld({ prepare });
    const refused = world.session.prompt("hello");
    await expect(refused).rejects.toMatchObject({ code: "start-failed", rule: "T2" });
    await expect(refused).rejects.toThrow("no container");
    await world.ports.settle();
    expect(await world.session.unread("/root")).toMatchObject([{ type: "INPUT", text: "hello" }]);
  });

  it("W8 takes over a start that is being prepared, which holds then leave alone", async () => {
    let ready: () => void = () => undefined;
    const world = await openWorld({ prepare: () => new Promise<void>((done) => (ready = done)) });
    await world.session.send("/root", "wake up");
    await world.ports.settle();
    const outcome = world.session.prompt("hello");
    await world.ports.settle();
    await world.session.hold("dialogue");
    ready();
    await world.ports.settle();
    expect(world.hands.called).toEqual(["/root#1"]);
    expect(world.hands.of("/root").turn.task?.text).toBe("hello");
    world.hands.of("/root").done("hi");
    expect(await outcome).toMatchObject({ text: "hi", turn: 1 });
  });
});
