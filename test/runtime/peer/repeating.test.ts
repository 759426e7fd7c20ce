/** Operation ids: the same message again is sent to nobody twice, and another one under the same id is refused (O5). */
import { describe, expect, it } from "vitest";
import type { Commit } from "../../../src/events/commit.js";
import { memoryLog } from "../../../src/log/memoryLog.js";
import type { InboxLookup, PeerInbox, PeerMessage } from "../../../src/runtime/peer/api.js";
import {
  CHILD,
  familyWorld,
  PARENT,
  sendToChild,
  spawnIdle,
  textsOf,
} from "../../support/family.js";
import { cutLog } from "../../peer/killer.js";
import { openWorld, type World } from "../../support/world.js";

const op = { operationId: "op" };

/** An inbox whose answers a test chooses; what was appended stays there. */
class Box implements PeerInbox {
  readonly kept: PeerMessage[] = [];
  looked: string[] = [];
  fails: (message: PeerMessage) => boolean = () => false;
  answer: ((message: PeerMessage | undefined) => InboxLookup) | undefined;

  append(message: PeerMessage) {
    if (this.fails(message)) throw new Error("the line is dead");
    this.kept.push(message);
    return { kind: "appended" } as const;
  }

  lookup(_: unknown, id: string): InboxLookup {
    this.looked.push(id);
    const message = this.kept.find((one) => one.id === id);
    if (this.answer !== undefined) return this.answer(message);
    return message === undefined
      ? { kind: "missing" }
      : { kind: "found", message, place: "pending" };
  }
}

describe("an operation that is repeated", () => {
  it("O5 O6 sends nothing again, writes nothing, and tells where its messages are now", async () => {
    const world = await familyWorld();
    expect(await sendToChild(world, "hello", op)).toMatchObject({
      child: { receipt: "published" },
      parent: { receipt: "published" },
    });
    const appends = world.log.appends;
    expect(await sendToChild(world, "hello", op)).toMatchObject({
      ok: true,
      sentTo: [CHILD, PARENT],
      child: { outcome: "sent", receipt: "pending" },
      parent: { outcome: "sent", receipt: "pending" },
    });
    expect(world.log.appends).toBe(appends);
    await world.session.start(CHILD.path, "look");
    await world.ports.settle();
    world.hands.sample(CHILD.path);
    await world.ports.settle();
    expect((await sendToChild(world, "hello", op)).child).toMatchObject({ receipt: "delivered" });
    await world.session.end(PARENT.path);
    expect(await sendToChild(world, "hello", op)).toMatchObject({
      child: { receipt: "delivered" },
      parent: { receipt: "expired" },
    });
  });

  it("O5 is recognised after a reopen, and by the id that the library made", async () => {
    const world = await familyWorld();
    const { operationId } = await sendToChild(world);
    const again = await world.crash();
    for (const replayOnly of [false, true]) {
      const repeated = await sendToChild(again, "hello", { operationId, replayOnly });
      expect(repeated).toMatchObject({ ok: true, child: { receipt: "pending" } });
    }
    expect(await textsOf(again, CHILD.path)).toEqual(["hello"]);
  });

  it("O5 with another body, target, sender or requireLive is refused, and says in what, and writes nothing", async () => {
    const world = await familyWorld();
    await sendToChild(world, "hello", op);
    const appends = world.log.appends;
    const refused = (what: string) => ({
      code: "operation-reused",
      rule: "O5",
      message: expect.stringContaining(`not the same ${what}.`) as string,
    });
    await expect(sendToChild(world, "hello!", op)).rejects.toMatchObject(refused("text"));
    await expect(sendToChild(world, "hello", { ...op, requireLive: true })).rejects.toMatchObject(
      refused("requireLive"),
    );
    await expect(
      world.session.sendPeerMessage(PARENT.path, "hi", { ...op, replayOnly: true }),
    ).rejects.toMatchObject(refused("target and text"));
    expect(world.log.appends).toBe(appends);
    // The target may be spelled in another way that A3 allows.
    expect((await world.session.sendPeerMessage("p/c", "hello", op)).ok).toBe(true);
  });

  it("O5 at the same time is sent once", async () => {
    const world = await familyWorld();
    const all = await Promise.all([1, 2, 3].map(() => sendToChild(world, "hello", op)));
    expect(all.map(({ child }) => child.receipt)).toEqual(["published", "pending", "pending"]);
    await expect(sendToChild(world, "other", op)).rejects.toMatchObject({
      code: "operation-reused",
    });
    expect(await textsOf(world, CHILD.path)).toEqual(["hello"]);
  });

  it("O5 reaches nobody but whom it was planned for, although the path has another generation now", async () => {
    const world = await familyWorld();
    await sendToChild(world, "hello", op);
    await world.session.end(CHILD.path);
    await spawnIdle(world, "c", PARENT.path);
    const repeated = await sendToChild(world, "hello", op);
    expect(repeated.sentTo).toEqual([CHILD, PARENT]);
    expect(repeated.child.receipt).toBe("expired");
    expect(await textsOf(world, CHILD.path)).toEqual([]);
    const fresh = await sendToChild(world, "hello", { operationId: "op2" });
    expect(fresh.sentTo).toEqual([{ ...CHILD, generation: 2 }, PARENT]);
  });

  it("O5 keeps a failure: what was refused is not tried again", async () => {
    const world = await familyWorld({ limits: { unread: 1 } });
    await world.session.sendPeerMessage(PARENT.path, "fills it");
    const first = await sendToChild(world, "hello", op);
    expect(first.parent).toMatchObject({ outcome: "failed", code: "mailbox-full" });
    await world.session.start(PARENT.path, "look");
    await world.ports.settle();
    world.hands.sample(PARENT.path);
    await world.ports.settle();
    const again = await sendToChild(world, "hello", op);
    expect(again).toMatchObject({ ok: false, child: { receipt: "pending" } });
    expect(again.parent).toEqual(first.parent);
  });

  it("O5 a refused request leaves its id free", async () => {
    const world = await openWorld();
    const send = () => world.session.sendPeerMessage("/root/x", "hello", op);
    await expect(send()).rejects.toMatchObject({ code: "target-unknown" });
    await spawnIdle(world, "x", "/root");
    expect(await send()).toMatchObject({ ok: true, child: { receipt: "published" } });
  });

  it("O5 M3 an operation id and an idempotency key of the same spelling never meet", async () => {
    const world = await familyWorld();
    await world.session.send(CHILD.path, "by key", { key: "op" });
    expect(await sendToChild(world, "hello", op)).toMatchObject({ ok: true });
    expect(await world.session.send(CHILD.path, "by key", { key: "op" })).toEqual({});
  });

  it("O5 an operation id is a well-formed text of 1 to 256 characters, and replayOnly needs one", async () => {
    const world = await familyWorld();
    for (const operationId of ["", "\ud800", "x".repeat(257), 7 as unknown as string]) {
      await expect(sendToChild(world, "x", { operationId })).rejects.toMatchObject({
        code: "bad-argument",
        rule: "O5",
      });
    }
    const flags = [{ replayOnly: true }, { requireLive: "yes" as unknown as boolean }];
    for (const options of flags) {
      await expect(sendToChild(world, "x", options)).rejects.toMatchObject({
        code: "bad-argument",
      });
    }
    for (const operationId of ["__proto__", "a/b", "\0plan", "é".repeat(256)]) {
      await sendToChild(world, "x", { operationId });
      const again = await sendToChild(world, "x", { operationId });
      expect(again.child.receipt).toBe("pending");
    }
  });
});

describe("an operation whose history the session's log has cut", () => {
  it.each(["operation.planned", "operation.resulted", "mail.queued"] as const)(
    "O5 of what %s told is unknown, and nothing is appended",
    async (type) => {
      const world = await familyWorld();
      await sendToChild(world, "hello", op);
      await world.ports.settle();
      const isCut = ({ events }: Commit): boolean =>
        events.some((event) => event.type === type && ("message" in event || "operation" in event));
      const storage = world.storage.copy();
      const again = await openWorld({ storage, log: cutLog(memoryLog(storage), isCut) });
      for (const replayOnly of [false, true]) {
        const result = await sendToChild(again, "hello", { ...op, replayOnly });
        expect([result.child.receipt, result.parent.receipt]).toEqual(["unknown", "unknown"]);
        expect(result.ok).toBe(type === "mail.queued");
      }
      await again.session.close();
      const sent = (await again.eventsOf("mail.queued")).filter(({ message }) => message);
      expect(sent).toHaveLength(2);
    },
  );
});

describe("a replay", () => {
  it("O5 of what was never planned is refused, and nothing is written or asked", async () => {
    const box = new Box();
    const world = await familyWorld({ peer: { inbox: box } });
    const appends = world.log.appends;
    await expect(sendToChild(world, "x", { ...op, replayOnly: true })).rejects.toMatchObject({
      code: "operation-unknown",
      rule: "O5",
    });
    expect(world.log.appends).toBe(appends);
    expect([box.kept, box.looked]).toEqual([[], []]);
  });
});

describe("a recipient whose sending had begun", () => {
  const dead = async (): Promise<{ world: World; box: Box }> => {
    const box = new Box();
    box.fails = () => true;
    const world = await familyWorld({ peer: { inbox: box } });
    const first = await sendToChild(world, "hello", op);
    expect(first).toMatchObject({
      ok: false,
      sentTo: [],
      child: { outcome: "unknown", receipt: "unknown", code: "not-told" },
      parent: { outcome: "unknown" },
    });
    box.fails = () => false;
    return { world, box };
  };

  it("O5 and whose message is not in the history stays unknown, for good", async () => {
    const { world, box } = await dead();
    const again = await sendToChild(world, "hello", op);
    expect(again).toMatchObject({
      ok: false,
      child: { outcome: "unknown", code: "history-missing" },
      parent: { outcome: "unknown", code: "history-missing" },
    });
    expect(box.kept).toEqual([]);
    expect(await sendToChild(world, "hello", op)).toEqual(again);
  });

  it("O5 and whose history was pruned is unknown, and nothing is appended", async () => {
    const { world, box } = await dead();
    box.answer = () => ({ kind: "pruned" });
    const again = await sendToChild(world, "hello", op);
    expect(again.child).toMatchObject({ outcome: "unknown", code: "history-pruned" });
    expect(box.kept).toEqual([]);
  });

  it("O5 and whose id has another message is refused", async () => {
    const { world, box } = await dead();
    const others: readonly Partial<PeerMessage>[] = [
      { text: "hello!" },
      { from: "/root" },
      { to: { ...CHILD, generation: 2 } },
      { copyOf: CHILD },
    ];
    expect(others).toHaveLength(4);
    for (const [index, other] of others.entries()) {
      const operationId = `op${index}`;
      box.fails = () => true;
      await sendToChild(world, "hello", { operationId });
      box.fails = () => false;
      const message = { id: "x", operationId, from: "person", to: CHILD, text: "hello" } as const;
      box.answer = () => ({ kind: "found", message: { ...message, ...other }, place: "pending" });
      const again = await sendToChild(world, "hello", { operationId });
      expect(again.child).toMatchObject({
        outcome: "failed",
        code: "message-conflict",
        rule: "O5",
      });
    }
  });

  it("O5 O6 and whose inbox can't be asked is unknown until it can", async () => {
    const { world, box } = await dead();
    box.answer = () => {
      throw new Error("still dead");
    };
    expect((await sendToChild(world, "hello", op)).child).toMatchObject({
      outcome: "unknown",
      code: "not-told",
      reason: "still dead",
    });
    const odd = [
      undefined,
      null,
      {},
      { kind: "lost" },
      { kind: "found" },
      { kind: "found", message: {} },
    ];
    for (const answer of odd) {
      box.answer = () => answer as unknown as InboxLookup;
      expect((await sendToChild(world, "hello", op)).child).toMatchObject({ code: "not-told" });
    }
    const message = {
      id: "x",
      operationId: "op",
      from: "person",
      to: CHILD,
      text: "hello",
    } as const;
    box.answer = () => ({ kind: "found", message, place: "delivered" });
    expect((await sendToChild(world, "hello", op)).child).toMatchObject({
      outcome: "sent",
      receipt: "duplicate",
      place: "delivered",
    });
  });

  it("O2 O5 is judged by history alone, also when its path was taken again meanwhile", async () => {
    const box = new Box();
    const world = await familyWorld({ peer: { inbox: box } });
    box.fails = ({ copyOf }) => copyOf === undefined;
    await sendToChild(world, "hello", op);
    const [copy] = box.kept;
    await world.session.end(CHILD.path);
    await spawnIdle(world, "c", PARENT.path);
    const message = {
      id: "x",
      operationId: "op",
      from: "person",
      to: CHILD,
      text: "hello",
    } as const;
    box.answer = (kept) => ({ kind: "found", message: kept ?? message, place: "pending" });
    expect(await sendToChild(world, "hello", op)).toMatchObject({
      ok: true,
      child: { outcome: "sent", receipt: "duplicate" },
      parent: { outcome: "sent", receipt: "pending" },
    });
    expect(box.kept).toEqual([copy]);
  });
});
