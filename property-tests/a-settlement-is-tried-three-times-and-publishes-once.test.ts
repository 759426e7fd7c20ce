/** Settlements: a failed try publishes nothing, the third failure is an errored outcome, any other keeps its own (S1, S3, S4). */
import { expect, it } from "vitest";
import type { TurnRef } from "../src/events/events.js";
import { everyProgram } from "./support/play.js";

const keyOf = ({ path, gen, turn }: TurnRef): string => `${path}#${gen}.${turn}`;

it("S1 S3 S4 settles each turn with the outcome that it began with, or as errored after the third failed try", () => {
  everyProgram({
    rest(run) {
      const began = new Map<string, string>();
      const failures = new Map<string, number>();
      for (const { event } of run.placed()) {
        if (event.type === "settlement.began") {
          expect(began.has(keyOf(event))).toBe(false);
          began.set(keyOf(event), event.outcome.kind);
        }
        if (event.type === "settlement.failed") {
          failures.set(keyOf(event), (failures.get(keyOf(event)) ?? 0) + 1);
        }
        if (event.type !== "turn.settled") continue;
        const failed = (failures.get(keyOf(event)) ?? 0) === 3;
        expect(event.failed !== undefined).toBe(failed);
        expect(event.outcome).toBe(failed ? "errored" : began.get(keyOf(event)));
      }
      for (const count of failures.values()) expect(count).toBeLessThanOrEqual(3);
    },
  });
});
