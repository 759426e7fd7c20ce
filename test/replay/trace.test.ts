/** A trace: what was recorded can be looked at from any position, and nothing is done by looking. */
import { beforeAll, describe, expect, it } from "vitest";
import { comparePoints } from "../../src/events/point.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import { placeCommit } from "../../src/projections/projection.js";
import { changes } from "../../src/replay/changes.js";
import { type Trace, openTrace } from "../../src/replay/trace.js";
import { stranded, whyNot } from "../../src/replay/whyNot.js";
import { concurrent, renderWhy, why } from "../../src/replay/why.js";
import { describe as inWords } from "../../src/replay/words.js";
import { record } from "../support/recorded.js";

const log = memoryLog();
let trace: Trace;

beforeAll(async () => {
  await record(log);
  trace = await openTrace(log);
});

const find = async (holds: (text: string) => boolean): Promise<readonly [number, number]> => {
  for await (const { event, at } of trace.events()) if (holds(inWords(event))) return at;
  throw new Error("there is no such event");
};

describe("a trace", () => {
  it("R3 takes the one session of a log, and refuses to guess among several", async () => {
    expect(trace.session).toBe("main");
    const several = memoryLog();
    for (const id of ["one", "two"]) await (await several.openSession(id)).close();
    await expect(openTrace(several)).rejects.toMatchObject({ code: "bad-argument" });
    await expect(openTrace(memoryLog())).rejects.toThrow("no session");
  });

  it("goes to any position, and steps there and back over every event", async () => {
    await trace.at(0);
    const forward = [];
    for (let one = await trace.step(); one !== undefined; one = await trace.step())
      forward.push(one);
    const all = [];
    for await (const placed of trace.events()) all.push(placed);
    expect(forward).toEqual(all);
    const backward = [];
    for (let one = await trace.back(); one !== undefined; one = await trace.back())
      backward.push(one);
    expect(backward.reverse()).toEqual(all);
    expect(trace.whole.durable.agents.size).toBe(0);
  });

  it("L1 shows at each position what a fold from the start gives", async () => {
    const here = await openTrace(log);
    for (let n = 0; n <= here.length; n++) {
      await here.at(n);
      const stepped = await openTrace(log);
      while (comparePoints(stepped.position, here.position) < 0) await stepped.step();
      const agents = (one: Trace) => [...one.whole.durable.agents.values()];
      expect(agents(here)).toEqual(agents(stepped));
    }
  });

  it("seeks the first event after here, and stays where there is none", async () => {
    await trace.at(0);
    const found = await trace.seek(
      (event) => event.type === "wait.began" || event.type === "turn.settled",
    );
    expect(found?.event).toMatchObject({ type: "turn.settled", path: "/root/editor" });
    expect(trace.position).toEqual(found?.at);
    expect(await trace.seek((event) => event.type === "capacity.changed")).toBeUndefined();
    expect(trace.position).toEqual(found?.at);
  });

  it("filters events by type, agent and range", async () => {
    const kinds = [];
    const filter = { types: ["turn.started"], agent: "/root/editor" } as const;
    for await (const { event } of trace.events(filter)) kinds.push(event);
    expect(kinds).toMatchObject([{ start: "spawn" }, { start: "wake" }]);
    const ranged = [];
    for await (const { at } of trace.events({ from: 2, to: 3 })) ranged.push(at[0]);
    expect(new Set(ranged)).toEqual(new Set([2, 3]));
  });

  it.each([-1, 1.5, 10_000])("refuses the position %s, which is none", async (position) => {
    await expect(trace.at(position)).rejects.toMatchObject({ code: "bad-argument" });
  });

  it("has words for every event it shows", async () => {
    for (let n = 1; n <= trace.length; n++) {
      for (const { event } of placeCommit(await trace.commit(n))) {
        expect(inWords(event)).toMatch(/\w/);
        expect(inWords(event)).not.toMatch(/undefined|\[object/);
      }
    }
  });
});

describe("why", () => {
  it("W2 follows a wake to the mail, its sender's turn, and the person", async () => {
    const at = await find((text) => text === "/root/editor turn 2 started: woken by mail");
    const told = renderWhy(await why(trace, at));
    expect(told).toContain("because 7.0  MAIL from /root/a was accepted for /root/editor");
    expect(told).toContain("because the person: prompt");
    expect(told).toContain("(held up: all slots are in use: 2/2 (W6), from 7 to 8)");
  });

  it("tells of two events whether one is among the causes of the other", async () => {
    const mail = await find((text) => text.startsWith("MAIL from /root/a"));
    const wake = await find((text) => text === "/root/editor turn 2 started: woken by mail");
    const other = await find((text) => text === "/root/b turn 1 started: spawned");
    expect(await concurrent(trace, mail, wake)).toBe(false);
    expect(await concurrent(trace, wake, mail)).toBe(false);
    expect(await concurrent(trace, mail, other)).toBe(true);
  });
});

describe("why not", () => {
  it("W6 M7 names capacity, since when, and what frees it, for an agent that is not woken", async () => {
    expect(await whyNot(trace, "/root/editor", "wake", 7)).toEqual({
      path: "/root/editor",
      what: "wake",
      guard: "capacity",
      rule: "W6",
      text: "all slots are in use: 2/2",
      frees: "a turn that settles",
      since: 7,
    });
  });

  it("W1 says of an idle agent that nothing has marked it, since it settled", async () => {
    const reason = await whyNot(trace, "/root/editor", "wake", 6);
    expect(reason).toMatchObject({ guard: "unmarked", rule: "W1", since: 4 });
  });

  it("S1 says of a live turn that its behaviour has not returned", async () => {
    const reason = await whyNot(trace, "/root/a", "settle", 7);
    expect(reason).toMatchObject({ guard: "behaviour", rule: "S1" });
  });

  it("M5 gives every unread record its reason", async () => {
    await trace.at(7);
    const [result, mail, ...rest] = stranded(trace);
    expect(rest).toEqual([]);
    expect(result).toMatchObject({ path: "/root", mail: "RESULT", guard: "no-sample", rule: "M5" });
    expect(mail).toMatchObject({ path: "/root/editor", mail: "MAIL", guard: "idle", rule: "M5" });
    expect(mail?.text).toContain("all slots are in use: 2/2 (W6)");
  });

  it("A2 refuses an agent that is not there", async () => {
    await expect(whyNot(trace, "/root/nobody", "wake", 7)).rejects.toThrow("There is no agent");
  });
});

describe("changes", () => {
  it("A8 says in words what one position changed of another, and nothing of itself", async () => {
    const texts = (await changes(trace, 7, 8)).map(({ path, text }) => `${path}: ${text}`);
    expect(texts).toContain("/root/editor: phase: idle -> running");
    expect(texts).toContain("/root/editor: marked: yes -> no");
    expect(texts).toContain("/root/b: last outcome: none -> completed (turn 1)");
    expect(await changes(trace, 7, 7)).toEqual([]);
  });
});
