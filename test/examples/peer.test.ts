/** The example examples/peer, run as a process and killed as one. */
import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { testFolder } from "../support/folders.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NOTES = "/root/lead/notes";

/** Runs it to its end, or kills it as soon as it has printed a line that begins so. */
function run(
  args: readonly string[],
  killAt?: string,
): Promise<{ code: number | null; out: string }> {
  const command = ["--import", "tsx", "examples/peer/main.ts", ...args];
  const child = spawn(process.execPath, command, { cwd: ROOT });
  let out = "";
  const take = (text: string): void => {
    out += text;
    if (killAt !== undefined && out.split("\n").includes(killAt)) child.kill("SIGKILL");
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out }));
  });
}

describe("the release team", () => {
  it("O3 O5 O6 gets a message once, with a copy for its lead, however often it is sent", async () => {
    const log = join(await testFolder(), "log");
    const send = ["send", NOTES, "Use the new format.", "--log", log, "--id", "ticket-7"];
    const first = await run(send);
    expect(first.code).toBe(0);
    expect(first.out).toContain(`child ${NOTES}: sent, published`);
    expect(first.out).toContain("parent /root/lead: sent, published");
    const again = await run([...send, "--replay"]);
    expect(again.out).toContain(`child ${NOTES}: sent, pending`);
    const read = await run(["read", NOTES, "--log", log]);
    expect(read.out).toBe("person: Use the new format.\n");
    expect((await run(send)).out).toContain(`child ${NOTES}: sent, delivered`);
    const leader = await run(["leader", NOTES, "--log", log]);
    expect(leader.out).toContain("is /root/lead, generation 1");
  });

  it.each([
    "planned ticket-8",
    "began to send to the child",
    "child: published",
    "began to send to the parent",
    "parent: published",
  ])("O5 killed when it says '%s', and run again, writes to nobody twice", async (line) => {
    const folder = await testFolder();
    const [log, inbox] = [join(folder, "log"), join(folder, "inbox")];
    const send = ["send", NOTES, "Wait.", "--log", log, "--inbox", inbox, "--id", "ticket-8"];
    await run(send, line);
    const again = await run(send);
    expect(again.out).toMatch(/^child \/root\/lead\/notes: (?:sent|unknown)/m);
    expect(again.out).toMatch(/^parent \/root\/lead: (?:sent|unknown)/m);
    const boxes = (await readdir(inbox)).sort();
    for (const box of boxes) {
      expect((await readdir(join(inbox, box))).length, box).toBeLessThanOrEqual(1);
    }
    const third = await run(send);
    expect(third.code).toBe(again.code);
    expect((await readdir(inbox)).sort()).toEqual(boxes);
  });

  it("says what it was asked wrongly, and sends nothing", async () => {
    const log = join(await testFolder(), "log");
    expect((await run(["send", NOTES])).code).toBe(2);
    const nobody = await run(["send", "/root/nobody", "x", "--log", log]);
    expect(nobody).toMatchObject({ code: 1 });
    expect(nobody.out).toContain("(A2)");
    const replay = await run(["send", NOTES, "x", "--log", log, "--id", "new", "--replay"]);
    expect(replay.out).toContain("(O5)");
  });
});
