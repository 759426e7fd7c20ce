/** No turn starts while a settlement of its session runs, and settlements run one at a time (W3, T7). */
import { expect, it } from "vitest";
import { everyProgram } from "./support/play.js";

it("W3 starts no turn and no other settlement while one runs", () => {
  everyProgram({
    event({ event }, { book: { trying } }) {
      if (event.type === "turn.started" || event.type === "settlement.attempted") {
        expect(trying).toBeNull();
      }
    },
  });
});

it("T1 has at most one turn of an agent at a time, and settles only what is live", () => {
  everyProgram({
    event({ event }, { book }) {
      if (event.type === "turn.started") expect(book.isLive(event.path)).toBe(false);
      if (event.type === "turn.settled") expect(book.isLive(event.path)).toBe(true);
    },
  });
});
