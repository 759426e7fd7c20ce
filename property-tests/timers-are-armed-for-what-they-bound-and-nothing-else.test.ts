/** Timers come and go with what they bound: nothing leaks, and nothing that has a bound runs without (V4, T2, S3, S7, X1). */
import { expect, it } from "vitest";
import type { State } from "../src/kernel/state.js";
import { agentsOf, runningHandlers } from "../src/fuzz/choices.js";
import type { KernelRun } from "../src/fuzz/kernelRun.js";
import { everyProgram } from "./support/play.js";

function expectedTimers(state: State): readonly string[] {
  const { host, durable, volatile } = state;
  const ofTurns = agentsOf(state).flatMap(({ path, gen, phase, turn }) => {
    if (turn === null) return [];
    const name = `${path}#${gen}.${turn.turn}`;
    if (turn.settling !== null) {
      return turn.settling.paused || durable.trying === path ? [`settle:${name}`] : [];
    }
    const bound = host.turnTimeoutMs === null ? [] : [`turn:${name}`];
    return phase === "waiting" ? [...bound, `wait:${name}.${turn.open}`] : bound;
  });
  const preparing = volatile.reservations.filter((one) => !one.ready);
  return [
    ...ofTurns,
    ...preparing.map((one) => `prepare:${one.reservation}`),
    ...runningHandlers(state).map(({ record }) => `handler:${record.join(".")}`),
  ];
}

function timersFit({ loop, timers }: KernelRun): void {
  const expected = expectedTimers(loop.state);
  expect([...timers.keys()].toSorted()).toEqual(expected.toSorted());
}

it("V4 T2 S3 S7 X1 has a timer for each wait, preparation, settlement try, pause, handler and bounded turn, and no other", () => {
  everyProgram({
    between(play) {
      timersFit(play);
    },
    rest({ timers }) {
      expect([...timers.keys()]).toEqual([]);
    },
  });
});
