/** Fuzzing inside a user's own tests: a failure is thrown, with its report as the message. It knows no test framework. */
import { DovecoteError } from "../errors.js";
import { type Failure, type FuzzOptions, type FuzzReport, fuzz } from "./fuzz.js";
import { renderFailure } from "./report.js";
import type { WorldKind } from "./world.js";

/** A schedule was found that fails. */
export class FuzzFailed extends DovecoteError {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super("fuzz-failed", "X4", renderFailure(failure));
    this.failure = failure;
  }
}

/**
 * Fuzzes a world, and throws when a schedule fails.
 *
 * @throws FuzzFailed with lanes, token and a test; BadArgument, ScheduleMismatch as {@link fuzz} does.
 * @example it("sells no seat twice", () => survives(seats, { runs: 500 }));
 */
export async function survives(kind: WorldKind, options: FuzzOptions = {}): Promise<FuzzReport> {
  const report = await fuzz(kind, options);
  if (report.failure !== null) throw new FuzzFailed(report.failure);
  return report;
}

/** How a test framework declares a test: `it` of vitest, jest and node:test fit. */
export type DeclareTest = (name: string, body: () => Promise<void>) => unknown;

/**
 * Declares a test that fuzzes a world, and one for each token that once failed, so that none comes back.
 *
 * @param it of the test framework.
 * @param options `tokens`: of failures that have been mended; they are replayed guided, through edits of other code.
 * @example fuzzTest(it, seats, { runs: 500, tokens: ["dv1...."] });
 */
export function fuzzTest(
  it: DeclareTest,
  kind: WorldKind,
  options: FuzzOptions & { readonly tokens?: readonly string[] } = {},
): void {
  const { tokens = [], ...given } = options;
  it(`${kind.name} survives its schedules`, async () => {
    await survives(kind, given);
  });
  for (const token of tokens) {
    it(`${kind.name} survives ${token.slice(0, 24)}`, async () => {
      await survives(kind, { token, replay: "guided" });
    });
  }
}
