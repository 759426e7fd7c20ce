/** How the tests run. `REPORT_FILE` asks for a JSON report as well, `SEED` pins fast-check's seed. */
import { defineConfig } from "vitest/config";

const reportFile = process.env["REPORT_FILE"];

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/**/*.test.ts", "property-tests/**/*.test.ts"],
    globalSetup: ["test/support/tally.ts"],
    setupFiles: ["test/support/seed.ts"],
    reporters:
      reportFile === undefined ? ["default"] : ["default", ["json", { outputFile: reportFile }]],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["text-summary", "html"],
    },
  },
});
