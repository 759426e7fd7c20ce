/**
 * The contract of a log, as a suite that any engine can run: what every `EventLog` promises, and nothing that only
 * one engine can do. Needs no test framework of its own: it is handed `describe` and `it`, and asserts with Node.
 */
import { conflicts, leases, manySessions, streams } from "./logAppends.js";
import { besideCuts, cuts, cutting } from "./logCuts.js";
import { keys } from "./logKeys.js";
import { endings, reads, snapshots } from "./logReads.js";
import type { LogPlace } from "./logSupport.js";

/** The two functions of a test framework that the suite needs: those of vitest, jest and node:test fit. */
export interface TestFramework {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/**
 * Declares the contract suite of logs for one engine (L1-L7).
 *
 * @param name of the engine, for the report.
 * @param make gives a fresh, empty place.
 * @example logContract({ describe, it }, "memory", async () => placeInMemory())
 */
export function logContract(
  framework: TestFramework,
  name: string,
  make: () => Promise<LogPlace>,
): void {
  framework.describe(`the log contract: ${name}`, () => {
    const test = (title: string, body: (place: LogPlace) => Promise<void>): void => {
      framework.it(title, async () => {
        const place = await make();
        try {
          await body(place);
        } finally {
          await place.cleanup();
        }
      });
    };
    streams(test);
    conflicts(test);
    manySessions(test);
    leases(test);
    reads(test);
    snapshots(test);
    keys(test);
    cuts(test);
    cutting(test);
    besideCuts(test);
    endings(test);
  });
}
