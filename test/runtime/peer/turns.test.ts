/** Messages that an agent sends with a copy for the recipient's parent (A6, O1, O6). */
import { describe, expect, it } from "vitest";
import { describe as describeEvent } from "../../../src/replay/words.js";
import type { PeerInbox } from "../../../src/runtime/peer/api.js";
import { CHILD, familyWorld, PARENT, spawnIdle, textsOf } from "../../support/family.js";
import type { World, WorldOptions } from "../../support/world.js";

/** The family, and `/root/x` at work. */
async function withSender(options: WorldOptions = {}): Promise<World> {
  const world = await familyWorld(options);
  await spawnIdle(world, "x", "/root");
  await world.session.start("/root/x", "write to them");
  await world.ports.settle();
  return world;
}

async function sentBy(world: World, path: string): Promise<readonly unknown[]> {
  const entries = await world.session.history(path).read();
  return entries.flatMap(({ kind, to, text }) => (kind === "sent" ? [[to, text]] : []));
}

describe("an agent's message with a copy", () => {
  it("A6 O6 has the agent as sender, and its transcript names those that it reached", async () => {
    const world = await withSender();
    const { turn } = world.hands.of("/root/x");
    const result = await turn.sendPeerMessage(CHILD.path, "hello");
    expect(result.sentTo).toEqual([CHILD, PARENT]);
    expect(await world.session.unread(CHILD.path)).toEqual([
      { type: "MAIL", from: "/root/x", text: "hello" },
    ]);
    expect(await sentBy(world, "/root/x")).toEqual([
      [CHILD.path, "hello"],
      [PARENT.path, "hello"],
    ]);
  });

  it("O6 names only actual recipients, whatever inbox they have", async () => {
    const inbox: PeerInbox = {
      append: ({ copyOf }) =>
        copyOf === undefined ? { kind: "appended" } : { kind: "refused", reason: "full" },
      lookup: () => ({ kind: "missing" }),
    };
    const world = await withSender({ peer: { inbox } });
    const { turn } = world.hands.of("/root/x");
    const result = await turn.sendPeerMessage(CHILD.path, "hello");
    expect(result).toMatchObject({ ok: false, sentTo: [CHILD] });
    expect(await sentBy(world, "/root/x")).toEqual([[CHILD.path, "hello"]]);
  });

  it("O6 of the host's own send no transcript tells, and no agent is invented", async () => {
    const world = await withSender();
    await world.session.sendPeerMessage(CHILD.path, "hello");
    for (const { path } of world.session.list()) expect(await sentBy(world, path)).toEqual([]);
    expect((await world.session.unread(CHILD.path))[0]?.from).toBe("person");
  });

  it("O3 to its own child is not copied to itself", async () => {
    const world = await withSender();
    await world.session.start(PARENT.path, "write to it");
    await world.ports.settle();
    const { turn } = world.hands.of(PARENT.path);
    const result = await turn.sendPeerMessage("c", "hello");
    expect(result).toMatchObject({
      ok: true,
      sentTo: [CHILD],
      parent: { outcome: "skipped", code: "parent-is-sender" },
    });
    expect(await textsOf(world, PARENT.path)).toEqual([]);
  });

  it("O5 under the operation id of another sender is refused", async () => {
    const world = await withSender();
    await world.session.sendPeerMessage(CHILD.path, "hello", { operationId: "op" });
    const { turn } = world.hands.of("/root/x");
    const again = turn.sendPeerMessage(CHILD.path, "hello", { operationId: "op" });
    await expect(again).rejects.toMatchObject({ code: "operation-reused" });
    await expect(again).rejects.toThrow("not the same sender.");
  });

  it("T1 of a turn that is over is refused, a repeat too", async () => {
    const world = await withSender();
    const hand = world.hands.of("/root/x");
    const { turn } = hand;
    await turn.sendPeerMessage(CHILD.path, "hello", { operationId: "op" });
    hand.done();
    await world.ports.settle();
    for (const operationId of ["op", "other"]) {
      const late = turn.sendPeerMessage(CHILD.path, "hello", { operationId });
      await expect(late).rejects.toMatchObject({ code: "turn-over", rule: "T1" });
    }
    expect(await textsOf(world, CHILD.path)).toEqual(["hello"]);
  });

  it("O3 O5 is told of in words, step by step", async () => {
    const world = await withSender();
    const { turn } = world.hands.of("/root/x");
    await turn.sendPeerMessage(CHILD.path, "hello", { operationId: "op" });
    const told = (await world.events()).flatMap((event) =>
      event.type.startsWith("operation.") || "message" in event ? [describeEvent(event)] : [],
    );
    expect(told).toEqual([
      "operation op: a message from /root/x to /root/p/c was planned, with a copy for /root/p (its parent is verified)",
      "operation op: sending to the child began",
      "MAIL from /root/x was accepted for /root/p/c",
      "operation op: the child was sent to",
      "operation op: sending to the parent began",
      "MAIL from /root/x was accepted for /root/p, a copy of what /root/p/c got",
      "operation op: the parent was sent to",
    ]);
  });

  it("P2 under Plan makes its reader read-only, and wakes nobody", async () => {
    const world = await withSender();
    await world.session.setPlan(true);
    await world.hands.of("/root/x").turn.sendPeerMessage(CHILD.path, "hello");
    await world.session.setPlan(false);
    await world.session.start(CHILD.path, "look");
    await world.ports.settle();
    expect(world.hands.of(CHILD.path).turn.readOnly).toBe(true);
  });
});
