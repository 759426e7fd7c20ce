/** The bounds of a session hold, whatever is prepared, queued or woken meanwhile (X2). */
import { expect, it } from "vitest";
import type { KernelRun } from "../src/fuzz/kernelRun.js";
import { everyProgram } from "./support/play.js";

function withinLimits({ book, host }: KernelRun): void {
  const { turns, agents, wakes, unread } = host.limits;
  const none = Number.POSITIVE_INFINITY;
  expect(book.turns).toBeLessThanOrEqual(turns ?? none);
  expect(book.agents.size - 1).toBeLessThanOrEqual(agents ?? none);
  expect(book.wakes).toBeLessThanOrEqual(wakes ?? none);
  for (const agent of book.agents.values()) {
    const mail = book.mail.queueOf(agent).filter((entry) => entry.mail === "MAIL");
    expect(mail.length).toBeLessThanOrEqual(unread ?? none);
  }
}

it("X2 never passes a limit on turns, agents, wakes in a row or unread MAIL", () => {
  everyProgram({ shown: withinLimits });
});

it("X2 records that the limit on wakes was reached once, until the person writes", () => {
  let isRecorded = false;
  everyProgram({
    event({ event, at }, { book }) {
      if (at[0] === 1 || event.type === "session.opened") isRecorded = false;
      if (event.type === "mail.queued" && event.from === "person") isRecorded = false;
      if (event.type !== "wake.limited") return;
      expect(isRecorded).toBe(false);
      expect([...book.marks.keys()]).toContain(event.path);
      isRecorded = true;
    },
  });
});
