/** The virtual clock: what a test may rely on when it moves time by hand. */
import { describe, expect, it } from "vitest";
import { virtualPorts } from "../../src/testing/virtualPorts.js";

describe("virtual ports", () => {
  it("fire timers in the order in which they are due, and those of one moment in the order they were armed", async () => {
    const ports = virtualPorts();
    const fired: string[] = [];
    ports.after(20, () => fired.push("b"));
    ports.after(10, () => fired.push("a"));
    ports.after(20, () => fired.push("c"));
    ports.after(31, () => fired.push("too late"));
    await ports.advance(30);
    expect(fired).toEqual(["a", "b", "c"]);
    expect(ports.pending).toBe(1);
    expect(ports.elapsedMs).toBe(30);
  });

  it("let what a timer sets going come to rest before the next timer fires", async () => {
    const ports = virtualPorts();
    const seen: string[] = [];
    ports.after(1, () => {
      void Promise.resolve()
        .then(() => undefined)
        .then(() => ports.soon(() => void Promise.resolve().then(() => seen.push("soon"))));
    });
    ports.after(2, () => seen.push("second"));
    await ports.advance(2);
    expect(seen).toEqual(["soon", "second"]);
  });

  it("fire a timer that a timer arms, if it is due within the same advance", async () => {
    const ports = virtualPorts();
    const at: number[] = [];
    ports.after(10, () => ports.after(5, () => at.push(ports.elapsedMs)));
    await ports.advance(20);
    expect(at).toEqual([15]);
  });

  it("cancel timers and soons, more than once too", async () => {
    const ports = virtualPorts();
    const fired: string[] = [];
    const cancelTimer = ports.after(1, () => fired.push("timer"));
    const cancelSoon = ports.soon(() => fired.push("soon"));
    for (const cancel of [cancelTimer, cancelTimer, cancelSoon, cancelSoon]) cancel();
    expect(ports.pending).toBe(0);
    await ports.advance(5);
    expect(fired).toEqual([]);
  });

  it("run a soon only after promises have come to rest", async () => {
    const ports = virtualPorts();
    const seen: string[] = [];
    ports.soon(() => seen.push("soon"));
    let chain = Promise.resolve();
    for (let i = 0; i < 100; i++) chain = chain.then(() => void seen.push("promise"));
    await ports.settle();
    expect(seen).toHaveLength(101);
    expect(seen.at(-1)).toBe("soon");
  });

  it("V3 keep the wall clock apart from the timers", async () => {
    const ports = virtualPorts({ now: 1_000 });
    let fired = false;
    ports.after(10, () => (fired = true));
    ports.jump(1_000_000);
    await ports.settle();
    expect([fired, ports.now(), ports.elapsedMs]).toEqual([false, 1_001_000, 0]);
    ports.jump(-2_000_000);
    await ports.advance(10);
    expect([fired, ports.now(), ports.elapsedMs]).toEqual([true, -998_990, 10]);
  });

  it("count their ids", () => {
    const ports = virtualPorts({ ids: "commit" });
    expect([ports.id(), ports.id()]).toEqual(["commit-1", "commit-2"]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("refuse to move by %d", async (ms) => {
    await expect(virtualPorts().advance(ms)).rejects.toMatchObject({ code: "bad-argument" });
  });
});
