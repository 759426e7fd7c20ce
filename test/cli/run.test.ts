/** The command line: what it prints, where, and how it ends; the log it looks at stays as it is. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { levelLog } from "../../src/log/levelLog.js";
import { recordOn } from "../support/recorded.js";
import { call } from "../support/cli.js";
import { fingerprint, makeFolder } from "../support/folders.js";

let folder: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ path: folder, remove } = await makeFolder());
  const log = levelLog(folder);
  await recordOn(log);
  await log.close();
});

afterAll(() => remove());

describe("dovecote", () => {
  it("R3 answers from a log and leaves its folder byte for byte as it was", async () => {
    const before = await fingerprint(folder);
    expect(await call("sessions", folder)).toEqual({ code: 0, out: "main", err: "" });
    expect((await call("agents", folder)).out).toContain(
      "/root/editor  idle, turn 2, last completed",
    );
    expect((await call("history", folder, "editor")).out).toContain(
      "[2] MAIL from /root/a: please look",
    );
    expect((await call("result", folder, "/root")).out).toBe("all done");
    expect((await call("state", folder, "--at", "7")).out).toContain(
      "/root/editor  idle, turn 1, 1 unread, marked",
    );
    expect((await call("log", folder, "--from", "7", "--to", "7")).out).toContain(
      "     7.0  MAIL from /root/a",
    );
    expect((await call("show", folder, "7.0")).out).toContain('"text": "please look"');
    expect((await call("why", folder, "7.1")).out).toContain("because 7.0  MAIL");
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("ends with 1 where something was found, with 0 where nothing was", async () => {
    const blocked = await call("whynot", folder, "editor", "wake", "--at", "7");
    expect(blocked.code).toBe(1);
    expect(blocked.out).toContain("all slots are in use: 2/2 (W6), since commit 7.");
    expect((await call("stranded", folder, "--at", "7")).code).toBe(1);
    expect((await call("diff", folder, "7", "8")).code).toBe(1);
    expect(await call("diff", folder, "7", "7")).toEqual({ code: 0, out: "", err: "" });
  });

  it("takes the beginning of a command's name where it begins no other", async () => {
    expect(await call("sess", folder)).toEqual(await call("sessions", folder));
    expect((await call("why", folder, "7.1")).out).toContain("because 7.0  MAIL");
    expect((await call("whyn", folder, "editor", "wake")).out).toContain("/root/editor");
    const ambiguous = await call("s", folder);
    expect(ambiguous).toMatchObject({ code: 2, out: "" });
    expect(ambiguous.err).toContain("s may be show, stranded");
  });

  it("prints one JSON object a line when asked", async () => {
    for (const args of [
      ["log", folder],
      ["agents", folder],
      ["stranded", folder, "--at", "7"],
      ["state", folder],
    ]) {
      const { out } = await call(...args, "--json");
      const lines = out.split("\n").map((line) => JSON.parse(line) as unknown);
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).toBeTypeOf("object");
    }
  });

  it.each([
    [["agnets", "x"], "Did you mean agents?"],
    [["whynot", "LOG", "editor", "sleep"], "Allowed choices are wake, start, delivery, settle"],
    [["show", "LOG", "x"], "Write a commit, such as 12, or an event of it, such as 12.3"],
    [["history", "LOG", "a/../b"], "Write an agent's path"],
    [["state", "LOG", "--at", "999"], "There is no position 999"],
    [["log", "/nowhere/at/all"], "dovecote:"],
    [["log", "LOG", "-s", "other"], 'no session "other"'],
  ])("X4 ends with 2 and says what would be right: %j", async (args, says) => {
    const called = await call(...args.map((arg) => (arg === "LOG" ? folder : arg)));
    expect(called.code).toBe(2);
    expect(called.err).toContain(says);
    expect(called.out).toBe("");
  });

  it("helps when asked, and that is no error", async () => {
    const { code, out } = await call("--help");
    expect(code).toBe(0);
    for (const name of ["log", "why", "whynot", "stranded", "agents"]) expect(out).toContain(name);
  });
});
