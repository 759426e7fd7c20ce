/** Every turn has something that started it, and every event points back at what was there before (W2, W7, W8, T6). */
import { expect, it } from "vitest";
import { formatPoint } from "../src/events/point.js";
import { everyProgram } from "./support/play.js";

it("W2 W9 starts a turn only for a mark, a task or the person's text", () => {
  everyProgram({
    event({ event }, { book }) {
      if (event.type === "start.reserved" && event.start === "wake") {
        expect([...book.marks.keys()]).toContain(event.path);
      }
      if (event.type !== "turn.started") return;
      const reserved =
        event.reservation === undefined ? undefined : book.reserved.get(event.reservation);
      if (event.reservation !== undefined) expect(reserved?.start).toBe(event.start);
      if (event.start !== "wake") expect(event.task).toBeDefined();
      else if (reserved !== undefined) expect(reserved.mark).not.toBeNull();
    },
  });
});

it("W2 takes the mark of the agent that it wakes", () => {
  everyProgram({
    rest(run) {
      for (const [index, { event }] of run.placed().entries()) {
        if (event.type !== "turn.started" || event.start !== "wake") continue;
        if (event.reservation !== undefined) continue;
        expect(run.placed()[index - 1]?.event).toMatchObject({
          type: "wake.cleared",
          path: event.path,
          why: "started",
        });
      }
    },
  });
});

it("L1 points every event at a cause that stands before it", () => {
  everyProgram({
    rest(run) {
      const before = new Set<string>();
      for (const { event, at } of run.placed()) {
        if (typeof event.cause !== "string") expect(before).toContain(formatPoint(event.cause));
        before.add(formatPoint(at));
      }
    },
  });
});
