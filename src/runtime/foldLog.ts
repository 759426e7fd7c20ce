/**
 * A log's commits, folded from the first to the last into the kernel's state and the projections (R1, L1).
 */
import { fold } from "../kernel/stage.js";
import { type Host, type State, emptyState } from "../kernel/state.js";
import type { SessionReader } from "../log/log.js";
import { placeCommit } from "../projections/projection.js";
import type { ProjectionRunner } from "../projections/runner.js";
import type { BuiltIn } from "./projections.js";

/** Folds a whole log; the state stands before the commit that comes next. @throws LogCorrupt, LogFormatError */
export async function foldLog(
  log: SessionReader,
  host: Host,
  runner: ProjectionRunner<BuiltIn>,
): Promise<State> {
  let state = emptyState(host);
  for await (const commit of log.read()) {
    for (const event of commit.events) state = fold(state, event);
    state = { ...state, next: [commit.n + 1, 0] };
    runner.confirm(placeCommit(commit));
  }
  return state;
}
