/** Every accepted record is unread in one queue, was delivered once, is consumed, or expired, at every commit and after every crash (R4, M5, S5, S7, A5). */
import { expect, it } from "vitest";
import { formatPoint } from "../src/events/point.js";
import { type Play, everyProgram } from "./support/play.js";

function unreadInState(play: Play): readonly string[] {
  return [...play.loop.state.durable.agents.values()].flatMap((agent) =>
    agent.unread.toArray().map((record) => `${agent.path} ${formatPoint(record.at)}`),
  );
}

function everyRecordHasOnePlace(play: Play): void {
  const { unread, delivered, consumed, expired } = play.ledger;
  const expected = [...unread.values()].map(({ to, at }) => `${to} ${formatPoint(at)}`);
  expect(unreadInState(play).toSorted()).toEqual(expected.toSorted());
  expect([...delivered].filter(([key, times]) => times !== 1 || unread.has(key))).toEqual([]);
  const accepted = play.placed.filter(({ event }) => event.type === "mail.queued");
  expect(unread.size + delivered.size + consumed.size + expired.size).toBe(accepted.length);
  const places = [...unread.keys(), ...delivered.keys(), ...consumed, ...expired];
  expect(new Set(places).size).toBe(places.length);
}

it("R4 has each accepted record in exactly one place", () => {
  everyProgram({ shown: everyRecordHasOnePlace, rest: everyRecordHasOnePlace });
});
