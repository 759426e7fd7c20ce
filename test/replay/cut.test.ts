/** A trace of a log that retention has cut begins at its anchor, and says so of everything before (S6). */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freeze } from "../../src/kernel/plain.js";
import { exportLog, importLog } from "../../src/log/transfer.js";
import { writeLines } from "../../src/log/lines.js";
import { levelLog } from "../../src/log/levelLog.js";
import type { EventLog } from "../../src/log/log.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import {
  bisect,
  changes,
  check,
  explore,
  fork,
  openTrace,
  renderWhy,
  toMermaid,
  toSwimlanes,
  toTest,
  type Trace,
  type TraceSource,
  verify,
  why,
  whyNot,
} from "../../src/replay/index.js";
import { cutLog } from "../../src/runtime/cutLog.js";
import { testFolder } from "../support/folders.js";
import { record, recordOn } from "../support/recorded.js";

const BEFORE = 6;
const ANCHOR = BEFORE - 1;
const GONE = { code: "log-cut", rule: "S6", anchor: ANCHOR };

async function cutRecord(): Promise<EventLog> {
  const log = memoryLog();
  await record(log);
  await cutLog(log, { before: BEFORE });
  return log;
}

async function linesOf(log: EventLog): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLog(log)) lines.push(line);
  return lines;
}

/** All that a trace of the log shows from the anchor on. */
async function shown(source: TraceSource): Promise<unknown> {
  const trace = await openTrace(source);
  const states = [];
  for (let n = ANCHOR; n <= trace.length; n++) {
    const { durable, volatile } = (await trace.at(n)).whole;
    states.push(freeze({ durable, volatile }));
  }
  const events = [];
  for await (const placed of trace.events({ from: BEFORE })) events.push(placed);
  await trace.close();
  return { states, events, length: trace.length };
}

describe("a trace of a log that was cut", () => {
  it("S6 shows what the whole log shows from the anchor on, wherever it is read from", async () => {
    const whole = memoryLog();
    await record(whole);
    const expected = await shown(whole);
    const cut = await cutRecord();
    const folder = await testFolder();
    const file = join(folder, "cut.jsonl");
    await writeLines(file, exportLog(cut));
    const level = levelLog(join(folder, "log"));
    await recordOn(level);
    await cutLog(level, { before: BEFORE });
    await level.close();
    for (const source of [cut, file, join(folder, "log")]) {
      expect(await shown(source)).toEqual(expected);
    }
  });

  it("S6 begins at its anchor, goes no further back, and refuses each earlier position by type", async () => {
    const trace = await openTrace(await cutRecord());
    expect(trace.position).toEqual([ANCHOR, 0]);
    expect(trace.begin).toBe(ANCHOR);
    expect(await trace.back()).toBeUndefined();
    expect((await trace.step())?.at).toEqual([BEFORE, 0]);
    expect((await trace.back())?.at).toEqual([BEFORE, 0]);
    expect(trace.position).toEqual([ANCHOR, 0]);
    for (const early of [0, 1, ANCHOR - 1, [ANCHOR - 1, 0], [0, 0]] as const) {
      await expect(trace.at(early)).rejects.toMatchObject(GONE);
    }
    await expect(trace.commit(ANCHOR)).rejects.toMatchObject(GONE);
    await expect(eventsOf(trace, 1)).rejects.toMatchObject(GONE);
    expect((await eventsOf(trace))[0]).toEqual([BEFORE, 0]);
  });

  it("S6 says of a file that is read where it lies what it says of a log", async () => {
    const file = join(await testFolder(), "cut.jsonl");
    await writeLines(file, exportLog(await cutRecord()));
    const trace = await openTrace(file);
    await expect(trace.at(1)).rejects.toMatchObject(GONE);
    const lines = await linesOf(await cutRecord());
    for (const [line, broken] of lines.entries()) {
      if (line === 0) continue;
      const other = lines.with(line, broken.replace(/"(?=[^"]*$)/u, "'"));
      await writeLines(file, given(other));
      await expect(openTrace(file)).rejects.toMatchObject({
        code: expect.stringMatching(/^(import-broken|log-corrupt)$/u) as string,
      });
    }
    await writeLines(file, given(lines.slice(0, 3)));
    await expect(openTrace(file)).rejects.toMatchObject({ code: "import-broken", line: 4 });
  });

  it("S6 follows causes and reasons as far as they are there", async () => {
    const trace = await openTrace(await cutRecord());
    const started = await trace.seek(({ type }) => type === "turn.started");
    const text = renderWhy(await why(trace, started!.at));
    expect(text).toContain("what was cut away, at");
    await trace.at(ANCHOR + 1);
    expect(await whyNot(trace, "/root/editor", "settle")).toMatchObject({ since: BEFORE });
    expect(await changes(trace, ANCHOR, trace.length)).not.toEqual([]);
    expect(await toSwimlanes(trace)).toContain("editor#2 starts");
    expect(await toMermaid(trace)).toContain("sequenceDiagram");
    const found = await bisect(trace, ({ durable }) => durable.active === 0);
    expect(found?.at[0]).toBeGreaterThan(ANCHOR);
    await expect(bisect(trace, () => true)).rejects.toMatchObject(GONE);
  });

  it("S6 refuses by type what can't be told without the beginning", async () => {
    const trace = await openTrace(await cutRecord());
    await expect(check(trace)).rejects.toMatchObject(GONE);
    await expect(verify(trace)).rejects.toMatchObject(GONE);
    await expect(toTest(trace)).rejects.toMatchObject(GONE);
    await expect(fork(trace, trace.length)).rejects.toMatchObject(GONE);
    await expect(explore(trace, ANCHOR + 1)).rejects.toMatchObject(GONE);
  });
});

describe("an export of a log that was cut", () => {
  it("S6 L4 is refused where any line of it is broken, and nothing is written", async () => {
    const lines = await linesOf(await cutRecord());
    const header = JSON.parse(lines[0] ?? "") as { anchor: Record<string, number> };
    const bad = (anchor: unknown): string[] => lines.with(0, JSON.stringify({ ...header, anchor }));
    const broken = [
      ...lines.slice(1).map((text, i) => lines.with(i + 1, text.replace(/"(?=[^"]*$)/u, "'"))),
      lines.toSpliced(1, 1),
      lines.slice(0, 2),
      bad({ ...header.anchor, position: 0 }),
      bad({ ...header.anchor, position: 9_999 }),
      bad({ ...header.anchor, kept: -1 }),
      bad({ ...header.anchor, kept: (header.anchor["kept"] ?? 0) + 1 }),
      bad("here"),
    ];
    for (const given of broken) {
      const log = memoryLog();
      await expect(importLog(log, () => given)).rejects.toMatchObject({ code: "import-broken" });
      expect(await log.sessions()).toEqual([]);
    }
  });
});

async function eventsOf(trace: Trace, from?: number): Promise<unknown[]> {
  const found: unknown[] = [];
  const filter = from === undefined ? {} : { from };
  for await (const { at } of trace.events(filter)) found.push(at);
  return found;
}

async function* given(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
