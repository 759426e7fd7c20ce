/** A child that ends, or whose path is taken again, while a message is on its way to it (O2, O3, O5). */
import { describe, expect, it } from "vitest";
import { CHILD, familyWorld, PARENT, sendToChild, textsOf } from "../../support/family.js";

const op = { operationId: "op" };

describe("a child that does not stay as it was planned", () => {
  const noCopy = { outcome: "failed", code: "child-not-addressable", rule: "O3" };

  it("O3 O4 O5 and ends between plan and start marker is refused as a live one, and nobody gets a copy, for good", async () => {
    const world = await familyWorld();
    const plan = world.log.holdNext();
    const options = { ...op, requireLive: true };
    const sending = sendToChild(world, "hello", options);
    await plan.arrived;
    const ended = world.session.end(CHILD.path);
    plan.release();
    await ended;
    const child = { outcome: "failed", code: "target-ended", rule: "O4" };
    expect(await sending).toMatchObject({ ok: false, sentTo: [], child, parent: noCopy });
    expect(await sendToChild(world, "hello", options)).toEqual(await sending);
    expect(await world.session.expired(CHILD.path)).toEqual([]);
    expect(await textsOf(world, PARENT.path)).toEqual([]);
  });

  it("O2 O3 O5 and is replaced between start marker and message is refused: neither generation gets it, nor the parent", async () => {
    const world = await familyWorld();
    const plan = world.log.holdNext();
    const marker = world.log.holdNext();
    const sending = sendToChild(world, "hello", op);
    plan.release();
    await marker.arrived;
    const ended = world.session.end(CHILD.path);
    const spawned = world.session.spawn({
      name: "c",
      parent: PARENT.path,
      behavior: "worker",
      task: "go",
    });
    marker.release();
    await Promise.all([ended, spawned]);
    const child = { outcome: "failed", code: "target-replaced", rule: "O2", recipient: CHILD };
    expect(await sending).toMatchObject({ ok: false, sentTo: [], child, parent: noCopy });
    expect(await sendToChild(world, "hello", op)).toEqual(await sending);
    expect((await world.eventsOf("mail.queued")).some(({ message }) => message)).toBe(false);
  });

  it("O3 and is replaced once it has the message keeps its receipt, and no new copy is made", async () => {
    const world = await familyWorld();
    const appends = [1, 2, 3, 4].map(() => world.log.holdNext());
    const sending = sendToChild(world, "hello", op);
    for (const held of appends.slice(0, 3)) held.release();
    const [, , , result] = appends;
    await result?.arrived;
    const ended = world.session.end(CHILD.path);
    const spawned = world.session.spawn({
      name: "c",
      parent: PARENT.path,
      behavior: "worker",
      task: "go",
    });
    result?.release();
    await Promise.all([ended, spawned]);
    expect(await sending).toMatchObject({
      ok: false,
      sentTo: [CHILD],
      child: { outcome: "sent", receipt: "published" },
      parent: noCopy,
    });
    expect((await sendToChild(world, "hello", op)).child).toMatchObject({
      outcome: "sent",
      receipt: "expired",
    });
  });
});
