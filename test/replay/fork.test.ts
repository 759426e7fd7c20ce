/** Forks: a recorded session runs on another way, into a log of its own that names its parent. */
import { beforeAll, describe, expect, it } from "vitest";
import { memoryLog } from "../../src/log/memoryLog.js";
import { check } from "../../src/replay/check.js";
import { type ForkChange, fork, saveFork } from "../../src/replay/fork.js";
import { type Trace, openTrace } from "../../src/replay/trace.js";
import { inputsOf, verify } from "../../src/replay/verify.js";
import { describe as inWords } from "../../src/replay/words.js";
import type { Point } from "../../src/events/point.js";
import { openSession } from "../../src/runtime/openSession.js";
import { virtualPorts } from "../../src/testing/virtualPorts.js";
import { record } from "../support/recorded.js";
import { Hands } from "../support/world.js";

let trace: Trace;

beforeAll(async () => {
  const log = memoryLog();
  await record(log);
  trace = await openTrace(log);
});

/** What happened in a fork from a position, in words. */
async function forked(position: number, ...changes: readonly ForkChange[]) {
  const made = await fork(trace, position, { changes });
  const other = await openTrace(made.commits);
  const words: string[] = [];
  for await (const { event } of other.events()) words.push(inWords(event));
  expect(await check(other)).toBeUndefined();
  return { ...made, words, other };
}

async function inputWhere(holds: (text: string) => boolean): Promise<Point> {
  for await (const { at, events } of inputsOf(trace)) {
    if (events.some((event) => holds(inWords(event)))) return at;
  }
  throw new Error("there is no such input");
}

describe("a fork", () => {
  it("is its parent, but for its name, where nothing is changed", async () => {
    const { commits, skipped, parent } = await forked(5);
    expect(skipped).toEqual([]);
    expect(parent).toMatchObject({ session: "main", changes: [] });
    const events = [];
    for (let n = 1; n <= trace.length; n++) events.push((await trace.commit(n)).events);
    const [[created, ...first] = [], ...others] = commits.map((commit) => commit.events);
    expect(created).toEqual({ ...events[0]?.[0], id: "main-fork", parent });
    expect([first, ...others]).toEqual([events[0]?.slice(1), ...events.slice(1)]);
  });

  it("W6 starts at once what capacity had held up", async () => {
    const { words } = await forked(6, { kind: "capacity", capacity: 3 });
    const mail = words.findIndex((text) => text.startsWith("MAIL from /root/a"));
    const wake = words.indexOf("/root/editor turn 2 started: woken by mail");
    const settled = words.indexOf("/root/b turn 1 settled: completed");
    expect(wake).toBeGreaterThan(mail);
    expect(wake).toBeLessThan(settled);
  });

  it("leaves out a mail, and says what then has no meaning", async () => {
    const at = await inputWhere((text) => text.startsWith("MAIL from /root/a"));
    const { words, skipped } = await forked(6, { kind: "drop", at });
    expect(words).not.toContain("/root/editor turn 2 started: woken by mail");
    expect(skipped.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^sample.begin: refused/),
    );
    expect(words).toContain("/root/a turn 1 settled: completed");
  });

  it("adds a mail of an agent or of the person", async () => {
    const by = { kind: "mail", to: "/root/editor", text: "psst" } as const;
    expect((await forked(6, { ...by, from: "/root/b" })).words).toContain(
      "MAIL from /root/b was accepted for /root/editor, 4 characters",
    );
    expect((await forked(6, by)).words).toContain(
      "MAIL from person was accepted for /root/editor, 4 characters",
    );
  });

  it("R2 dies where it is told to, and is recovered", async () => {
    const { words } = await forked(7, { kind: "crash" });
    expect(words).toContain("run 2 began");
    expect(words).toContain("/root/a turn 1 settled: interrupted");
  });

  it("S1 gives a turn another outcome", async () => {
    const at = await inputWhere((text) => text.startsWith("/root/b turn 1 reached its end"));
    const end = { kind: "errored", reason: "no" } as const;
    const { words } = await forked(6, { kind: "outcome", at, end });
    expect(words).toContain("RESULT (errored) from /root/b was accepted for /root");
  });

  it("swaps two steps", async () => {
    const first = await inputWhere((text) => text.startsWith("MAIL from /root/a"));
    const second = await inputWhere((text) => text.startsWith("/root/b turn 1 reached its end"));
    const { words } = await forked(6, { kind: "swap", first, second });
    expect(words.indexOf("/root/b turn 1 settled: completed")).toBeLessThan(
      words.findIndex((text) => text.startsWith("MAIL from /root/a")),
    );
  });

  it("refuses a place where nothing was asked", async () => {
    await expect(forked(6, { kind: "drop", at: [2, 0] })).rejects.toMatchObject({
      code: "bad-argument",
    });
  });

  it("R1 is a session of its own in a log: it is opened, and runs on", async () => {
    const made = await fork(trace, 7, { goOn: false, session: "other" });
    const log = memoryLog();
    expect(await saveFork(made, log)).toBe("other");
    await expect(saveFork(made, log)).rejects.toThrow("already");
    expect(await verify(await openTrace(log))).toBeUndefined();
    const hands = new Hands();
    const behaviors = { root: hands.behavior, worker: hands.behavior };
    const session = await openSession({ log, id: "other", ports: virtualPorts(), behaviors });
    const phases = session.list().map(({ path, phase }) => `${path} ${phase}`);
    expect(phases).toEqual(["/root idle", "/root/a idle", "/root/b idle", "/root/editor idle"]);
    await session.close();
    expect((await openTrace(log)).length).toBeGreaterThan(made.commits.length);
  });
});
