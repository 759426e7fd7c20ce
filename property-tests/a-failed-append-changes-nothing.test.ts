/** An append that fails leaves the session at its last durable commit, and nothing of it is ever seen (L1, L2, L6, M3). */
import { expect, it } from "vitest";
import { foldAll } from "../src/testing/scenario.js";
import type { KernelRun } from "../src/fuzz/kernelRun.js";
import { emptyState } from "../src/kernel/state.js";
import { everyProgram } from "./support/play.js";
import { plainDurable, plainVolatile } from "./support/plain.js";

function atTheLastCommit({ host, loop, commits }: KernelRun): void {
  // One that is there although its append is said to have failed is nobody's yet (M3).
  const durableCommits = commits.toArray().slice(0, loop.durable.next[0] - 1);
  const { durable, volatile } = foldAll(emptyState(host), durableCommits);
  const { state, isDegraded } = loop;
  expect(isDegraded).toBe(true);
  expect(plainDurable(state.durable)).toEqual(plainDurable(durable));
  expect(plainVolatile(state.volatile, state.durable)).toEqual(plainVolatile(volatile, durable));
}

it("L1 L6 falls back to the fold of what is durable", () => {
  everyProgram({ broken: atTheLastCommit });
});
