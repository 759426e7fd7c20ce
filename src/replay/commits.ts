/**
 * Commits at hand as something to read: a run that was never on a log, or a fork.
 */
import { BadArgument } from "../errors.js";
import type { Commit } from "../events/commit.js";
import type { CommitLike } from "../kernel/invariants/judge.js";
import type { Anchor, Head, SessionReader } from "../log/log.js";

/** What a trace asks of its source. */
export interface TraceReader extends Pick<
  SessionReader,
  "session" | "head" | "read" | "get" | "close"
> {
  /** Where it begins, when it was cut; `undefined` when it is whole. */
  anchor(): (Head & Pick<Anchor, "base">) | undefined;
}

/**
 * Reads commits that are in memory. They are taken as they are: nothing about them is checked but their numbers.
 *
 * @throws BadArgument when they are not numbered from 1 without gaps (L2)
 */
export function readCommits(given: Iterable<CommitLike>): TraceReader {
  const commits = [...given].map(whole);
  const odd = commits.findIndex(({ n }, index) => n !== index + 1);
  if (odd >= 0) throw new BadArgument(`Commit ${odd + 1} of the trace is missing (L2).`);
  const created = commits[0]?.events.find((event) => event.type === "session.created");
  return {
    session: created?.type === "session.created" ? created.id : "",
    head: () => ({ position: commits.length, hash: commits.at(-1)?.hash ?? "", epoch: 0 }),
    anchor: () => undefined,
    async *read({ from = 1, to = commits.length } = {}) {
      yield* commits.slice(Math.max(from, 1) - 1, to);
    },
    get: (position) => Promise.resolve(commits[position - 1]),
    close: () => Promise.resolve(),
  };
}

function whole(commit: CommitLike): Commit {
  return { id: `${commit.n}`, at: 0, epoch: 0, prev: "", hash: "", ...commit };
}
