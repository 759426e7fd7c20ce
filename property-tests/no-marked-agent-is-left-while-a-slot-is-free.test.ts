/** Whenever nothing keeps it from starting, a marked idle agent has been started: no wake is lost (W2, W4, T4, M7). */
import { expect, it } from "vitest";
import { comparePoints, formatPoint } from "../src/events/point.js";
import { type Play, everyProgram } from "./support/play.js";

function nobodyIsLeft(play: Play): void {
  const { ledger } = play;
  if (ledger.closing || ledger.trying !== null || isLimited(play)) return;
  const idle = [...ledger.marked].filter(
    (path) => ledger.live.get(path) === false && !ledger.isReserved(path) && !ledger.isEnding(path),
  );
  const startable = idle.filter((path) =>
    path === "/root" ? ledger.holds.size === 0 : ledger.used < ledger.capacity,
  );
  expect(startable).toEqual([]);
}

/** A limit keeps every woken agent back: counted with the starts that are reserved (X2). */
function isLimited({ ledger, program }: Play): boolean {
  const { turns, wakes } = program.limits;
  const reserved = [...ledger.reserved.values()];
  if (turns !== null && ledger.turns + reserved.length >= turns) return true;
  const waking = reserved.filter(({ start }) => start === "wake").length;
  return wakes !== null && ledger.wakes + waking >= wakes;
}

it("W2 W7 X2 leaves no marked idle agent while a slot is free", () => {
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
      case "start.claimed":
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

/** RESULTs of turns that were stopped with a whole tree, which wake nobody (I6). */
function mutedIn({ placed }: Play): ReadonlySet<string> {
  const turns = new Set<string>();
  const records = new Set<string>();
  for (const { event, at } of placed) {
    if (event.type === "agent.interrupted" && event.muted === true) {
      turns.add(`${event.path}#${event.gen}.${event.turn}`);
    }
    if (event.type !== "mail.queued" || event.by === undefined) continue;
    const { path, gen, turn } = event.by;
    if (event.mail === "RESULT" && turns.has(`${path}#${gen}.${turn}`))
      records.add(formatPoint(at));
  }
  return records;
}

it("W8 leaves no INPUT of the run unread at rest, unless its start was given up", () => {
  everyProgram({
    rest(play) {
      if (play.ledger.closing || isLimited(play)) return;
      const failed = play.placed.findLastIndex(
        ({ event }) => event.type === "start.released" && event.path === "/root",
      );
      const left = play.ledger
        .queueOf("/root")
        .filter(({ mail, fresh }) => mail === "INPUT" && fresh);
      const after = left.filter(
        ({ at }) => comparePoints(at, play.placed[failed]?.at ?? [0, 0]) > 0,
      );
      expect(after).toEqual([]);
    },
  });
});

it("W1 W4 leaves no waking mail unread at rest that came after its agent's newest start and failed no turn", () => {
  everyProgram({
    rest(play) {
      if (play.ledger.closing || isLimited(play)) return;
      const muted = mutedIn(play);
      const excuses = excusesIn(play);
      const indexOf = new Map(play.placed.map(({ at }, index) => [formatPoint(at), index]));
      const left = [...play.ledger.unread.values()].filter(({ to, mail, from, at }) => {
        if ((mail !== "MAIL" && mail !== "RESULT") || from === to) return false;
        if (muted.has(formatPoint(at)) || (to === "/root" && play.ledger.holds.size > 0))
          return false;
        return (indexOf.get(formatPoint(at)) ?? 0) > (excuses.get(to) ?? 0);
      });
      expect(left).toEqual([]);
    },
  });
});
