/** Real behaviours under a fuzzer: races of theirs are found and replayed, and what is sound is left alone. */
import { describe, expect, it } from "vitest";
import { fuzz } from "../../src/fuzz/fuzz.js";
import { play, replay } from "../../src/fuzz/run.js";
import { scenario } from "../../src/fuzz/behaviorWorld.js";
import type { Played } from "../../src/fuzz/scenario.js";
import type { Behavior } from "../../src/runtime/api.js";
import { busy } from "./busy.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

/** Two workers that sell the last seat, each after a look at whether it is there. */
function seats(isSafe: boolean): () => Played {
  return () => {
    let seats = 1;
    const root: Behavior = async (turn) => {
      if (turn.task === undefined) return turn.sample(({ mail }) => `${mail.length} told`);
      for (const name of ["a", "b"]) await turn.spawn({ name, behavior: "worker", task: "sell" });
      return "asked";
    };
    const worker: Behavior = async (turn) => {
      const free = await turn.effect("look", () => seats > 0);
      const sold = isSafe ? seats > 0 : free;
      if (sold) seats--;
      return sold ? "sold" : "sold out";
    };
    return {
      behaviors: { root, worker },
      host: (session) => session.prompt("go"),
      never: { "a seat is sold twice": () => seats < 0 },
      faults: [],
    };
  };
}

describe("a behaviour with a race", () => {
  it("is caught by each strategy, and its token replays it", async () => {
    const kind = scenario("seats", seats(false));
    for (const strategy of ["random", "pct", "pos"]) {
      const { failure } = await fuzz(kind, { strategies: [strategy], runs: 300 });
      expect(failure?.violations[0]?.rule).toBe("never a seat is sold twice");
      const again = await fuzz(kind, { token: failure?.token ?? "" });
      expect(again.failure?.violations).toEqual(failure?.violations);
    }
  });

  it("is not found where there is none", async () => {
    const { failure } = await fuzz(scenario("seats", seats(true)), { runs: 200 });
    expect(failure).toBeNull();
  });
});

describe("the real shell", () => {
  it("L6 R2 I4 V4 L8 keeps the contract under crashes, failed appends, interrupts and early timers", async () => {
    const { failure, covered } = await fuzz(scenario("busy", busy), { runs: 300, faults: 4 });
    expect(failure?.violations ?? []).toEqual([]);
    expect(covered.marks).toBeGreaterThan(0);
  });

  it("R1 takes the same steps again, fault for fault", async () => {
    const kind = scenario("busy", busy);
    const first = await play(kind, ({ enabled, at }) =>
      at > 120 ? null : (enabled[(at * 7) % enabled.length] ?? null),
    );
    const again = await replay(kind, first.schedule);
    expect(again.steps).toEqual(first.steps);
    expect(first.steps.some((name) => name.startsWith("crash"))).toBe(true);
  });
});

describe("an await that the world does not own", () => {
  const sleepy = (call: (turn: Parameters<Behavior>[0]) => Promise<unknown>): Played => ({
    behaviors: {
      root: async (turn) => {
        await call(turn);
      },
    },
    host: (session) => session.prompt("go"),
    faults: [],
  });

  it("is reported with its agent", async () => {
    const kind = scenario("sleepy", () =>
      sleepy(() => new Promise((resolve) => setTimeout(resolve, 1))),
    );
    const { failure } = await fuzz(kind, { runs: 2 });
    expect(failure?.violations[0]?.rule).toBe("await");
    expect(failure?.violations[0]?.what).toMatch(/^\/root#1 begin waits for something/);
  });

  it("is reported inside an effect, by the effect's name", async () => {
    const kind = scenario("sleepy", () =>
      sleepy((turn) => turn.effect("nap", () => new Promise((resolve) => setTimeout(resolve, 1)))),
    );
    const { failure } = await fuzz(kind, { runs: 2 });
    expect(failure?.violations[0]?.what).toMatch(/the call \/root#1:nap does not end/);
  });
});

describe("what must hold in the end", () => {
  it("is asked at rest, and what the host throws is a failure", async () => {
    const played = (host: Played["host"]): Played => ({
      behaviors: { root: () => "done" },
      ...(host === undefined ? {} : { host }),
      eventually: { "the root has run": (session) => session.list()[0]?.turns === 1 },
      faults: [],
    });
    const idle = await fuzz(
      scenario("idle", () => played(undefined)),
      { runs: 1 },
    );
    expect(idle.failure?.violations[0]?.rule).toBe("eventually the root has run");
    const done = await fuzz(
      scenario("done", () => played((s) => s.prompt("go"))),
      { runs: 5 },
    );
    expect(done.failure).toBeNull();
    const wrong = scenario("wrong", () =>
      played(() => {
        throw new Error("no such thing");
      }),
    );
    expect((await fuzz(wrong, { runs: 1 })).failure?.violations[0]?.what).toBe("no such thing");
  });
});
