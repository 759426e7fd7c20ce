/** Where the search for dead code begins: the package's entries, read from its manifest, and what people run by hand. */
import type { KnipConfig } from "knip";

import manifest from "./package.json" with { type: "json" };

const entries = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === "string" ? [] : entry.default.replace("./dist/", "src/").replace(/js$/, "ts"),
);

const config: KnipConfig = {
  entry: [
    ...entries,
    "src/cli/main.ts",
    "bench/main.ts",
    "examples/*/main.ts",
    "property-tests/**/*.test.ts",
    "scripts/*.mjs",
    "test/consumer/program.ts",
    "test/fuzz/determinismRun.ts",
    "scripts/mutation/{all,shim}.mjs",
  ],
  project: ["{src,test,property-tests,bench,examples,scripts}/**/*.{ts,tsx,mjs}", "*.{ts,mjs}"],
  // A name that its own file uses may be exported for those who read its types.
  ignoreExportsUsedInFile: true,
  // Called by name from scripts/package-check.mjs, which knip can't see; and what it takes for the package of our own runner.
  ignoreDependencies: [
    "publint",
    "@arethetypeswrong/cli",
    "@stryker-mutator/in-process-runner",
    // For the page and the adapters of tools.
    "playwright-core",
    "preact",
    "@preact/signals",
    "vite-plugin-singlefile",
    "zod",
    "ai",
    "@modelcontextprotocol/sdk",
  ],
};

export default config;
