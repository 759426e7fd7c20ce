/** Verifying, checking and bisecting: an old log, judged by today's kernel, by the invariants, and by a question. */
import { describe, expect, it } from "vitest";
import { memoryLog } from "../../src/log/memoryLog.js";
import { bisect, check } from "../../src/replay/check.js";
import { rerun } from "../../src/replay/rerun.js";
import { type Trace, openTrace } from "../../src/replay/trace.js";
import { type Decide, inputsOf, verify } from "../../src/replay/verify.js";
import { decide } from "../../src/kernel/decide.js";
import { record } from "../support/recorded.js";

async function recorded(): Promise<Trace> {
  const log = memoryLog();
  await record(log);
  return openTrace(log);
}

describe("verify", () => {
  it("L4 finds nothing where today's kernel decides as the log says", async () => {
    expect(await verify(await recorded())).toBeUndefined();
  });

  it.each(["tree", "jobs", "peer"] as const)(
    "L4 knows a session of the preset %s",
    async (preset) => {
      const hosts = { 1: { behaviors: new Set(["agent"]) } };
      const create = { kind: "create", id: "s", capacity: 2, behavior: "agent", preset } as const;
      expect(await verify(await openTrace(rerun({ hosts, commits: [[create]] })))).toBeUndefined();
    },
  );

  it("L4 names the wake that a kernel which starts nobody by mail does not give", async () => {
    const lazy: Decide = (state, command) => {
      const decision = decide(state, command);
      const events = decision.events.filter(
        (event) => event.type !== "wake.marked" || event.path !== "/root/editor",
      );
      return { ...decision, events };
    };
    const found = await verify(await recorded(), { decide: lazy });
    expect(found?.recorded).toBe("/root/editor was marked to be woken, for 7.0");
    expect(found?.text).toMatch(/^7\.1: recorded is: .* today's kernel does nothing of the kind$/);
  });

  it("L4 names the outcome that a kernel decides otherwise", async () => {
    const harsh: Decide = (state, command) =>
      decide(
        state,
        command.kind === "turn.finish" && command.turn.path === "/root/b"
          ? { ...command, end: { kind: "errored", reason: "no" } }
          : command,
      );
    const found = await verify(await recorded(), { decide: harsh });
    expect(found?.recorded).toBe("/root/b turn 1 reached its end: completed");
    expect(found?.decided).toBe("/root/b turn 1 reached its end: errored (no)");
  });

  it("X4 says by which rule today's kernel refuses what it once did", async () => {
    const strict: Decide = (state, command) =>
      command.kind === "send" ? decide(state, { ...command, text: " " }) : decide(state, command);
    const found = await verify(await recorded(), { decide: strict });
    expect(found?.command?.kind).toBe("send");
    expect(found?.text).toContain("today's kernel refuses it (M1)");
  });

  it("tells every input with the events that it made", async () => {
    const kinds: string[] = [];
    let events = 0;
    const trace = await recorded();
    for await (const input of inputsOf(trace)) {
      kinds.push(input.command.kind);
      events += input.events.length;
    }
    let all = 0;
    for await (const _ of trace.events()) all++;
    expect(events).toBe(all);
    expect(kinds.slice(0, 4)).toEqual(["create", "prompt", "spawn", "turn.finish"]);
  });
});

describe("check", () => {
  it("L1 finds nothing in a session that the library has recorded", async () => {
    expect(await check(await recorded())).toBeUndefined();
  });

  it("W6 names the first start past capacity, and where", async () => {
    const trace = await recorded();
    const commits = [];
    for (let n = 1; n <= trace.length; n++) {
      const { events } = await trace.commit(n);
      const smaller = events.map((event) =>
        event.type === "session.created" ? { ...event, capacity: 1 } : event,
      );
      commits.push({ n, events: smaller });
    }
    const found = await check(await openTrace(commits));
    expect(found?.rule).toBe("W6");
    expect(found?.what).toContain("1 of 1 slots");
    expect((await trace.event(found?.at ?? [0, 0])).event.type).toBe("turn.started");
  });
});

describe("bisect", () => {
  it("finds the event after which something holds", async () => {
    const trace = await recorded();
    const found = await bisect(
      trace,
      ({ durable }) => durable.agents.get("/root/editor")?.turns === 2,
    );
    expect(found?.text).toBe("/root/editor turn 2 started: woken by mail");
    expect(await bisect(trace, () => true)).toMatchObject({ at: [1, 0] });
    expect(await bisect(trace, () => false)).toBeUndefined();
  });
});
