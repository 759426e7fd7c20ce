/** A boundary takes all unread mail of its agent, in the order of acceptance; only the INPUT that is a task goes before (M4, M5, W8). */
import { expect, it } from "vitest";
import { everyProgram } from "./support/play.js";

it("M4 M5 W8 S7 gives each recipient its mail first in, first out, and all of it", () => {
  everyProgram({
    event({ event }, { book }) {
      if (event.type !== "mail.delivered") return;
      // What a handler has is passed over, and keeps its place (S7).
      const queue = book.mail.queueOf(event).filter((entry) => !entry.withheld);
      if (event.attempt > 0) {
        expect(event.records).toEqual(queue.map((entry) => entry.at));
        return;
      }
      // An INPUT may be left behind by a start that failed; it must never be passed over by the one before it.
      const inputs = queue.filter((entry) => entry.mail === "INPUT").map((entry) => entry.at);
      expect(event.records).toHaveLength(1);
      expect(inputs).toContainEqual(event.records[0]);
    },
  });
});

it("M4 keeps the call order of each sender, whatever it sends to whom", () => {
  const serials = new Map<string, number>();
  everyProgram({
    event({ event, at }) {
      if (at[0] === 1) serials.clear();
      if (event.type !== "mail.queued" || event.mail !== "MAIL") return;
      const serial = Number(event.text?.split(" ")[1]);
      const key = `${event.from} ${event.path}`;
      expect(serial).toBeGreaterThan(serials.get(key) ?? 0);
      serials.set(key, serial);
    },
  });
});
