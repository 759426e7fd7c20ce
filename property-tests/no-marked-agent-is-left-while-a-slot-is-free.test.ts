/** Whenever nothing keeps it from starting, a marked idle agent has been started: no wake is lost (W2, W4, T4, M7). */
import { expect, it } from "vitest";
import { comparePoints } from "../src/events/point.js";
import { isLimited, leftAtRest, startable } from "../src/kernel/invariants/idleness.js";
import { everyProgram } from "./support/play.js";

it("W2 W7 X2 leaves no marked idle agent while a slot is free", () => {
  everyProgram({
    shown({ book, host }) {
      expect(startable(book, host.limits)).toBeNull();
    },
  });
});

it("W8 leaves no INPUT of the run unread at rest, unless its start was given up", () => {
  everyProgram({
    rest(run) {
      const { book, host } = run;
      const root = book.agents.get("/root");
      if (book.closing || root === undefined || isLimited(book, host.limits)) return;
      const placed = run.placed();
      const failed = placed.findLast(
        ({ event }) => event.type === "start.released" && event.path === "/root",
      );
      const left = book.mail.queueOf(root).filter(({ mail, fresh }) => mail === "INPUT" && fresh);
      const after = left.filter(({ at }) => comparePoints(at, failed?.at ?? [0, 0]) > 0);
      expect(after).toEqual([]);
    },
  });
});

it("W1 W4 leaves no waking mail unread at rest that came after its agent's newest start and failed no turn", () => {
  everyProgram({
    rest({ book, host, state }) {
      expect(leftAtRest(book, host.limits, state.next)).toEqual([]);
    },
  });
});
