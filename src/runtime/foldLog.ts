/**
 * A log's commits, folded into the kernel's state and the projections: from the newest snapshot that fits, or from the
 * first commit (R1, L1, L7).
 */
import { fold } from "../kernel/stage.js";
import { type Host, type State, emptyState } from "../kernel/state.js";
import type { SessionReader } from "../log/log.js";
import { placeCommit } from "../projections/projection.js";
import type { ProjectionRunner } from "../projections/runner.js";
import type { BuiltIn } from "./projections.js";
import { loadFolded } from "./snapshots.js";

/** Folds a whole log; the state stands before the commit that comes next. @throws LogCorrupt, LogFormatError */
export async function foldLog(
  log: SessionReader,
  host: Host,
  runner: ProjectionRunner<BuiltIn>,
): Promise<State> {
  let state = emptyState(host);
  const saved = await loadFolded(log);
  if (saved !== undefined) {
    const { durable, volatile, position } = saved;
    state = { host, durable, volatile, next: [position + 1, 0] };
    runner.resume(saved.projections);
  }
  for await (const commit of log.read({ from: state.next[0] })) {
    for (const event of commit.events) state = fold(state, event);
    state = { ...state, next: [commit.n + 1, 0] };
    runner.confirm(placeCommit(commit));
  }
  return state;
}
