/** Says at the end of a run how many random programs its properties tried, and from which seed. A global setup of vitest. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts a tally; the function that it gives back prints and removes it. */
export default function tally(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "dovecote-tally-"));
  const file = join(folder, "runs");
  process.env["DOVECOTE_TALLY"] = file;
  return () => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    rmSync(folder, { recursive: true });
    if (lines.length === 0) return;
    const runs = lines.map((line) => Number(line.split(" ")[0]));
    const seeds = [...new Set(lines.map((line) => line.split(" ")[1]))];
    const programs = runs.reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `properties: ${lines.length}, programs: ${programs}, seed ${seeds.join(" ")}\n`,
    );
  };
}
