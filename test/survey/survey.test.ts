/** The main job from end to end: real runs on real folders. */
import { execFileSync } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../support/folders.js";
import { eventsOf, everything, linesOf, madeFolder, survey, write } from "./program.js";

const TIMEOUT_MS = 60_000;
const REFUSED = '"code":"at-capacity"';

describe("the survey of a folder", () => {
  it(
    "reports what is in it, the same each time, and touches nothing of it",
    async () => {
      const [folder, state] = [await madeFolder(), await testFolder()];
      const before = await everything(folder);
      const logs = [join(state, "one"), join(state, "two")];
      const runs = await Promise.all(logs.map((log) => survey(state, folder, "--log", log)));
      const [first, second] = runs;
      expect(runs.map(({ code }) => code)).toEqual([0, 0]);
      expect(first?.out).toMatch(/^\(files at the top\) +2 +1 +Markdown 1 /m);
      expect(first?.out).toMatch(/^c d +2 +3 +TypeScript 2, Markdown 1 /m);
      expect(first?.out).toMatch(/^f +4 +504 +Python 500, TypeScript 2, \+2 /m);
      expect(first?.out).toMatch(/^all +16 +520$/m);
      expect(first?.out).toContain("Longest file of f, which has the most lines: long.py, 500 ");
      expect(first?.out).toContain("Left out (a link): link\nLeft out (installed packages): node_");
      expect(second?.out).toBe(first?.out);
      expect(first?.err).toContain("Who woke whom, and why:");
      expect(first?.err).toContain(`The log: ${logs[0]}`);
      expect(await everything(folder)).toEqual(before);
    },
    TIMEOUT_MS,
  );

  it(
    "says in a second run, by the same agents, what has changed since the first",
    async () => {
      const [folder, state] = [await madeFolder(), await testFolder()];
      const first = await survey(state, folder);
      await write(folder, { "f/long.py": "x\n".repeat(510), "new/n.go": "n\n", "a-b/y.ts": "y\n" });
      await rm(join(folder, "g"), { recursive: true });
      await rm(join(folder, "c d", "one.ts"));
      const second = await survey(state, folder);
      const third = await survey(state, folder);
      expect([first.code, second.code, third.code]).toEqual([0, 0, 0]);
      expect(second.err).toMatch(/^f +starts: assigned by the host$/m);
      expect(second.err).toMatch(/^new +starts: spawned by the root$/m);
      expect(second.out).toContain("Survey 2 of ");
      const since = second.out.slice(second.out.indexOf("Since survey 1:"));
      expect(since).toMatch(/^ {2}f +1 changed, \+10 lines \(changed long\.py\)$/m);
      expect(since).toMatch(/^ {2}a-b +1 added, \+1 line \(added y\.ts\)$/m);
      expect(since).toMatch(/^ {2}c d +1 removed, -2 lines \(removed one\.ts\)$/m);
      expect(since).toMatch(/^ {2}new +new$/m);
      expect(since).toMatch(/^ {2}g +gone, or left out this time$/m);
      expect(since).toContain("3 parts are as before");
      expect(third.out).toContain("Since survey 2: nothing has changed.");
      expect(await readdir(state)).toEqual(["dovecote"]);
    },
    TIMEOUT_MS,
  );

  it(
    "asks git, where it is there: what is ignored is left out, and the newest commit is told",
    async () => {
      const [folder, state] = [await testFolder(), await testFolder()];
      await write(folder, { ".gitignore": "dist\n*.log\n", "dist/x.js": "x\n", "src/a.ts": "a\n" });
      await write(folder, { "src/a.log": "l\n", "docs/d.md": "d\n" });
      const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
      git("init", "-q");
      git("add", "-A");
      git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "Say $(touch x) `y`");
      const { code, out } = await survey(state, folder);
      expect(code).toBe(0);
      expect(out).toMatch(/^src +1 +1 +TypeScript 1 +\S+ [0-9a-f]+ Say \$\(touch x\) `y`$/m);
      expect(out).toContain("Left out (ignored by git): dist");
      expect(await readdir(folder)).toEqual([".git", ".gitignore", "dist", "docs", "src"]);
    },
    TIMEOUT_MS,
  );

  it(
    "counts all text, whatever its name, and says what it does not count",
    async () => {
      const [folder, state] = [await testFolder(), await testFolder()];
      await write(folder, { "a/Makefile": "all:\n", "a/run": "#!/bin/sh\n:\n", "a/notes": "n\n" });
      await write(folder, { "a/two\nlines.go": "g\n", "a/-x.png": "\0\n", "b/x.bin": "\0" });
      const notUtf8 = (name: string) => Buffer.from(`${folder}/${name}`, "latin1");
      await writeFile(notUtf8("b/\xff.ts"), "1\n");
      await mkdir(notUtf8("\xe9"));
      const { code, out, err } = await survey(state, folder);
      expect(code).toBe(0);
      expect(out).toMatch(/^a +5 +5 +Shell 2, Go 1, \+2 /m);
      expect(out).toContain("b: 1 file left out, with a name that is not UTF-8");
      expect(out).toContain("2 files are binary (.bin 1, .png 1)");
      expect(out).toContain("Left out (not named in UTF-8): \uFFFD");
      expect(err).not.toContain("errored");
    },
    TIMEOUT_MS,
  );

  it(
    "surveys an empty folder",
    async () => {
      const { code, out } = await survey(await testFolder(), await testFolder());
      expect(code).toBe(0);
      expect(out).toContain("There is nothing to survey in it.");
    },
    TIMEOUT_MS,
  );

  it(
    "shows with --json, a line an object, that slots are scarce and that commands run on",
    async () => {
      const [folder, state] = [await madeFolder(), await testFolder()];
      const { code, out, err } = await survey(state, folder, "--json");
      expect([code, err]).toEqual([0, ""]);
      const lines = linesOf(out);
      const kinds = lines.map(({ type }) => type).filter((type) => type !== "event");
      expect(kinds).toEqual(["opening", "plan", "report", "timeline", "log"]);
      expect(lines.find(({ type }) => type === "report")).toMatchObject({
        survey: 1,
        edition: { kind: "edition", survey: 1 },
      });
      const events = eventsOf(out).map(({ event }) => event);
      const notes = events.filter(({ type }) => type === "transcript.recorded");
      expect(notes.some((one) => JSON.stringify(one).includes(REFUSED))).toBe(true);
      expect(notes).toContainEqual(expect.objectContaining({ entry: { kind: "held" } }));
      const executions = events.filter((one) => one.type === "mail.queued" && "execution" in one);
      expect(executions).toHaveLength(7);
      const wakes = events.filter((one) => one.type === "turn.started" && one.start === "wake");
      expect(wakes).toContainEqual(expect.objectContaining({ path: "/root/f", turn: 2 }));
    },
    TIMEOUT_MS,
  );
});
