/** Sources of a trace: one session read from a folder, an export, a log, or from commits at hand is the same. */
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { levelLog } from "../../src/log/levelLog.js";
import { writeLines } from "../../src/log/lines.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import { exportLog } from "../../src/log/transfer.js";
import {
  type Trace,
  type TraceSource,
  changes,
  check,
  explore,
  fork,
  openTrace,
  races,
  stranded,
  toMermaid,
  toTest,
  verify,
  whyNot,
} from "../../src/replay/index.js";
import { fingerprint, testFolder } from "../support/folders.js";
import { record, recordOn } from "../support/recorded.js";

async function eventsOf(trace: Trace): Promise<unknown[]> {
  const events = [];
  for await (const placed of trace.events()) events.push(placed);
  return events;
}

/** All that a source shows: its events, and an agent at some positions. */
async function shown(source: TraceSource): Promise<unknown> {
  const trace = await openTrace(source);
  const events = await eventsOf(trace);
  const states = [];
  for (const n of [trace.length, 3, 7]) {
    await trace.at(n);
    states.push(trace.state("/root/editor"));
  }
  await expect(trace.at(trace.length + 1)).rejects.toMatchObject({ code: "bad-argument" });
  await trace.close();
  return { events, states };
}

async function memoryShown(): Promise<unknown> {
  const log = memoryLog();
  await record(log);
  return shown(log);
}

describe("a trace", () => {
  it("L4 reads an export where it lies", async () => {
    const log = memoryLog();
    await record(log);
    const file = join(await testFolder(), "session.jsonl");
    await writeLines(file, exportLog(log));
    expect(await shown(file)).toEqual(await memoryShown());
  });

  it("L4 names the broken line of an export, and refuses a file that is none", async () => {
    const log = memoryLog();
    await record(log);
    const lines = [];
    for await (const line of exportLog(log)) lines.push(line);
    const file = join(await testFolder(), "broken.jsonl");
    const write = (kept: readonly string[]) =>
      writeLines(
        file,
        (async function* () {
          yield* kept;
        })(),
      );
    await write(lines.slice(0, -1));
    await expect(openTrace(file)).rejects.toMatchObject({ code: "import-broken" });
    await write([lines[0] ?? "", (lines[1] ?? "").replace("main", "niam"), ...lines.slice(2)]);
    await expect(openTrace(file)).rejects.toMatchObject({ code: "log-corrupt" });
    await write(["hello"]);
    await expect(openTrace(file)).rejects.toMatchObject({ code: "import-broken" });
  });

  it("reads commits that were on no log, and refuses them with a gap", async () => {
    const log = memoryLog();
    await record(log);
    const trace = await openTrace(log);
    const commits = [];
    for (let n = 1; n <= trace.length; n++) commits.push(await trace.commit(n));
    expect(await shown(commits)).toEqual(await memoryShown());
    await expect(openTrace(commits.slice(1))).rejects.toThrow("L2");
  });

  it("R3 reads a folder and leaves it byte for byte as it was; says who has it while it is open", async () => {
    const folder = join(await testFolder(), "data");
    const log = levelLog(folder);
    await recordOn(log);
    await expect(openTrace(folder)).rejects.toMatchObject({ code: "log-in-use" });
    await log.close();
    const before = await fingerprint(folder);
    expect(await shown(folder)).toEqual(await memoryShown());
    expect(await fingerprint(folder)).toEqual(before);
  });
});

describe("effects", () => {
  it("R3 are off: what would reach the clock, a timer or an id throws, and nothing does", async () => {
    const log = memoryLog();
    await record(log);
    const ports = [
      vi.spyOn(Date, "now"),
      vi.spyOn(Math, "random"),
      vi.spyOn(globalThis, "setTimeout"),
      vi.spyOn(globalThis, "setInterval"),
      vi.spyOn(globalThis, "setImmediate"),
      vi.spyOn(globalThis.crypto, "randomUUID"),
      vi.spyOn(log, "openSession"),
      vi.spyOn(log, "restore"),
    ];
    for (const port of ports) {
      port.mockImplementation(() => {
        throw new Error("effects are off");
      });
    }
    try {
      const trace = await openTrace(log);
      await trace.end();
      while ((await trace.back()) !== undefined) stranded(trace);
      await changes(trace, 0, trace.length);
      await whyNot(trace, "/root/editor", "wake", 7);
      expect(await verify(trace)).toBeUndefined();
      expect(await check(trace)).toBeUndefined();
      await fork(trace, 7, { changes: [{ kind: "crash" }], standIn: true });
      await races(trace, { budget: 3 });
      await explore(trace, 7, { budget: 3 });
      await toTest(trace, 7);
      await toMermaid(trace);
      for (const port of ports) expect(port).not.toHaveBeenCalled();
    } finally {
      for (const port of ports) port.mockRestore();
    }
  });
});
