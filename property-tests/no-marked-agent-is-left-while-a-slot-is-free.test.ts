/** Whenever nothing keeps it from starting, a marked idle agent has been started: no wake is lost (W2, W4, T4, M7). */
import { expect, it } from "vitest";
import { formatPoint } from "../src/events/point.js";
import { type Play, everyProgram } from "./support/play.js";

function nobodyIsLeft({ ledger }: Play): void {
  if (ledger.closing || ledger.trying !== null) return;
  const idle = [...ledger.marked].filter(
    (path) => ledger.live.get(path) === false && !ledger.isReserved(path),
  );
  const startable = idle.filter((path) => path === "/root" || ledger.used < ledger.capacity);
  expect(startable).toEqual([]);
}

it("W2 leaves no marked idle agent while a slot is free", () => {
  everyProgram({ shown: nobodyIsLeft, rest: nobodyIsLeft });
});

/**
 * The newest event of each agent that excuses waking mail from before it: it was there at a start, its agent's turn
 * failed, somebody interrupted, or the run is new.
 */
function excusesIn({ placed, ledger }: Play): ReadonlyMap<string, number> {
  const excuses = new Map<string, number>();
  for (const [index, { event }] of placed.entries()) {
    switch (event.type) {
      case "session.opened":
      case "session.recovered":
        for (const path of ledger.live.keys()) excuses.set(path, index);
        break;
      case "start.reserved":
      case "agent.interrupted":
        excuses.set(event.path, index);
        break;
      case "turn.started":
        if (event.reservation === undefined) excuses.set(event.path, index);
        break;
      case "turn.settled":
        if (event.outcome === "errored") excuses.set(event.path, index);
        // Mail to the root between its interrupt and its settlement wakes nobody either (I5).
        if (event.outcome === "interrupted" && event.path === "/root") excuses.set("/root", index);
        break;
      default:
    }
  }
  return excuses;
}

it("W1 W4 leaves no waking mail unread at rest that came after its agent's newest start and failed no turn", () => {
  everyProgram({
    rest(play) {
      if (play.ledger.closing) return;
      const excuses = excusesIn(play);
      const indexOf = new Map(play.placed.map(({ at }, index) => [formatPoint(at), index]));
      const left = [...play.ledger.unread.values()].filter(({ to, mail, from, at }) => {
        if ((mail !== "MAIL" && mail !== "RESULT") || from === to) return false;
        return (indexOf.get(formatPoint(at)) ?? 0) > (excuses.get(to) ?? 0);
      });
      expect(left).toEqual([]);
    },
  });
});
