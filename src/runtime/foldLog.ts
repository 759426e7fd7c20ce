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
import { type Folded, loadFolded } from "./snapshots.js";

/** Folds a whole log; the state stands before the commit that comes next. @throws LogCorrupt, LogFormatError */
export async function foldLog(
  log: SessionReader,
  host: Host,
  runner: ProjectionRunner<BuiltIn>,
): Promise<State> {
  const state = resume(await loadFolded(log), host, runner);
  return (await foldOn(log, state, runner)).state;
}

/** The state that was saved, or the one before the first commit. */
export function resume(
  saved: Folded | undefined,
  host: Host,
  runner: ProjectionRunner<BuiltIn>,
): State {
  if (saved === undefined) return emptyState(host);
  const { durable, volatile, position } = saved;
  runner.resume(saved.projections);
  return { host, durable, volatile, next: [position + 1, 0] };
}

/** Folds on from a state, up to a commit or to the end; `hash` is that of the last one. */
export async function foldOn(
  log: SessionReader,
  from: State,
  runner: ProjectionRunner<BuiltIn>,
  to?: number,
): Promise<{ readonly state: State; readonly hash: string }> {
  let state = from;
  let hash = "";
  const range = { from: state.next[0], ...(to === undefined ? {} : { to }) };
  for await (const commit of log.read(range)) {
    for (const event of commit.events) state = fold(state, event);
    state = { ...state, next: [commit.n + 1, 0] };
    runner.confirm(placeCommit(commit));
    hash = commit.hash;
  }
  return { state, hash };
}
