/** A RESULT is withheld only for a turn that can still take it, and never for ever (S7, W9, R2). */
import { expect, it } from "vitest";
import { type Play, everyProgram } from "./support/play.js";
import { agentsOf, runningHandlers } from "./support/steps.js";

function withheldIsAwaited({ loop: { state } }: Play): void {
  const handled = runningHandlers(state).map(
    ({ turn, record }) => `${turn.path} ${record.join(".")}`,
  );
  const withheld = agentsOf(state).flatMap(({ path, turn, unread }) => {
    const records = unread.toArray().filter((record) => record.withheld);
    if (records.length > 0) expect(turn?.settling).toBeNull();
    return records.map(({ at }) => `${path} ${at.join(".")}`);
  });
  expect(withheld.toSorted()).toEqual(handled.toSorted());
}

it("S7 withholds a RESULT exactly while a handler of a live turn has it", () => {
  everyProgram({ shown: withheldIsAwaited, rest: withheldIsAwaited });
});

it("S7 marks and wakes nobody by a RESULT while it is withheld", () => {
  everyProgram({
    event({ event }, ledger) {
      if (event.type !== "wake.marked") return;
      expect(ledger.unread.get(event.record.join("."))?.withheld ?? false).toBe(false);
    },
    rest({ ledger }) {
      expect([...ledger.unread.values()].filter((entry) => entry.withheld)).toEqual([]);
    },
  });
});
