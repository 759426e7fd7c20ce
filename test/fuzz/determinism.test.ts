/** The same token in two processes: step by step the same enabled sets, and the same bytes on the log. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../style/files.js";

interface Printed {
  readonly token: string;
  readonly sets: readonly string[];
  readonly bytes: string;
}

function inProcess(env: Readonly<Record<string, string>>, ...args: string[]): Printed {
  const script = join(root, "test/fuzz/determinismRun.ts");
  const out = execFileSync(
    process.execPath,
    ["--import", "tsx", ...args.slice(1), script, ...args.slice(0, 1)],
    {
      cwd: root,
      env: { ...process.env, ...env },
      encoding: "utf8",
    },
  );
  return JSON.parse(out) as Printed;
}

it("R1 a token takes the same steps and writes the same bytes, whatever the process, its zone, language and hashes", () => {
  const { token } = inProcess({});
  const one = inProcess({ TZ: "UTC", LC_ALL: "C" }, token);
  const other = inProcess({ TZ: "Asia/Kathmandu", LC_ALL: "tr_TR.UTF-8" }, token, "--hash-seed=77");
  expect(one.sets.length).toBeGreaterThan(50);
  expect(other).toEqual(one);
});
