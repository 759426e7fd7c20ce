/** A RESULT is withheld only for a turn that can still take it, and never for ever (S7, W9, R2). */
import { expect, it } from "vitest";
import { agentsOf, runningHandlers } from "../src/fuzz/choices.js";
import type { KernelRun } from "../src/fuzz/kernelRun.js";
import { everyProgram } from "./support/play.js";

function withheldIsAwaited({ loop: { state } }: KernelRun): void {
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
    event({ event }, { book }) {
      if (event.type !== "wake.marked") return;
      expect(book.mail.at(event.record)?.withheld ?? false).toBe(false);
    },
    rest({ book }) {
      expect([...book.mail.unread.values()].filter((entry) => entry.withheld)).toEqual([]);
    },
  });
});
