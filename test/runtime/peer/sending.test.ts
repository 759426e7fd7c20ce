/** Messages with a copy for the parent: what is planned, who gets what, and what the caller hears (section 11). */
import { describe, expect, it } from "vitest";
import type { PeerInbox } from "../../../src/runtime/peer/api.js";
import { copyMarker } from "../../../src/kernel/messages.js";
import {
  CHILD as child,
  familyWorld as family,
  PARENT as parent,
  sendToChild as send,
  textsOf,
} from "../../support/family.js";
import { openWorld } from "../../support/world.js";

const marker = copyMarker({ path: "/root/p/c", gen: 1 });

describe("a message with a copy", () => {
  it("O1 is planned before anything of it is sent, with or without an operation id", async () => {
    for (const options of [{}, { operationId: "op" }]) {
      const world = await family();
      const result = await send(world, "hello", options);
      expect(result.ok).toBe(true);
      const events = await world.events();
      const planned = events.findIndex(({ type }) => type === "operation.planned");
      const sent = events.findIndex((event) => "message" in event && event.message !== undefined);
      expect(planned).toBeGreaterThan(0);
      expect(planned).toBeLessThan(sent);
      expect(events[planned]).toMatchObject({
        operation: result.operationId,
        from: "person",
        text: "hello",
        child: { path: "/root/p/c", gen: 1 },
        parent: { path: "/root/p", gen: 1 },
        evidence: { answer: "verified", session: { path: "/root/p", gen: 1 } },
        messages: { child: result.child.messageId, parent: result.parent.messageId },
      });
    }
  });

  it("O3 O6 reaches the child, then its direct parent, marked as a copy", async () => {
    const world = await family();
    const result = await send(world, "hello");
    expect(result).toMatchObject({
      ok: true,
      sentTo: [child, parent],
      child: { outcome: "sent", receipt: "published", place: "pending", recipient: child },
      parent: { outcome: "sent", receipt: "published", place: "pending", recipient: parent },
    });
    expect(await textsOf(world, "/root/p/c")).toEqual(["hello"]);
    expect(await textsOf(world, "/root/p")).toEqual([`${marker}hello`]);
    expect(await textsOf(world, "/root")).toEqual([]);
    const steps = (await world.events()).filter(({ type }) => type.startsWith("operation."));
    expect(
      steps.map((step) => ("recipient" in step ? `${step.type} ${step.recipient}` : step.type)),
    ).toEqual([
      "operation.planned",
      "operation.attempted child",
      "operation.resulted child",
      "operation.attempted parent",
      "operation.resulted parent",
    ]);
  });

  it("O6 marks nobody and starts nothing, and is read at the next boundary of a turn that something else started", async () => {
    const world = await family();
    const started = world.hands.called.length;
    await send(world, "hello");
    await world.session.whenQuiet();
    expect(world.hands.called).toHaveLength(started);
    expect(world.session.list().some(({ marked }) => marked)).toBe(false);
    await world.session.start("/root/p/c", "look");
    await world.ports.settle();
    const sample = world.hands.sample("/root/p/c");
    await world.ports.settle();
    expect(sample.input.mail).toEqual([{ type: "MAIL", from: "person", text: "hello" }]);
    const again = await world.session.sendPeerMessage("/root/p", "x");
    expect(again.ok).toBe(true);
  });

  it("O1 A2 whose recipient can't be resolved asks nobody about its parent, plans nothing and copies nothing", async () => {
    let asked = 0;
    const world = await family({ peer: { reportParent: () => void asked++ } });
    const appends = world.log.appends;
    const refused = async (target: string, code: string): Promise<void> => {
      await expect(world.session.sendPeerMessage(target, "x")).rejects.toMatchObject({ code });
    };
    await refused("/root/nobody", "target-unknown");
    await refused("", "target-empty");
    await refused("a//b", "target-malformed");
    await expect(send(world, " ")).rejects.toMatchObject({ code: "text-empty", rule: "M1" });
    expect(asked).toBe(0);
    expect(world.log.appends).toBe(appends);
  });

  it("O2 the root has no parent: a stated skip that is no failure", async () => {
    const world = await family();
    const result = await world.session.sendPeerMessage("/root", "hello");
    expect(result.ok).toBe(true);
    expect(result.parent).toMatchObject({ outcome: "skipped", code: "parent-absent" });
    expect(result.sentTo).toEqual([{ path: "/root", generation: 1 }]);
  });
});

describe("a message in a session of another preset", () => {
  it("J2 is refused where agents are jobs, for a message goes to its job there", async () => {
    const world = await openWorld({ preset: "jobs" });
    const appends = world.log.appends;
    await expect(world.session.sendPeerMessage("/root", "x")).rejects.toMatchObject({
      code: "role-lacks-tool",
      rule: "J2",
    });
    expect(world.log.appends).toBe(appends);
  });

  it("O6 is sent in one of peers as in one of a tree, and wakes nobody", async () => {
    const world = await openWorld({ preset: "peer" });
    expect(await world.session.sendPeerMessage("/root", "x")).toMatchObject({ ok: true });
    await world.session.whenQuiet();
    expect(world.hands.called).toEqual([]);
  });
});

describe("the size of a message", () => {
  it("O4 is 4,000 bytes of UTF-8 at the most, and one more is refused with nothing written", async () => {
    const world = await openWorld();
    const appends = world.log.appends;
    for (const text of ["x".repeat(4_001), `${"é".repeat(2_000)}x`, `${"😀".repeat(1_000)}x`]) {
      await expect(world.session.sendPeerMessage("/root", text)).rejects.toMatchObject({
        code: "message-too-long",
        rule: "O4",
        message: expect.stringContaining("4001 bytes of at most 4000") as string,
      });
    }
    expect(world.log.appends).toBe(appends);
    for (const text of ["x".repeat(4_000), "é".repeat(2_000), "😀".repeat(1_000)]) {
      expect((await world.session.sendPeerMessage("/root", text)).ok).toBe(true);
    }
  });

  it("O4 of marker and body together is 4,000 bytes: one more refuses the copy, and the child's result stands", async () => {
    const world = await family();
    const room = 4_000 - marker.length;
    expect((await send(world, "x".repeat(room))).ok).toBe(true);
    const over = await send(world, "y".repeat(room + 1));
    expect(over).toMatchObject({
      ok: false,
      sentTo: [child],
      child: { outcome: "sent", receipt: "published" },
      parent: { outcome: "failed", code: "copy-too-long", rule: "O4" },
    });
    expect(over.parent.reason).toContain("4001 bytes");
    expect(await textsOf(world, "/root/p")).toEqual([`${marker}${"x".repeat(room)}`]);
    expect(await textsOf(world, "/root/p/c")).toHaveLength(2);
  });

  it("O4 X2 a full inbox is that recipient's failure only, whichever it is", async () => {
    const world = await family({ limits: { unread: 1 } });
    await world.session.sendPeerMessage("/root/p", "fills it");
    const full = { outcome: "failed", code: "mailbox-full", rule: "X2" };
    const first = await send(world, "one");
    expect(first).toMatchObject({ ok: false, child: { outcome: "sent" }, parent: full });
    const second = await send(world, "two");
    expect(second).toMatchObject({ ok: false, sentTo: [], child: full, parent: full });
    const other = await family({ limits: { unread: 1 } });
    await other.session.send("/root/p/c", "fills it");
    await other.ports.settle();
    const turn = other.hands.of("/root/p/c");
    turn.done();
    await other.ports.settle();
    const third = await send(other, "three");
    expect(third).toMatchObject({ ok: false, child: full, parent: { outcome: "sent" } });
  });
});

describe("an agent that has ended", () => {
  it("O4 A5 R4 gets the message in its queue, where it is expired and never delivered", async () => {
    const world = await family();
    await world.session.end("/root/p/c");
    const result = await send(world, "late");
    expect(result).toMatchObject({
      ok: true,
      child: { outcome: "sent", receipt: "published", place: "expired", recipient: child },
      parent: { outcome: "sent", receipt: "published", place: "pending", recipient: parent },
    });
    const expired = await world.session.expired("/root/p/c");
    expect(expired.map(({ text }) => text)).toEqual(["late"]);
    const again = await world.crash();
    expect((await again.session.expired("/root/p/c")).map(({ text }) => text)).toEqual(["late"]);
    await again.session.spawn({ name: "c", parent: "/root/p", behavior: "worker", task: "go" });
    await again.ports.settle();
    const sample = again.hands.sample("/root/p/c");
    await again.ports.settle();
    expect(sample.input.mail).toEqual([]);
  });

  it("O4 is refused with requireLive, before anything is planned", async () => {
    const world = await family();
    await world.session.end("/root/p/c");
    const appends = world.log.appends;
    await expect(send(world, "late", { requireLive: true })).rejects.toMatchObject({
      code: "target-ended",
      rule: "O4",
    });
    expect(world.log.appends).toBe(appends);
  });

  it("O4 is refused with requireLive, and recorded without, while its subtree is being ended", async () => {
    const world = await family();
    await world.session.start("/root/p/c", "work");
    await world.ports.settle();
    const held = world.log.holdNext();
    const ended = world.session.end("/root/p/c");
    await world.ports.settle();
    const refused = send(world, "late", { requireLive: true });
    const recorded = send(world, "late");
    held.release();
    await expect(refused).rejects.toMatchObject({ code: "target-ended", rule: "O4" });
    await ended;
    expect((await recorded).child).toMatchObject({ outcome: "sent", place: "expired" });
    expect((await world.session.expired("/root/p/c")).map(({ text }) => text)).toContain("late");
  });

  it("O4 X2 has a queue that is bounded too", async () => {
    const world = await family({ limits: { unread: 2 } });
    await world.session.end("/root/p/c");
    for (const text of ["1", "2"]) expect((await send(world, text)).child.outcome).toBe("sent");
    expect((await send(world, "3")).child).toMatchObject({
      outcome: "failed",
      code: "mailbox-full",
    });
  });
});

describe("a host's own inbox", () => {
  it("O6 takes the place of the session's log, and tells failures from what can't be told", async () => {
    const kept: string[] = [];
    const inbox: PeerInbox = {
      append: (message) => {
        if (message.copyOf !== undefined) throw new Error("the line is dead");
        kept.push(message.text);
        return { kind: "appended" };
      },
      lookup: () => ({ kind: "missing" }),
    };
    const world = await family({ peer: { inbox } });
    const result = await send(world, "hello");
    expect(kept).toEqual(["hello"]);
    expect(result).toMatchObject({
      ok: false,
      sentTo: [child],
      parent: { outcome: "unknown", receipt: "unknown", reason: "the line is dead" },
    });
    expect(await textsOf(world, "/root/p/c")).toEqual([]);
  });

  it("O3 O6 whose child fails, still gets the parent's copy", async () => {
    const texts: string[] = [];
    const inbox: PeerInbox = {
      append: ({ to, text }) => {
        if (to.path === "/root/p/c") return { kind: "refused", reason: "full" };
        texts.push(text);
        return { kind: "appended" };
      },
      lookup: () => ({ kind: "missing" }),
    };
    const world = await family({ peer: { inbox } });
    const result = await send(world, "hello");
    expect(result).toMatchObject({
      ok: false,
      sentTo: [parent],
      child: { outcome: "failed", reason: "full" },
      parent: { outcome: "sent", receipt: "published" },
    });
    expect(texts).toEqual([`${marker}hello`]);
  });

  it("O6 L3 is believed in form alone: what it says is kept short and well-formed, and the log stays readable", async () => {
    const reason = `\ud800${"x".repeat(9_000)}`;
    const answers: readonly unknown[] = [
      { kind: "refused", reason, code: reason },
      { kind: "refused", reason: 7, code: {} },
      { kind: "appended", place: "nowhere" },
      { kind: "present" },
      { kind: "sent" },
      undefined,
    ];
    const seen: unknown[] = [];
    for (const answer of answers) {
      const inbox = { append: () => answer, lookup: () => ({ kind: "missing" }) };
      const world = await family({ peer: { inbox: inbox as unknown as PeerInbox } });
      const { child } = await send(world);
      seen.push([child.outcome, child.receipt, child.place]);
      expect(child.reason?.isWellFormed() ?? true).toBe(true);
      expect(child.reason?.length ?? 0).toBeLessThan(5_000);
      expect((await world.crash()).session.list()).toHaveLength(3);
    }
    expect(seen).toEqual([
      ["failed", undefined, undefined],
      ["failed", undefined, undefined],
      ["sent", "published", "pending"],
      ["sent", "duplicate", "pending"],
      ["unknown", "unknown", undefined],
      ["unknown", "unknown", undefined],
    ]);
  });

  it("O6 that does not answer in time is left behind, its signal aborts, and no timer stays", async () => {
    const signals: AbortSignal[] = [];
    const inbox: PeerInbox = {
      append: (_, signal) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
      lookup: () => ({ kind: "missing" }),
    };
    const world = await family({ peer: { inbox, timeoutMs: 1_000 } });
    const sending = send(world, "hello");
    await world.ports.advance(999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await world.ports.advance(1);
    await world.ports.advance(1_000);
    expect(await sending).toMatchObject({
      ok: false,
      child: { outcome: "unknown" },
      parent: { outcome: "unknown" },
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(world.ports.pending).toBe(0);
  });
});

describe("messages of one sender", () => {
  it("M4 O1 are sent in the order of the calls, however long each has to wait for evidence", async () => {
    const world = await family({
      peer: {
        reportParent: ({ path }) =>
          path === "/root/p/c" ? new Promise(() => undefined) : undefined,
        timeoutMs: 500,
      },
    });
    const slow = send(world, "first");
    const fast = world.session.sendPeerMessage("/root/p", "second");
    await world.ports.advance(500);
    await Promise.all([slow, fast]);
    const plans = await world.eventsOf("operation.planned");
    expect(plans.map(({ text }) => text)).toEqual(["first", "second"]);
  });

  it("Q2 L8 are under way while a session is not quiet, and come to their end before it closes", async () => {
    const world = await family();
    const sending = send(world, "hello");
    const closed = world.session.close();
    expect(await sending).toMatchObject({ ok: true });
    await closed;
    await expect(send(world, "late")).rejects.toMatchObject({ code: "session-closed" });
  });

  it("L6 a store that fails rejects the call, and nothing is told that is not known", async () => {
    const world = await family();
    world.log.failNext("unavailable");
    await expect(send(world, "hello")).rejects.toMatchObject({ code: "session-degraded" });
    expect(world.session.isDegraded).toBe(true);
  });
});
