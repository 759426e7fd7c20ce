/** Whatever a session does, its timeline tells every start, wait and end, with a cause that leads out of the session. */
import { fc } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { type Program, play, programs } from "../src/fuzz/programs.js";
import type { Placed } from "../src/kernel/loop.js";
import { type TimelineEntry, buildTimeline, causeChain } from "../src/projections/timeline.js";
import { explainStart, renderTimeline } from "../src/projections/timelineText.js";
import { check } from "../test/support/property.js";

function logOf(program: Program): readonly Placed[] {
  return play(program).placed();
}

const EVENT_OF = {
  started: "turn.started",
  waited: "wait.began",
  released: "wait.ended",
  settled: "turn.settled",
} as const;

// No test of time: room for a large DOVECOTE_RUNS.
describe("the timeline", { timeout: 600_000 }, () => {
  it("S1 W2 V2 has one entry for every start, wait, end of a wait and settlement", () => {
    check(programs, (program) => {
      const log = logOf(program);
      const entries = buildTimeline(log);
      for (const [kind, type] of Object.entries(EVENT_OF)) {
        const places = log.filter(({ event }) => event.type === type).map(({ at }) => at);
        expect(entries.filter((entry) => entry.kind === kind).map(({ at }) => at)).toEqual(places);
      }
    });
  });

  it("S1 names the parent to whom each RESULT went, and only for agents that have one", () => {
    check(programs, (program) => {
      for (const entry of buildTimeline(logOf(program))) {
        if (entry.kind !== "settled") continue;
        const above = entry.path.slice(0, entry.path.lastIndexOf("/"));
        expect(entry.to).toBe(above === "" ? null : above);
        expect(entry.record === null).toBe(entry.to === null);
      }
    });
  });

  it("W2 leads every start back to the person or the host", () => {
    check(programs, (program) => {
      const entries = buildTimeline(logOf(program));
      for (const entry of entries) {
        if (entry.kind !== "started") continue;
        const first = [entry, ...causeChain(entries, entry)].at(-1);
        expect(["person", "host"]).toContain(first?.cause.by);
        expect(explainStart(entries, entry)).toMatch(/(person|host)( at \d+\.\d+)?$/);
      }
    });
  });

  it("draws every turn's end within the width it was given", () => {
    const input = fc.tuple(programs, fc.integer({ min: 24, max: 120 }));
    check(input, ([program, width]) => {
      const entries = buildTimeline(logOf(program));
      const lines = renderTimeline(entries, { width }).split("\n");
      expect(lines.filter((line) => line.length > width)).toEqual([]);
      const ends = (of: readonly TimelineEntry[]) => of.filter(({ kind }) => kind === "settled");
      // The last line explains the signs.
      const drawn = lines.slice(0, -1).filter((line) => /[✓✗⊘]/.test(line));
      expect(drawn).toHaveLength(ends(entries).length);
    });
  });
});
