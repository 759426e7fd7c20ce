/** The kernel world: the same steps lead to the same place, forks go their own ways, and nothing that is offered fails. */
import { fc } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import type { KernelScenario } from "../../src/fuzz/kernelScenario.js";
import { FAULTS } from "../../src/fuzz/kernelScenario.js";
import { type KernelWorld, kernelWorld } from "../../src/fuzz/kernelWorld.js";
import { check } from "../support/property.js";

/** Something of everything, and every fault. */
const BUSY: KernelScenario = {
  name: "busy",
  capacity: 2,
  prepares: true,
  finalises: true,
  turnTimeoutMs: 60_000,
  before: ["host:prompt"],
  host: [
    ["spawn:/root:a", "send:/root/a", "interrupt:/root/a"],
    ["hold:x", "notify", "unhold:x"],
    ["plan:on", "interruptTree:/root", "close", "reopen", "prompt"],
  ],
  agents: {
    "/root": [["spawn:b", "take:/root/b", "wait", "sample"], ["sample"]],
    "/root/a": [["yield", "sample", "partial", "block", "send:/root/b"], ["sample"]],
    "/root/b": [["send:/root", "record"], []],
  },
  faults: Object.fromEntries(FAULTS.map((fault) => [fault, 2])),
};

const choice = fc.array(fc.nat({ max: 99 }), { size: "max", maxLength: 120 });

/** Takes a step for each number, as long as there is one. */
function walk(world: KernelWorld, numbers: readonly number[]): readonly string[] {
  const taken: string[] = [];
  for (const n of numbers) {
    const steps = world.enabled();
    const step = steps[n % Math.max(steps.length, 1)];
    if (step === undefined) break;
    world.step(step);
    taken.push(step);
  }
  return taken;
}

describe("the kernel world", () => {
  it("breaks no rule in any schedule of a busy scenario, and comes to rest", () => {
    check(choice, (numbers) => {
      const world = kernelWorld(BUSY).open();
      walk(world, numbers);
      world.finish();
      expect(world.violations).toEqual([]);
    });
  });

  it("leads to the same place by the same steps", () => {
    check(choice, (numbers) => {
      const first = kernelWorld(BUSY).open();
      const steps = walk(first, numbers);
      const second = kernelWorld(BUSY).open();
      for (const step of steps) second.step(step);
      expect(second.enabled()).toEqual(first.enabled());
      expect(second.fingerprint()).toBe(first.fingerprint());
    });
  });

  it("lets a fork go its own way", () => {
    check(fc.tuple(choice, choice), ([before, after]) => {
      const world = kernelWorld(BUSY).open();
      walk(world, before);
      const [print, steps] = [world.fingerprint(), world.enabled()];
      const fork = world.fork();
      expect(fork.fingerprint()).toBe(print);
      walk(fork, after);
      fork.finish();
      expect(world.fingerprint()).toBe(print);
      expect(world.enabled()).toEqual(steps);
      walk(world, after);
      world.finish();
      expect(world.fingerprint()).toBe(fork.fingerprint());
    });
  });

  it("has steps without a common footprint lead to one place in either order", () => {
    check(choice, (numbers) => {
      const world = kernelWorld({ ...BUSY, queue: 8 }).open();
      walk(world, numbers);
      const [one, ...others] = world.enabled();
      const free = others.find((name) => {
        const touched = one === undefined ? [] : world.footprint(one);
        return !world.footprint(name).some((place) => touched.includes(place));
      });
      if (one === undefined || free === undefined) return;
      const [first, second] = [world.fork(), world.fork()];
      for (const step of [one, free]) first.step(step);
      for (const step of [free, one]) second.step(step);
      first.finish();
      second.finish();
      expect(first.fingerprint()).toBe(second.fingerprint());
    });
  });

  it("refuses a step that is not enabled, and says what to do", () => {
    const world = kernelWorld(BUSY).open();
    expect(() => world.step("/root/z#1:finish")).toThrow("is enabled. Ask enabled()");
    expect(() => world.step("append:land")).toThrow("No step append:land");
  });

  it("is at rest when its scripts are done", () => {
    const world = kernelWorld({ name: "one", capacity: 1, host: [["prompt"]] }).open();
    const steps: string[] = [];
    for (let step = world.enabled()[0]; step !== undefined; step = world.enabled()[0]) {
      steps.push(step);
      world.step(step);
    }
    expect(steps).toEqual([
      "host:prompt",
      "append:land",
      "/root#1:sample",
      "/root#1:sample.end",
      "/root#1:finish",
      "append:land",
    ]);
  });
});
