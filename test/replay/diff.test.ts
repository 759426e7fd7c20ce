/** Two runs compared by what caused what. */
import { beforeAll, describe, expect, it } from "vitest";
import { memoryLog } from "../../src/log/memoryLog.js";
import { diff, renderDiff } from "../../src/replay/diff.js";
import { type ForkChange, fork } from "../../src/replay/fork.js";
import { type Trace, openTrace } from "../../src/replay/trace.js";
import { inputsOf } from "../../src/replay/verify.js";
import { record } from "../support/recorded.js";

let trace: Trace;

beforeAll(async () => {
  const log = memoryLog();
  await record(log);
  trace = await openTrace(log);
});

async function forked(...changes: readonly ForkChange[]): Promise<Trace> {
  return openTrace((await fork(trace, 6, { changes })).commits);
}

describe("diff", () => {
  it("finds nothing between a session and itself, or its fork that changes nothing", async () => {
    expect(await diff(trace, trace)).toBeUndefined();
    expect(renderDiff(await diff(trace, await forked()))).toBe("The two say the same.");
  });

  it("names the first thing that one has and the other has not, past those that only moved", async () => {
    const found = await diff(trace, await forked({ kind: "capacity", capacity: 3 }));
    expect(found?.other?.text).toBe("capacity changed from 2 to 3");
    const editor = found?.agents.find(({ path }) => path === "/root/editor");
    expect(editor).toBeUndefined();
  });

  it("tells agent by agent where their histories part", async () => {
    const places = [];
    for await (const { at, command } of inputsOf(trace)) {
      if (command.kind === "send") places.push(at);
    }
    const [at = [0, 0] as const] = places;
    const found = await diff(trace, await forked({ kind: "drop", at }));
    expect(found?.one?.text).toMatch(/^MAIL from \/root\/a was accepted for \/root\/editor/);
    const editor = found?.agents.find(({ path }) => path === "/root/editor");
    expect(editor?.one?.text).toMatch(/^MAIL from \/root\/a/);
    expect(editor?.other).toBeNull();
    expect(renderDiff(found)).toContain("/root/editor: the same for ");
  });
});
