/**
 * Checks the import rules of `.dependency-cruiser.mjs` over `src`, and that every source file was really read: a
 * parser that the cruiser can't use makes it read nothing and report success.
 */
import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { cruise, format } from "dependency-cruiser";
import extractOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import extractTsConfig from "dependency-cruiser/config-utl/extract-ts-config";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const onDisk = readdirSync("src", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) =>
    relative(root, join(root, entry.parentPath, entry.name))
      .split(sep)
      .join("/"),
  );

const options = await extractOptions("./.dependency-cruiser.mjs");
const { output } = await cruise(["src"], options, undefined, {
  tsConfig: extractTsConfig("tsconfig.json"),
});

const read = new Set(output.modules.map((module) => module.source));
const unread = onDisk.filter((path) => !read.has(path));
const edges = output.modules.reduce((sum, module) => sum + module.dependencies.length, 0);

console.log((await format(output, { outputType: "err" })).output.trim());

if (onDisk.length === 0 || unread.length > 0) {
  console.error(
    `Read ${onDisk.length - unread.length} of ${onDisk.length} files below src; unread: ${unread.join(", ")}`,
  );
  process.exitCode = 1;
} else if (onDisk.length > 1 && edges === 0) {
  console.error(`Found not one import in ${onDisk.length} files, so the sources were not parsed.`);
  process.exitCode = 1;
} else if (output.summary.error > 0) {
  process.exitCode = 1;
} else {
  console.log(`Read ${onDisk.length} files and ${edges} imports.`);
}
