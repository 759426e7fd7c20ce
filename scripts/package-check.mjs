/** Checks the packed package: what is in it, its manifest (publint) and its types under each way to resolve them (attw). */
import { join } from "node:path";

import { root, run, withTarball } from "./pack.mjs";

const bin = (name) => join(root, "node_modules", ".bin", name);
const wanted = [
  "package.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "dist/index.js",
  "dist/index.d.ts",
];
const shipped = /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/.+)$/;

await withTarball(async ({ tarball, files }) => {
  const missing = wanted.filter((path) => !files.includes(path));
  const surplus = files.filter((path) => !shipped.test(path));
  if (missing.length > 0) throw new Error(`The package lacks ${missing.join(", ")}.`);
  if (surplus.length > 0) throw new Error(`The package carries ${surplus.join(", ")}.`);
  run(bin("publint"), ["--strict", tarball]);
  run(bin("attw"), ["--profile", "esm-only", "--no-emoji", tarball]);
});
