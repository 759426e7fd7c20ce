/** L4 The inputs of a session are told by its events, and put to the kernel again they give the same events. */
import { describe, expect, it } from "vitest";
import { type Program, play, programs } from "../src/fuzz/programs.js";
import { check as judge } from "../src/replay/check.js";
import { type Trace, openTrace } from "../src/replay/trace.js";
import { verify } from "../src/replay/verify.js";
import { checkSlowly } from "../test/support/property.js";

async function recorded(program: Program): Promise<Trace> {
  const commits = play(program).commits.toArray();
  return openTrace(commits.map((events, index) => ({ n: index + 1, events })));
}

describe("a recorded session", () => {
  it("L4 is decided by today's kernel the way it was, input by input", async () => {
    let commits = 0;
    await checkSlowly(
      programs,
      async (program) => {
        const trace = await recorded(program);
        const { prepares, finalises, turnTimeoutMs, limits } = program;
        const host = { prepares, finalises, turnTimeoutMs, limits };
        expect((await verify(trace, { host }))?.text).toBeUndefined();
        // But for its bounds, what the host brought is told by what it did.
        expect((await verify(trace, { host: { limits } }))?.text).toBeUndefined();
        commits += trace.length;
      },
      100,
    );
    expect(commits).toBeGreaterThan(1000);
  }, 120_000);

  it("L1 keeps every invariant at each of its positions", async () => {
    await checkSlowly(
      programs,
      async (program) => {
        const { limits } = program;
        expect(await judge(await recorded(program), { limits })).toBeUndefined();
      },
      50,
    );
  }, 120_000);
});
