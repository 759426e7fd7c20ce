/** Finalisers: what the host runs before a turn may end (S3, T1). */
import { describe, expect, it } from "vitest";
import type { Finalisation, Finaliser } from "../../src/runtime/api.js";
import { withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

/** A root with a child that runs, and finalisers that only act for the child. */
async function family(finalisers: Readonly<Record<string, Finaliser>>, settleTimeoutMs = 30_000) {
  const forChild = Object.entries(finalisers).map(([name, finaliser]) => {
    const guarded: Finaliser = (turn) => (turn.path === "/root/a" ? finaliser(turn) : undefined);
    return [name, guarded] as const;
  });
  const given = { finalisers: Object.fromEntries(forChild), settleTimeoutMs };
  const world = await withRoot(given);
  await world.root.spawn({ name: "a", behavior: "worker", task: "be a" });
  await world.ports.settle();
  return { ...world, a: world.hands.of("/root/a") };
}

describe("a finaliser", () => {
  it("S3 runs before the turn may end, in the order given, and is told of the outcome", async () => {
    const seen: string[] = [];
    let end: () => void = () => undefined;
    const world = await family({
      first: (turn) => {
        seen.push(`first ${turn.path}#${turn.turn} ${turn.outcome}`);
        return new Promise<void>((resolve) => (end = resolve));
      },
      second: async () => void seen.push("second"),
    });
    world.a.done("ready");
    await world.ports.settle();
    expect(seen).toEqual(["first /root/a#1 completed"]);
    expect(world.session.list()[1]?.phase).toBe("settling");
    expect(await world.session.unread("/root")).toEqual([]);
    end();
    await world.ports.settle();
    expect(seen[1]).toBe("second");
    expect(await world.session.unread("/root")).toMatchObject([{ text: "ready" }]);
  });

  it("S3 T1 has a handle of its own, which sends and records while its try runs, and no longer", async () => {
    let kept: Finalisation | undefined;
    const world = await family({
      only: async (turn) => {
        kept = turn;
        await turn.send("/root", "cleaned up");
        await turn.record({ cleaned: true });
      },
    });
    const refused = world.a.turn;
    world.a.done("ready");
    await world.ports.settle();
    expect(await world.session.unread("/root")).toMatchObject([
      { type: "MAIL", from: "/root/a", text: "cleaned up" },
      { type: "RESULT", text: "ready" },
    ]);
    expect(await world.session.history("/root/a").read(-2)).toMatchObject([
      { kind: "sent", text: "cleaned up" },
      { kind: "recorded", data: { cleaned: true } },
    ]);
    await expect(kept?.send("/root", "late")).rejects.toMatchObject({ code: "turn-over" });
    await expect(kept?.record(1)).rejects.toMatchObject({ code: "turn-over" });
    await expect(refused.send("/root", "x")).rejects.toMatchObject({ code: "turn-over" });
    expect(kept !== undefined && ("spawn" in kept || "prompt" in kept)).toBe(false);
  });

  it("S3 that fails is tried again after growing pauses; what has succeeded is not run again", async () => {
    const seen: string[] = [];
    const world = await family({
      first: async () => void seen.push("first"),
      second: async () => {
        seen.push("second");
        if (seen.filter((one) => one === "second").length < 3) throw new Error("busy");
      },
    });
    world.a.done("ready");
    await world.ports.settle();
    expect(seen).toEqual(["first", "second"]);
    expect(await world.session.unread("/root")).toEqual([]);
    await world.ports.advance(999);
    expect(seen).toHaveLength(2);
    await world.ports.advance(1);
    expect(seen).toEqual(["first", "second", "second"]);
    await world.ports.advance(5_000);
    expect(seen).toEqual(["first", "second", "second", "second"]);
    expect(await world.session.unread("/root")).toMatchObject([
      { outcome: "completed", text: "ready" },
    ]);
    expect(world.ports.pending).toBe(0);
  });

  it("S3 W3 between two tries others start, and quiet is not reached", async () => {
    const world = await family({
      only: async () => {
        throw new Error("busy");
      },
    });
    world.a.done("ready");
    await world.ports.settle();
    let quiet = false;
    void world.session.whenQuiet().then(() => (quiet = true));
    await world.root.spawn({ name: "b", behavior: "worker", task: "be b" });
    await world.ports.settle();
    expect(world.hands.called).toContain("/root/b#1");
    expect(quiet).toBe(false);
    await world.ports.advance(6_000);
    expect(quiet).toBe(true);
  });

  it("S3 that fails three times makes the turn errored, and its response stays readable", async () => {
    const world = await family({
      only: async () => {
        throw new Error("the lock is stuck");
      },
    });
    world.a.done("the precious answer");
    await world.ports.settle();
    await world.ports.advance(6_000);
    const outcome = await world.session.result("/root/a");
    expect(outcome).toMatchObject({ kind: "errored", reason: "the lock is stuck" });
    expect(outcome?.text).toContain("the precious answer");
    const [record] = await world.session.unread("/root");
    expect(record).toMatchObject({ type: "RESULT", outcome: "errored" });
    expect(record?.text).toContain("the lock is stuck");
    expect(record?.text).toContain("the precious answer");
    const again = await world.crash();
    expect(await again.session.result("/root/a")).toEqual(outcome);
    expect(await again.session.unread("/root")).toEqual([record]);
  });

  it("S3 that passes its deadline has failed, its signal aborts, and it is called again", async () => {
    const calls: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
    const only: Finaliser = ({ signal }) =>
      new Promise<void>((end) => void calls.push({ signal, end }));
    const world = await family({ only }, 2_000);
    world.a.done("ready");
    await world.ports.settle();
    await world.ports.advance(2_000);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(world.session.list()[1]?.phase).toBe("settling");
    await world.ports.advance(1_000);
    expect(calls).toHaveLength(2);
    calls[1]?.end();
    await world.ports.settle();
    expect(await world.session.unread("/root")).toMatchObject([{ outcome: "completed" }]);
    expect(world.ports.pending).toBe(0);
  });

  it("S3 that succeeds after its time ends no try that is over, and is not run again", async () => {
    const calls: (() => void)[] = [];
    const world = await family({ only: () => new Promise((end) => void calls.push(end)) }, 2_000);
    world.a.done("ready");
    await world.ports.settle();
    await world.ports.advance(2_000);
    calls[0]?.();
    await world.ports.settle();
    expect(world.session.list()[1]?.phase).toBe("settling");
    await world.ports.advance(1_000);
    expect(calls).toHaveLength(1);
    expect(await world.session.unread("/root")).toMatchObject([{ outcome: "completed" }]);
  });

  it("R2 is not run by recovery, which keeps the outcome that had been fixed", async () => {
    let calls = 0;
    const world = await family({
      only: () => {
        calls++;
        return new Promise<void>(() => undefined);
      },
    });
    world.a.done("ready");
    await world.ports.settle();
    const again = await world.crash();
    await again.ports.settle();
    expect(calls).toBe(1);
    expect(await again.session.result("/root/a")).toMatchObject({
      kind: "completed",
      text: "ready",
    });
    await world.session.interrupt("/root").catch(() => undefined);
  });

  it("S3 L8 that never ends is left to recovery when the session closes", async () => {
    const world = await family({ only: () => new Promise<void>(() => undefined) });
    world.a.done("ready");
    await world.ports.settle();
    const closing = world.session.close();
    await world.ports.settle();
    await world.ports.advance(30_000);
    await closing;
    expect(world.ports.pending).toBe(0);
  });
});
