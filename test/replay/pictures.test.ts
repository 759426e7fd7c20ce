/** What a moment can be taken along as: a test that reproduces it, and pictures of how it came. */
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { memoryLog } from "../../src/log/memoryLog.js";
import * as replay from "../../src/replay/index.js";
import { toMermaid, toSwimlanes } from "../../src/replay/picture.js";
import { standings, toTest } from "../../src/replay/toTest.js";
import { type Trace, openTrace } from "../../src/replay/trace.js";
import { record } from "../support/recorded.js";

let trace: Trace;

beforeAll(async () => {
  const log = memoryLog();
  await record(log);
  trace = await openTrace(log);
});

/** Evaluates a test file: what it imports is handed in, and its one test is run. */
async function runs(text: string): Promise<void> {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const imports = /^import \{ (.*) \} from "(.*)";$/gm;
  const found = [...outputText.matchAll(imports)].map(([, names, from]) => `${from}: ${names}`);
  expect(found).toEqual(["vitest: expect, it", "dovecote/replay: openTrace, rerun, standings"]);
  const tests: (() => Promise<void>)[] = [];
  const it = (_: string, test: () => Promise<void>): void => void tests.push(test);
  // oxlint-disable-next-line no-implied-eval -- the text is what is tested
  const evaluate = new Function(
    "expect",
    "it",
    ...Object.keys(replay),
    outputText.replaceAll(imports, ""),
  );
  (evaluate as (...given: readonly unknown[]) => void)(expect, it, ...Object.values(replay));
  expect(tests).toHaveLength(1);
  await tests[0]?.();
}

describe("toTest", () => {
  it("writes a file that reproduces the moment, and fails where something else is expected", async () => {
    const text = await toTest(trace, 7);
    const { whole } = await trace.at(7);
    expect(standings(whole)).toContainEqual({
      path: "/root/editor",
      phase: "idle",
      turns: 1,
      unread: 1,
      marked: true,
    });
    for (const one of standings(whole)) expect(text).toContain(JSON.stringify(one));
    await runs(text);
    const wrong = text.replace('"unread":1,"marked":true', '"unread":0,"marked":true');
    expect(wrong).not.toBe(text);
    await expect(runs(wrong)).rejects.toThrow("to deeply equal");
  });
});

describe("pictures", () => {
  it("draws mail as arrows and turns as activations, for any range", async () => {
    const all = (await toMermaid(trace)).split("\n");
    expect(all.slice(0, 6)).toEqual([
      "sequenceDiagram",
      "  participant person as person",
      "  participant root as /root",
      "  participant root__a as /root/a",
      "  participant root__b as /root/b",
      "  participant root__editor as /root/editor",
    ]);
    expect(all).toContain("  root__a->>root__editor: MAIL, 11 characters %% 7.0");
    const activated = all.filter((line) => /^ {2}activate /.test(line)).length;
    expect(all.filter((line) => /^ {2}deactivate /.test(line))).toHaveLength(activated);
    const part = await toMermaid(trace, { from: 7, to: 7 });
    expect(part).toContain("MAIL, 11 characters");
    expect(part).not.toContain("activate");
  });

  it("draws swimlanes for any range", async () => {
    const part = await toSwimlanes(trace, { from: 7, to: 8 });
    expect(part).toContain("8.");
    expect(part).not.toMatch(/^ *[1-6]\.\d/m);
    expect((await toSwimlanes(trace)).split("\n").length).toBeGreaterThan(part.split("\n").length);
  });
});
