/** Every accepted record is unread in one queue, was delivered once, is consumed, or expired, at every commit and after every crash (R4, M5, S5, S7, A5). */
import { expect, it } from "vitest";
import { agentsOf } from "../src/fuzz/choices.js";
import type { KernelRun } from "../src/fuzz/kernelRun.js";
import { formatPoint } from "../src/events/point.js";
import { everyProgram } from "./support/play.js";

function unreadIsAsTheBooksSay({ loop: { state }, book }: KernelRun): void {
  const unread = agentsOf(state).flatMap((agent) =>
    agent.unread.toArray().map((record) => `${agent.path} ${formatPoint(record.at)}`),
  );
  const retained = [...book.mail.unread.values()].filter(
    ({ to, gen }) => book.agents.get(to)?.gen === gen,
  );
  const expected = retained.map(({ to, at }) => `${to} ${formatPoint(at)}`);
  expect(unread.toSorted()).toEqual(expected.toSorted());
}

function everyRecordHasOnePlace(run: KernelRun): void {
  const places: string[] = [];
  const moved = new Set<string>();
  let accepted = 0;
  for (const { event } of run.placed()) {
    if (event.type === "mail.queued") accepted++;
    if (event.type === "mail.delivered") places.push(...event.records.map(formatPoint));
    if (event.type === "mail.consumed") places.push(formatPoint(event.record));
    if (event.type === "mail.moved") moved.add(formatPoint(event.record));
  }
  // Unread ones, those of ended agents among them, which nobody is ever given.
  places.push(...run.book.mail.unread.keys());
  expect(new Set(places).size).toBe(places.length);
  expect(places.filter((place) => moved.has(place))).toEqual([]);
  expect(places).toHaveLength(accepted);
}

it("R4 has each accepted record in exactly one place", () => {
  everyProgram({
    shown(run) {
      unreadIsAsTheBooksSay(run);
      everyRecordHasOnePlace(run);
    },
    rest: everyRecordHasOnePlace,
  });
});
