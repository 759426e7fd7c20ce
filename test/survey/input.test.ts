/** Input that the survey can't use: a clear message, exit code 2, nothing written. */
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { levelLog } from "dovecote";
import { expect, it, vi } from "vitest";
import { BadInput, readArgs } from "../../examples/survey/args.js";
import { run } from "../../examples/survey/commands.js";
import { listFiles } from "../../examples/survey/files.js";
import { languageOf } from "../../examples/survey/languages.js";
import { nameAgents, readTop } from "../../examples/survey/target.js";
import { shorten } from "../../examples/survey/timeline.js";
import { testFolder } from "../support/folders.js";
import { type Ended, everything, survey, write } from "./program.js";

const TIMEOUT_MS = 60_000;

it(
  "is refused with exit code 2, and nothing is written",
  async () => {
    const place = await testFolder();
    const state = join(place, "state");
    await write(place, { "ok/a/x.ts": "x\n", "a file": "x", "full/x": "x", "newer/CURRENT": "x" });
    await write(place, { "newer/dovecote.json": JSON.stringify({ format: 99, state: "ready" }) });
    await mkdir(state);
    const held = levelLog(join(place, "held"));
    await held.sessions();
    const at = (...names: string[]) => join(place, ...names);
    const cases: readonly (readonly [args: readonly string[], says: RegExp])[] = [
      [[at("none")], /none does not exist/],
      [[at("a file")], /a file is a file/],
      [[at("a file", "x")], /is a file, or leads through one/],
      [[at("ok"), at("ok")], /One folder at a time/],
      [[at("ok"), "--wat"], /Unknown option '--wat'[^]*npm start -- \[folder\]/],
      [[at("ok"), "--log", at("held")], /held \(held by process \d+\) is in use/],
      [[at("ok"), "--log", at("full")], /full is not a dovecote log/],
      [[at("ok"), "--log", at("a file")], /is not a dovecote log: it is a file/],
      [[at("ok"), "--log", at("none", "log")], /the folder that should hold it does not exist/],
      [[at("ok"), "--log", at("newer")], /newer is a log of format 99/],
    ];
    const before = await everything(place);
    const runs: Ended[] = [];
    for (let from = 0; from < cases.length; from += 4) {
      const some = cases.slice(from, from + 4).map(([args]) => survey(state, ...args));
      runs.push(...(await Promise.all(some)));
    }
    cases.forEach(([args, says], index) => {
      const run = runs[index];
      expect([args, run?.code, run?.out]).toEqual([args, 2, ""]);
      expect(run?.err).toMatch(says);
      expect(run?.err).not.toMatch(/^ +at /m);
    });
    expect(await everything(place)).toEqual(before);
    await held.close();
  },
  TIMEOUT_MS,
);

it(
  "is refused too when permission is denied, unless we may read everything",
  async () => {
    const folder = await testFolder();
    const state = await testFolder();
    await chmod(folder, 0o000);
    const { code, err } = await survey(state, folder);
    await chmod(folder, 0o700);
    const isAllowed = process.getuid?.() === 0;
    expect(code).toBe(isAllowed ? 0 : 2);
    expect(err).toMatch(isAllowed ? /The log: / : /permission is denied/);
  },
  TIMEOUT_MS,
);

it(
  "is none when help is asked for",
  async () => {
    const { code, out, err } = await survey(await testFolder(), "--help");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("npm start -- [folder]");
  },
  TIMEOUT_MS,
);

it("is refused as a command line that says too much, too little, or something unknown", () => {
  expect(readArgs([])).toEqual({ json: false, help: false });
  expect(readArgs(["a", "--json", "--log=b"])).toMatchObject({ folder: "a", log: "b", json: true });
  for (const argv of [[""], ["a", "b"], ["--log"], ["--log", ""], ["--json=1"], ["-x"]]) {
    expect(() => readArgs(argv)).toThrow(BadInput);
  }
});

it("gives at most 24 folders an agent, and says which are left out", async () => {
  const folder = await testFolder();
  const names = Array.from({ length: 26 }, (_, n) => `d${String(n).padStart(2, "0")}`);
  for (const name of names) await mkdir(join(folder, name));
  const { folders, leftOut } = await readTop(folder, "/nowhere", new AbortController().signal);
  expect(folders).toEqual(names.slice(0, 24));
  expect(leftOut).toEqual([{ why: "more than 24 folders", names: ["d24", "d25"], more: 0 }]);
});

it("names agents after folders, never two alike, and never one anew", () => {
  const first = nameAgents([".", "a-b", "a_b", "A.B", "editor", "root", "…", "x".repeat(200)], []);
  expect([...first.values()].slice(0, 7)).toEqual([
    "top_files",
    "a_b",
    "a_b_2",
    "a_b_3",
    "editor_2",
    "root_2",
    "folder",
  ]);
  expect([...first.values()].every((name) => /^[a-z0-9_]{1,64}$/.test(name))).toBe(true);
  const second = nameAgents(["A-B", "a_b"], [...first]);
  expect([second.get("a_b"), second.get("A-B")]).toEqual(["a_b_2", "a_b_4"]);
});

it("tells what a file is written in by its extension, its name or its first line, and passes over what is no text", () => {
  const of = (path: string, head = "") => languageOf(path, Buffer.from(head));
  expect([of("a/b.TS"), of("Makefile"), of("a/Dockerfile"), of("LICENSE")]).toEqual([
    "TypeScript",
    "Make",
    "Docker",
    "Text",
  ]);
  expect(of("run", "#!/usr/bin/env bash\n")).toBe("Shell");
  expect(of("run", "#! /usr/bin/env -S A=1 python3.11 -u\n")).toBe("Python");
  expect([of("run", "#!/opt/odd\n"), of("run", "#!"), of("run")]).toEqual(Array(3).fill("Other"));
  expect([of("a.ts", "G\0"), of("a.bin", "\0")]).toEqual([undefined, undefined]);
});

it("shortens a long picture in its middle, and keeps its legend", () => {
  const rows = Array.from({ length: 70 }, (_, n) => `row ${n}`);
  const lines = shorten([...rows, "", "legend"].join("\n")).split("\n");
  expect(lines).toHaveLength(63);
  expect(lines.slice(39, 42)).toEqual(["row 39", "  ... 10 lines are left out", "row 50"]);
  expect(lines.slice(-2)).toEqual(["", "legend"]);
  expect(shorten("row\n\nlegend")).toBe("row\n\nlegend");
});

it("leaves no timer behind when a command can't be started", async () => {
  vi.useFakeTimers();
  try {
    const { signal } = new AbortController();
    await expect(run("no-such-command", [], { cwd: ".", signal })).rejects.toThrow("no-such-");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

it("says of a folder that has gone since the survey began that it is gone", async () => {
  const look = { kind: "look", survey: 1, folder: "gone", target: await testFolder() } as const;
  await expect(listFiles(look, new AbortController().signal)).rejects.toThrow("the folder is gone");
});
