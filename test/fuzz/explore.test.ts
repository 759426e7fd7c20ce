/** The exhaustive search: its verdicts on small scopes, with their sizes pinned, and that it finds what is there to find. */
import { describe, expect, it } from "vitest";
import { explore, renderExplored } from "../../src/fuzz/explore.js";
import type { KernelScenario } from "../../src/fuzz/kernelScenario.js";
import { SMALL_SCOPES } from "../../src/fuzz/scopes.js";

/** A size that changes says that the kernel's behaviour, the steps or a reduction has changed: look which. */
const SIZES: Readonly<Record<string, number>> = {
  "2 agents that write to each other, 1 crash": 416,
  "an interrupt and a failed settlement": 641,
  "a hold over a prepared root": 490,
  "a spawn whose spawner ends": 208,
  "a handler, a throw and a late completion": 375,
  "a tree ended while it works": 1858,
};

describe("explore", () => {
  it.each(SMALL_SCOPES.map((scope) => [scope.name, scope] as const))(
    "W2 W3 W4 S1 R2 T3 W7 A5 S7 holds in every schedule of %s",
    (name, scope) => {
      const explored = explore(scope);
      expect(renderExplored(explored)).toContain(`${name}: holds.`);
      expect([name, explored.states]).toEqual([name, SIZES[name]]);
    },
  );

  it("says the same of agents that may change places as of agents that may not", () => {
    const [pair] = SMALL_SCOPES as readonly [KernelScenario];
    const all = explore(pair, { symmetry: false });
    expect(all).toMatchObject({ verdict: "holds", states: 808 });
  });

  it("stops at its bound, and says that it has not seen everything", () => {
    const [pair] = SMALL_SCOPES as readonly [KernelScenario];
    expect(explore(pair, { states: 50 }).verdict).toBe("open");
  });

  it("takes a session that nobody acts in for one at rest", () => {
    const scope: KernelScenario = { name: "nobody", capacity: 1, host: [["prompt"], ["reopen"]] };
    expect(explore(scope)).toMatchObject({ verdict: "holds", rests: 1 });
  });
});
