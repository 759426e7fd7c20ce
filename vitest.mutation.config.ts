/**
 * The tests that judge mutants of the kernel: its own tests, and its properties on a pinned seed with few programs, so
 * that a survivor is a survivor each time.
 */
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A run ends at the first failure, so what is quick comes first: examples, properties, and texts of 64 MiB. */
class QuickFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slowness = ({ moduleId }: TestSpecification): number =>
      /sizes\.test|mail\.test/u.test(moduleId) ? 2 : moduleId.includes("property-tests") ? 1 : 0;
    return Promise.resolve(
      files.toSorted(
        (a, b) => slowness(a) - slowness(b) || a.moduleId.localeCompare(b.moduleId, "en"),
      ),
    );
  }
}

export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/kernel/**/*.test.ts", "test/paths.test.ts", "property-tests/**/*.test.ts"],
    exclude: [
      "node_modules/**",
      "property-tests/commit-codec-round-trips.test.ts",
      "property-tests/stored-paths-are-agent-paths.test.ts",
      "property-tests/the-timeline-*.test.ts",
      "property-tests/live-projections-*.test.ts",
      "property-tests/the-real-shell-*.test.ts",
    ],
    // One module graph for all files: loading it anew for each would cost far more than the tests.
    isolate: false,
    sequence: { sequencer: QuickFirst },
    env: { DOVECOTE_RUNS: "25", DOVECOTE_SEED: "42", SEED: "42" },
    setupFiles: ["test/support/seed.ts"],
  },
});
