/** The command `dovecote fuzz`: exit codes, output, and modules that can't be used. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../style/files.js";
import { call } from "../support/cli.js";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dovecote-fuzz-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function world(isSound: boolean): string {
  const entry = pathToFileURL(join(root, "test/fuzz/toy.ts")).href;
  const options = `{ tasks: 2, acts: 2, isRacy: ${!isSound} }`;
  return `import { toy } from ${JSON.stringify(entry)};\nexport default toy(${options});\n`;
}

describe("dovecote fuzz", () => {
  it("X4 ends with 0 when nothing is found, and shows no progress where nobody looks on", async () => {
    const { code, out, err } = await call("fuzz", file("sound.ts", world(true)), "--runs", "20");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^clean: 20 runs, /);
  });

  it("X4 ends with 1 when a schedule fails, prints its token, and replays it", async () => {
    const path = file("racy.ts", world(false));
    const { code, out } = await call("fuzz", path, "--strategy", "pct", "pos");
    expect(code).toBe(1);
    expect(out).toMatch(/^toy fails after \d+ steps/);
    const token = /token {3}(dv1\.[\w-]+)/.exec(out)?.[1] ?? "";
    const again = await call("fuzz", path, "--token", token, "--json");
    expect(again.code).toBe(1);
    expect((JSON.parse(again.out) as { failure: { token: string } }).failure.token).toBe(token);
  });

  it("X4 ends with 2 and says what would be right", async () => {
    const none = file("none.ts", "export const a = 1;\n");
    const racy = file("again.ts", world(false));
    for (const [args, says] of [
      [["fuzz"], /file/],
      [["fuzz", join(folder, "absent.js")], /can't be loaded/],
      [["fuzz", none], /export default scenario/],
      [["fuzz", racy, "--runs", "many"], /whole number/],
      [["fuzz", racy, "--strategy", "luck"], /random, pct, pos/],
      [["fuzz", racy, "--token", "dv1.x"], /no token/],
    ] as const) {
      const { code, err } = await call(...args);
      expect([code, says.test(err)]).toEqual([2, true]);
    }
  });
});
