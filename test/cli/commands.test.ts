/**
 * Every command of the command line, from the program's own list: those that read leave the log as it was, all take
 * what help promises; and those that judge, fork and keep logs do it.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programFor } from "../../src/cli/run.js";
import { exportLog } from "../../src/log/transfer.js";
import { levelLog, readLevelLog } from "../../src/log/levelLog.js";
import { writeLines } from "../../src/log/lines.js";
import { cutLog } from "../../src/runtime/cutLog.js";
import { readSession } from "../../src/runtime/readSession.js";
import { call } from "../support/cli.js";
import { fingerprint, makeFolder } from "../support/folders.js";
import { recordOn } from "../support/recorded.js";

let folder: string;
let spare: string;
const removes: (() => Promise<void>)[] = [];

beforeAll(async () => {
  for (const use of [(path: string) => (folder = path), (path: string) => (spare = path)]) {
    const made = await makeFolder();
    removes.push(made.remove);
    use(made.path);
  }
  const log = levelLog(folder);
  await recordOn(log);
  await log.close();
});
afterAll(() => Promise.all(removes.map((remove) => remove())));

/** What is typed after each command that reads a log and its folder; `null` for those that write one of their own. */
const READS: Readonly<Record<string, readonly string[] | null>> = {
  log: [],
  show: ["7.0"],
  replay: ["--at", "7"],
  why: ["7.1"],
  whynot: ["editor", "wake", "--at", "7"],
  stranded: ["--at", "7"],
  state: ["--at", "7"],
  diff: ["7", "8"],
  verify: [],
  check: [],
  bisect: ["editor", "completed"],
  races: ["--budget", "20"],
  explore: ["7", "--budget", "5"],
  fork: ["7", "--capacity", "3"],
  lanes: ["--from", "3", "--to", "9"],
  totest: ["7"],
  sessions: [],
  agents: [],
  history: ["editor"],
  result: ["/root"],
  unread: ["editor"],
  export: [],
  import: null,
  salvage: null,
  completion: null,
  fuzz: null,
};

const program = programFor(
  { out: () => undefined, err: () => undefined, width: 100 },
  () => undefined,
);
const names = program.commands.map((command) => command.name());

describe("every command", () => {
  it("is known to this test", () => {
    expect(names.filter((name) => !(name in READS))).toEqual([]);
  });

  it.each(names.filter((name) => READS[name] != null))(
    "R3 that reads, as %s, answers and leaves the log byte for byte as it was",
    async (name) => {
      const before = await fingerprint(folder);
      const { code, out, err } = await call(name, folder, ...(READS[name] ?? []));
      expect(code, err).toBeLessThan(2);
      expect(out + err).not.toBe("");
      expect(await fingerprint(folder)).toEqual(before);
    },
  );

  it.each(names)("X4 says what %s takes, and refuses an option that it has not", async (name) => {
    const help = await call(name, "--help");
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toContain(`dovecote ${name}`);
    const odd = await call(name, "--no-such-option");
    expect(odd.code).toBe(2);
    expect(odd.out).toBe("");
  });

  it.each(names.filter((name) => READS[name] != null && name !== "export"))(
    "prints JSON, one object a line, as %s --json",
    async (name) => {
      const { out } = await call(name, folder, ...(READS[name] ?? []), "--json");
      const rows = out.split("\n").filter((text) => text !== "");
      // These have nothing to say of a session that is well, and whose agents have read everything.
      if (!["check", "unread"].includes(name)) expect(rows).not.toEqual([]);
      for (const row of rows) expect(row).toMatch(/^\{.*\}$/u);
      for (const row of rows) expect(JSON.parse(row)).toBeTypeOf("object");
    },
  );

  it("is completed by bash, zsh and fish, with its options", async () => {
    const script = (await call("completion", "bash")).out;
    const complete = (...words: readonly string[]): string[] =>
      execFileSync(
        "bash",
        [
          "-c",
          `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dovecote; echo "\${COMPREPLY[@]}"`,
          "_",
          ...words,
        ],
        { encoding: "utf8" },
      )
        .trim()
        .split(" ");
    expect(complete("dovecote", "str")).toEqual(["stranded"]);
    expect(complete("dovecote", "state", "--a")).toEqual(["--at"]);
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, out } = await call("completion", shell);
      expect(code).toBe(0);
      for (const name of names) expect(out).toContain(name);
      expect(out).toMatch(shell === "fish" ? /-l at\b/u : /--at\b/u);
    }
  });
});

describe("dovecote", () => {
  it("replays a position with what each event changed", async () => {
    const { out } = await call("replay", folder, "--at", "7");
    expect(out).toContain("7.0  MAIL from /root/a");
    expect(out).toMatch(/7\.0 .*\n {10}\/root\/editor {2}/u);
  });

  it("finds the event from which on something holds", async () => {
    const found = await call("bisect", folder, "editor", "spawned");
    expect(found.code).toBe(1);
    expect(found.out).toMatch(/^\d+\.\d+ {2}/u);
    expect((await call("bisect", folder, "editor", "errored")).code).toBe(0);
  });

  it("L3 L4 verifies bytes and rules, and checks the invariants", async () => {
    expect((await call("verify", folder)).out).toMatch(
      /^main {2}\d+ commits, \d+ events, all well$/u,
    );
    expect(await call("check", folder)).toMatchObject({ code: 0, out: "" });
  });

  it("L4 exports, imports with the same head, and tells that the two logs say the same", async () => {
    const file = join(spare, "export.jsonl");
    const copy = join(spare, "copy");
    expect(await call("export", folder, file)).toMatchObject({ code: 0, out: "" });
    const imported = await call("import", file, copy);
    const log = readLevelLog(folder);
    const head = (await log.readSession("main"))?.head();
    await log.close();
    expect(imported.out).toBe(`main  ${head?.position} commits, head ${head?.hash}`);
    expect(await call("diff", folder, copy)).toMatchObject({
      code: 0,
      out: "The two say the same.",
    });
    expect((await call("import", file, copy)).code).toBe(2);
    expect((await call("log", file, "--from", "7", "--to", "7")).out).toContain(
      "MAIL from /root/a",
    );
  });

  it("L3 salvages what can be proved good, and ends with 1 where something is left out", async () => {
    const lines: string[] = [];
    const log = readLevelLog(folder);
    for await (const line of exportLog(log)) lines.push(line);
    await log.close();
    expect(lines.length).toBeGreaterThan(5);
    const to = join(spare, "salvaged");
    const whole = await call("salvage", folder, to);
    expect(whole).toMatchObject({ code: 0, out: `main  ${lines.length - 1} commits saved` });
    expect((await call("salvage", folder, to)).code).toBe(2);
  });

  it("forks into a log of its own, and says what differs", async () => {
    const into = join(spare, "forks");
    const forked = await call(
      "fork",
      folder,
      "6",
      "--capacity",
      "3",
      "--into",
      into,
      "--name",
      "wide",
    );
    expect(forked.code).toBe(1);
    expect(forked.out).toContain("one: ");
    const session = await readSession({ log: into, id: "wide" });
    expect(session.list().length).toBeGreaterThan(2);
    await session.close();
    expect((await call("fork", folder, "999")).code).toBe(2);
    expect((await call("fork", folder, "6", "--swap", "1")).err).toContain("Write two points");
    expect((await call("fork", folder, "6", "--mail", "x")).err).toContain(
      "Write a path and a text",
    );
  });

  it("X4 refuses to verify a session that is not there, and says where there is none to show", async () => {
    const none = await call("verify", folder, "-s", "other");
    expect(none).toMatchObject({ code: 2, out: "" });
    expect(none.err).toContain('no session "other"');
    expect((await call("replay", folder, "--at", "0")).err).toContain("Nothing had happened");
  });

  it("S6 L3 verifies the bytes of a log that was cut, and says what can't be decided anew", async () => {
    const file = join(spare, "whole.jsonl");
    const cut = join(spare, "cut");
    await call("export", folder, file);
    await call("import", file, cut);
    await cutLog(cut, { before: 6 });
    const { code, out } = await call("verify", cut);
    expect(code).toBe(0);
    expect(out).toMatch(/all well, but cut after 5: decisions are not compared$/u);
  });

  it("draws lanes, as text and as Mermaid", async () => {
    expect((await call("lanes", folder)).out).toContain("editor");
    expect((await call("lanes", folder, "--mermaid")).out).toMatch(/^sequenceDiagram/u);
  });

  it("S6 reads a part of a result that is JSON by its pointer, and says why it can't", async () => {
    expect((await call("result", folder, "/root", "/a")).err).toContain("The result is not JSON");
  });

  it("L4 names the broken line of an import, and writes nothing", async () => {
    const file = join(spare, "broken.jsonl");
    async function* broken(): AsyncGenerator<string> {
      yield await Promise.resolve("no json");
    }
    await writeLines(file, broken());
    const target = join(spare, "never");
    const { code, err } = await call("import", file, target);
    expect(code).toBe(2);
    expect(err).toContain("Line 1 is broken");
  });
});
