/**
 * What test files import as `vitest` and `@fast-check/vitest` while mutants are judged: tests are collected, and run by
 * the runner beside this. Knows as much of vitest as the tests of the kernel use.
 */
import { format } from "node:util";
import * as fc from "fast-check";
import { expect } from "vitest";

export { expect, fc };

/** @type {{ name: string, fn: () => unknown, before: (() => unknown)[], after: (() => unknown)[] }[]} */
export const tests = [];

/** Thrown by what a bundle can't do: such a test is skipped. */
export class Unsupported extends Error {}

const titles = [];
const befores = [[]];
const afters = [[]];

/** Beside what a title names there may be options of vitest's. */
const body = (rest) => rest.find((one) => typeof one === "function");

export function describe(title, ...rest) {
  titles.push(title);
  befores.push([]);
  afters.push([]);
  body(rest)();
  titles.pop();
  befores.pop();
  afters.pop();
}

export function it(title, ...rest) {
  const fn = body(rest);
  const name = [...titles, title].join(" > ");
  tests.push({ name, fn, before: befores.flat(), after: afters.flat() });
}

it.each =
  (table) =>
  (title, ...rest) => {
    const fn = body(rest);
    const spread = table.every((row) => Array.isArray(row));
    table.forEach((row, index) => {
      const values = spread ? row : [row];
      // Two rows may read the same; an id may not.
      it(`${format(title, ...values)} [${index}]`, () => fn(...values));
    });
  };

export const test = Object.assign((title, ...rest) => it(title, ...rest), {
  each: it.each,
  prop: (arbitraries, settings) => (title, holds) =>
    it(title, () =>
      fc.assert(
        fc.asyncProperty(...arbitraries, async (...values) => {
          await holds(...values);
        }),
        settings,
      ),
    ),
});

/** For a file that has been loaded whole: hooks outside every `describe` are its own. */
export function endFile() {
  befores[0] = [];
  afters[0] = [];
}

export const beforeEach = (hook) => void befores.at(-1).push(hook);
export const afterEach = (hook) => void afters.at(-1).push(hook);

const cleanups = [];
export const onTestFinished = (cleanup) => void cleanups.push(cleanup);
export async function cleanUp() {
  for (const cleanup of cleanups.splice(0)) await cleanup();
}

export const vi = {
  setConfig: () => undefined,
  spyOn: () => {
    throw new Unsupported("a bundle's modules can't be spied on");
  },
};
