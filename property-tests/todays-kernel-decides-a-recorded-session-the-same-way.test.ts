/** L4 The inputs of a session are told by its events, and put to the kernel again they give the same events. */
import { fc } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import type { DovecoteEvent } from "../src/events/events.js";
import { type Program, play, programs } from "../src/fuzz/programs.js";
import { check as judge } from "../src/replay/check.js";
import { fork } from "../src/replay/fork.js";
import { type Trace, openTrace } from "../src/replay/trace.js";
import { verify } from "../src/replay/verify.js";
import { checkSlowly } from "../test/support/property.js";

async function recorded(program: Program): Promise<Trace> {
  const commits = play(program).commits.toArray();
  return openTrace(commits.map((events, index) => ({ n: index + 1, events })));
}

function unnamed(event: DovecoteEvent): DovecoteEvent {
  if (event.type !== "session.created") return event;
  const { parent: _, ...rest } = event;
  return rest;
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

  it("L1 is its own fork, from any position, where nothing is changed", async () => {
    await checkSlowly(
      fc.record({ program: programs, part: fc.double({ min: 0, max: 1, noNaN: true }) }),
      async ({ program, part }) => {
        const trace = await recorded(program);
        const { prepares, finalises, turnTimeoutMs, limits } = program;
        const host = { prepares, finalises, turnTimeoutMs, limits };
        const position = Math.max(1, Math.floor(part * trace.length));
        const { commits, skipped } = await fork(trace, position, { host, session: "s" });
        expect(skipped).toEqual([]);
        const own = commits.map(({ events }) => events.map(unnamed));
        const parent = [];
        for (let n = 1; n <= trace.length; n++) parent.push([...(await trace.commit(n)).events]);
        expect(own).toEqual(parent);
      },
      50,
    );
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
