/** The table of phases: what it allows is what the fold takes, and every phase can be reached and left. */
import { describe, expect, it } from "vitest";
import type { EventType } from "../../src/events/events.js";
import { PHASES, type Phase, nextPhase } from "../../src/kernel/phases.js";
import { URGENCY } from "../../src/kernel/durability.js";

const PHASE_NAMES = Object.keys(PHASES) as readonly Phase[];
const EVENTS = Object.keys(URGENCY) as readonly EventType[];

describe("the phase table", () => {
  it("T1 names idle, running, waiting and settling, and no other", () => {
    expect(PHASE_NAMES).toEqual(["idle", "running", "waiting", "settling"]);
  });

  it("T1 answers what it lists, and nothing else", () => {
    const listed = PHASE_NAMES.flatMap((phase) =>
      EVENTS.flatMap((event) => nextPhase(phase, event) ?? []).map((to) => `${phase} ${to}`),
    );
    expect(listed).toHaveLength(12);
    expect(nextPhase("running", "turn.extended")).toBe("running");
    expect(nextPhase("idle", "sample.began")).toBeUndefined();
    expect(nextPhase("waiting", "sample.began")).toBeUndefined();
    expect(nextPhase("waiting", "settlement.began")).toBeUndefined();
    expect(nextPhase("settling", "sample.began")).toBeUndefined();
    expect(nextPhase("settling", "settlement.began")).toBeUndefined();
  });

  it("T1 lets a turn start only from idle, wait only inside it, and end only through settling", () => {
    const into = (event: EventType) => PHASE_NAMES.filter((phase) => nextPhase(phase, event));
    expect(into("turn.started")).toEqual(["idle"]);
    expect(into("wait.began")).toEqual(["running"]);
    expect(into("wait.ended")).toEqual(["waiting"]);
    expect(into("settlement.began")).toEqual(["running"]);
    expect(into("turn.settled")).toEqual(["settling"]);
  });

  it("T1 leads from every phase to every other", () => {
    const next = (phase: Phase) => EVENTS.flatMap((event) => nextPhase(phase, event) ?? []);
    for (const from of PHASE_NAMES) {
      const reached = new Set<Phase>();
      const open = [from];
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        for (const to of next(at)) {
          if (reached.has(to)) continue;
          reached.add(to);
          open.push(to);
        }
      }
      expect(reached.size).toBe(4);
    }
  });
});
