/** Races and futures: a mail that comes before its recipient fails is left unread, one that comes after wakes it (W5). */
import { describe, expect, it } from "vitest";
import type { State } from "../../src/kernel/state.js";
import { explore, pointOfNoReturn, races } from "../../src/replay/futures.js";
import { fork } from "../../src/replay/fork.js";
import { rerun } from "../../src/replay/rerun.js";
import { type Trace, openTrace } from "../../src/replay/trace.js";
import { BEHAVIOR, attemptOf, commands, turnOf } from "../../src/testing/commands.js";

const [root, a, again] = [turnOf("/root"), turnOf("/root/a"), turnOf("/root/a", 2)];
const send = commands.send("/root/a", "one more thing", root);
const fails = commands.fail(a);
const wakes = [
  [commands.sample(again)],
  [commands.sampleEnd(attemptOf(again))],
  [commands.finish(again)],
];

function recorded(order: "mail first" | "mail last"): Promise<Trace> {
  const hosts = { 1: { behaviors: new Set([BEHAVIOR]) } };
  const create = { kind: "create", id: "race", capacity: 2, behavior: BEHAVIOR } as const;
  const begin = [[create], [commands.prompt("go")], [commands.spawn("a", { by: root })]];
  const both = order === "mail last" ? [[fails], [send], ...wakes] : [[send], [fails]];
  return openTrace(rerun({ hosts, commits: [...begin, ...both] }));
}

const isUnread = (state: State): boolean =>
  (state.durable.agents.get("/root/a")?.unread.length ?? 0) > 0;

describe("races", () => {
  it("W5 finds the pair whose order decides whether a mail is read", async () => {
    const trace = await recorded("mail last");
    const [first, ...others] = await races(trace);
    expect(first?.text).toMatch(
      /^5\.0 \(MAIL from \/root .*\) before 4\.0 \(\/root\/a turn 1 reached its end/,
    );
    expect(first?.changes).toContain(
      "/root/a: idle, 2 turns, last completed, 0 unread -> idle, 1 turns, last errored, 1 unread",
    );
    expect(others).toEqual([]);
    const { first: one, second } = first ?? { first: [0, 0] as const, second: [0, 0] as const };
    const swapped = await fork(trace, 3, { changes: [{ kind: "swap", first: one, second }] });
    expect(isUnread(swapped.state)).toBe(true);
  });

  it("finds none where everything led to what follows", async () => {
    const hosts = { 1: { behaviors: new Set([BEHAVIOR]) } };
    const create = { kind: "create", id: "calm", capacity: 2, behavior: BEHAVIOR } as const;
    const calm = [[create], [commands.prompt("go")], [commands.finish(root)]];
    expect(await races(await openTrace(rerun({ hosts, commits: calm })))).toEqual([]);
  });
});

describe("futures", () => {
  it("W5 gives the share that goes wrong: some while the order is open, all once it is fixed", async () => {
    const trace = await recorded("mail first");
    const open = await explore(trace, 3, { budget: 60, seed: 1, isWrong: isUnread });
    expect(open.share).toBeGreaterThan(0);
    expect(open.share).toBeLessThan(1);
    expect(open.example === null ? null : isUnread(open.example.state)).toBe(true);
    expect(await explore(trace, 3, { budget: 60, seed: 1, isWrong: isUnread })).toEqual(open);
    expect((await explore(trace, 5, { budget: 5, isWrong: isUnread })).share).toBe(1);
  });

  it("W5 names the commit from which on nothing helps", async () => {
    const trace = await recorded("mail first");
    expect(await pointOfNoReturn(trace, { isWrong: isUnread, budget: 30 })).toBe(4);
    expect(
      await pointOfNoReturn(await recorded("mail last"), { isWrong: isUnread }),
    ).toBeUndefined();
  });

  it("L1 finds nothing wrong by itself in what the kernel does", async () => {
    const trace = await recorded("mail last");
    expect(await explore(trace, 3, { budget: 40 })).toMatchObject({ tried: 40, wrong: 0 });
  });
});
