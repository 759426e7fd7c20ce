/** What must not compile: tsc reads this file with the others, and an error that is expected and missing fails it. */
import { describe, expectTypeOf, it } from "vitest";
import { memoryLog, openSession, type Behavior, type Session, type Turn } from "../../src/index.js";

const root: Behavior = () => "done";
const reviewer: Behavior = (turn) => `reviewed by ${turn.path}`;

const open = () => openSession({ log: memoryLog(), behaviors: { root, reviewer } });
type Opened = Awaited<ReturnType<typeof open>>;

describe("the names of behaviours", () => {
  it("are the keys of what a session was opened with", () => {
    expectTypeOf<Opened>().toEqualTypeOf<Session<"root" | "reviewer">>();
  });

  it("are checked where the host spawns", () => {
    const spawn = (session: Opened): unknown => [
      session.spawn({ name: "a", behavior: "reviewer", task: "t" }),
      // @ts-expect-error -- a misspelt name is no behaviour
      session.spawn({ name: "a", behavior: "reviewr", task: "t" }),
      // @ts-expect-error -- a name is needed
      session.spawn({ name: "a", task: "t" }),
    ];
    expectTypeOf(spawn).returns.toBeUnknown();
  });

  it("are checked where a behaviour that is written in place spawns", () => {
    const inline = () =>
      openSession({
        log: memoryLog(),
        behaviors: {
          root: async (turn) => {
            await turn.spawn({ name: "a", behavior: "reviewer", task: "t" });
            // @ts-expect-error -- a misspelt name is no behaviour here either
            await turn.spawn({ name: "b", behavior: "reviewr", task: "t" });
            return turn.sample(({ mail }) => mail.map(({ text }) => text).join());
          },
          reviewer,
        },
      });
    expectTypeOf(inline).returns.resolves.toEqualTypeOf<Session<"root" | "reviewer">>();
  });

  it("are checked where a behaviour says which names it knows", () => {
    const lead: Behavior<"lead" | "reviewer"> = async (turn) => {
      // @ts-expect-error -- it knows no such name
      await turn.spawn({ name: "a", behavior: "reviewr", task: "t" });
      expectTypeOf(turn).toEqualTypeOf<Turn<"lead" | "reviewer">>();
    };
    const given = () =>
      openSession({ log: memoryLog(), behaviors: { lead, reviewer }, root: "lead" });
    expectTypeOf(given).returns.resolves.toEqualTypeOf<Session<"lead" | "reviewer">>();
  });

  it("are checked where the root's is named", () => {
    const misnamed = () =>
      // @ts-expect-error -- there is no such behaviour
      openSession({ log: memoryLog(), behaviors: { root, reviewer }, root: "chief" });
    expectTypeOf(misnamed).toBeFunction();
  });
});

describe("other calls", () => {
  it("take what the contract says, and nothing else", () => {
    const calls = (session: Opened, turn: Turn): unknown => [
      // @ts-expect-error -- text is text (M1)
      session.send("/root", { text: "x" }),
      // @ts-expect-error -- there is no such role (A7)
      session.spawn({ name: "a", behavior: "root", task: "t", role: "admin" }),
      // @ts-expect-error -- a time is a number or a decimal string (V3)
      turn.wait({ timeoutMs: null }),
      // @ts-expect-error -- an entry is data that JSON can carry (M6)
      turn.record(() => 1),
    ];
    expectTypeOf(calls).returns.toBeUnknown();
    // @ts-expect-error -- a response is text (S1)
    const number: Behavior = () => 7;
    expectTypeOf(number).toEqualTypeOf<Behavior>();
  });

  it("keep the type of what a sample returns", () => {
    const sample = (turn: Turn) => turn.sample(() => ({ tokens: 3 }));
    expectTypeOf(sample).returns.resolves.toEqualTypeOf<{ tokens: number }>();
  });
});
