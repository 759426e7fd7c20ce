/** A wait ends once, for one reason, and leaves nothing behind (V1, V2, V4, V5). */
import { expect, it } from "vitest";
import type { AttemptRef } from "../src/events/events.js";
import { everyProgram } from "./support/play.js";

const keyOf = ({ path, gen, turn, attempt }: AttemptRef): string =>
  `${path}#${gen}.${turn}.${attempt}`;

it("V1 V4 V5 ends every wait exactly once before its turn does anything else", () => {
  everyProgram({
    rest(run) {
      const open = new Map<string, string>();
      for (const { event } of run.placed()) {
        if (event.type === "wait.began") {
          expect(open.has(event.path)).toBe(false);
          open.set(event.path, keyOf(event));
        }
        if (event.type === "wait.ended") {
          expect(open.get(event.path)).toBe(keyOf(event));
          open.delete(event.path);
        }
        if (event.type === "sample.began" || event.type === "settlement.began") {
          expect(open.has(event.path)).toBe(false);
        }
      }
      expect([...open]).toEqual([]);
    },
  });
});

it("V1 V2 S7 ends a wait by mail only where there is some that no handler has, and counts all of it", () => {
  everyProgram({
    event({ event }, { book }) {
      if (event.type !== "wait.ended") return;
      const queue = book.mail.queueOf(event).filter((entry) => !entry.withheld);
      const counted = event.unread.reduce((sum, { count }) => sum + count, 0);
      expect(counted).toBe(queue.length);
      if (event.why === "mail" || event.why === "input") expect(queue).not.toEqual([]);
      if (event.why === "timeout") expect(queue).toEqual([]);
    },
  });
});
