/** How the tests run. `REPORT_FILE` asks for a JSON report as well, `SEED` pins fast-check's seed. */
import { defineConfig } from "vitest/config";

const reportFile = process.env["REPORT_FILE"];

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/**/*.test.ts", "property-tests/**/*.test.ts"],
    globalSetup: ["test/support/tally.ts"],
    setupFiles: ["test/support/seed.ts"],
    // No test is about time: this ends one that hangs, and is far above what a loaded machine needs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters:
      reportFile === undefined ? ["default"] : ["default", ["json", { outputFile: reportFile }]],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["text-summary", "html"],
    },
  },
});
