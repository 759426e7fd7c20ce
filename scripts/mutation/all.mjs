/**
 * `npm run mutation`: Stryker over the kernel, a few files at a time, and one score for all. What is instrumented runs many
 * times slower, so that all files at once would take hours. Files may be named: only these are looked at then.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const REPORT = "coverage/mutation.json";
const LEAST = 90;
/** About as much source as one run takes, in bytes. */
const MOST = 24_000;

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "invariants" ? [] : filesBelow(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

function groupsOf(files) {
  const groups = [];
  let size = MOST;
  for (const file of files) {
    const bytes = statSync(file).size;
    if (size + bytes > MOST) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1).push(file);
    size += bytes;
  }
  return groups;
}

const named = process.argv.slice(2);
const rows = [];
const left = [];
for (const group of groupsOf(named.length > 0 ? named : filesBelow("src/kernel"))) {
  rmSync(REPORT, { force: true });
  console.error(`mutants of ${group.join(", ")}`);
  const { error } = spawnSync("npx", ["stryker", "run", "--mutate", group.join(",")], {
    stdio: ["ignore", 2, 2],
  });
  if (error !== undefined) throw error;
  const { files } = JSON.parse(readFileSync(REPORT, "utf8"));
  for (const [file, { mutants }] of Object.entries(files)) {
    const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
    const found = count("Killed", "Timeout");
    const all = found + count("Survived", "NoCoverage");
    if (all === 0) continue;
    rows.push({ file, found, all });
    for (const { status, location, replacement, mutatorName } of mutants) {
      if (status !== "Survived" && status !== "NoCoverage") continue;
      const { line, column } = location.start;
      left.push(`${file}:${line}:${column} ${mutatorName}: ${String(replacement).slice(0, 80)}`);
    }
  }
}

const score = ({ found, all }) => ((100 * found) / all).toFixed(1);
const sum = { found: 0, all: 0 };
for (const row of rows) {
  sum.found += row.found;
  sum.all += row.all;
}
for (const line of left) console.log(line);
for (const row of rows)
  console.log(`${score(row).padStart(5)} %  ${row.found}/${row.all}  ${row.file}`);
console.log(`${score(sum).padStart(5)} %  ${sum.found}/${sum.all}  in all`);
if ((100 * sum.found) / sum.all < LEAST) process.exitCode = 1;
