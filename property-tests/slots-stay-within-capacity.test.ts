/** Slots in use never pass the capacity, except while a lowered one is worn off, and none is left at rest (W6, T2). */
import { expect, it } from "vitest";
import { usedSlots } from "../src/kernel/guards.js";
import { everyProgram } from "./support/play.js";

it("W6 never uses more slots than there are, unless capacity was lowered below what runs", () => {
  everyProgram({
    event({ event }, { book }) {
      if (event.type !== "turn.started" && event.type !== "start.reserved") return;
      if (event.path === "/root") return;
      // A start that was reserved holds its slot already.
      const held = event.type === "turn.started" && event.reservation !== undefined;
      if (!held) expect(book.used).toBeLessThan(book.capacity);
    },
    shown({ loop, book }) {
      expect(usedSlots(loop.state)).toBe(book.used);
    },
    rest({ loop, book }) {
      expect(book.used).toBe(0);
      expect(loop.state.volatile.reservations).toEqual([]);
      expect(loop.state.durable.active).toBe(0);
    },
  });
});
