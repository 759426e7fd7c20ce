/** The bounds of a session hold, whatever is prepared, queued or woken meanwhile (X2). */
import { expect, it } from "vitest";
import { type Play, everyProgram } from "./support/play.js";

function withinLimits({ ledger, program }: Play): void {
  const { turns, agents, wakes, unread } = program.limits;
  const none = Number.POSITIVE_INFINITY;
  expect(ledger.turns).toBeLessThanOrEqual(turns ?? none);
  expect(ledger.live.size - 1).toBeLessThanOrEqual(agents ?? none);
  expect(ledger.wakes).toBeLessThanOrEqual(wakes ?? none);
  for (const path of ledger.live.keys()) {
    const mail = ledger.queueOf(path).filter((entry) => entry.mail === "MAIL");
    expect(mail.length).toBeLessThanOrEqual(unread ?? none);
  }
}

it("X2 never passes a limit on turns, agents, wakes in a row or unread MAIL", () => {
  everyProgram({ shown: withinLimits });
});

it("X2 records that the limit on wakes was reached once, until the person writes", () => {
  let isRecorded = false;
  everyProgram({
    event({ event, at }, ledger) {
      if (at[0] === 1 || event.type === "session.opened") isRecorded = false;
      if (event.type === "mail.queued" && event.from === "person") isRecorded = false;
      if (event.type !== "wake.limited") return;
      expect(isRecorded).toBe(false);
      expect(ledger.marked).toContain(event.path);
      isRecorded = true;
    },
  });
});
