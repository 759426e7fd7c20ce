/** Who is read-only, and what is stamped, is as a plain reading of the events says (P1, P2, B52, W9). */
import { expect, it } from "vitest";
import { liveTurns } from "../src/fuzz/choices.js";
import { isReadOnly } from "../src/kernel/guards.js";
import { everyProgram } from "./support/play.js";

it("P1 P2 W9 makes exactly those live turns read-only that the switch, a stamped record or a stamped task binds", () => {
  everyProgram({
    shown({ loop: { state }, book }) {
      for (const { path } of liveTurns(state)) {
        expect([path, isReadOnly(state, path)]).toEqual([path, book.plan.isReadOnly(path)]);
      }
    },
  });
});

it("P2 stamps MAIL and tasks of read-only turns and of Plan, and nothing else", () => {
  everyProgram({
    event({ event }, { book: { plan } }) {
      if (event.type === "mail.queued") {
        const isStamped = event.mail === "MAIL" && plan.stamps(event.by);
        expect(event.stamped === true).toBe(isStamped);
      }
      if (event.type === "start.reserved") {
        const isTask = event.start === "spawn" || event.start === "assignment";
        expect(event.stamped === true).toBe(isTask && plan.stamps(event.by));
      }
    },
  });
});
