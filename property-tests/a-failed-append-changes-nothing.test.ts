/** An append that fails leaves the session at its last durable commit, and nothing of it is ever seen (L1, L2, L6, M3). */
import { expect, it } from "vitest";
import { foldAll } from "../src/testing/scenario.js";
import { type Play, everyProgram } from "./support/play.js";
import { plainDurable, plainVolatile } from "./support/plain.js";

function atTheLastCommit(play: Play): void {
  const { durable, volatile } = foldAll(play.empty(), play.commits);
  const { state, isDegraded } = play.loop;
  expect(isDegraded).toBe(true);
  expect(plainDurable(state.durable)).toEqual(plainDurable(durable));
  expect(plainVolatile(state.volatile, state.durable)).toEqual(plainVolatile(volatile, durable));
}

it("L1 L6 falls back to the fold of what is durable", () => {
  everyProgram({ broken: atTheLastCommit });
});
