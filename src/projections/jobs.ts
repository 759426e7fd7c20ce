/**
 * The jobs of a session: who runs, what waits for each, and how each ended (J1, J5). Texts stay in the log.
 */
import type { AgentRef, DovecoteEvent, OutcomeKind } from "../events/events.js";
import { type Point, samePoint } from "../events/point.js";
import { type JobId, jobId } from "../kernel/jobIds.js";
import { type PersistentMap, emptyMap } from "../kernel/persistent.js";
import { type AgentKey, type Projection, agentKey } from "./projection.js";

/** A job, and what is known of it. */
export interface JobEntry extends AgentRef {
  readonly job: JobId;
  readonly number: number;
  /** Messages that no sample has taken; none once it has ended (J5). */
  readonly waiting: readonly Point[];
  /** How it ended; `null` while it runs. */
  readonly ended: OutcomeKind | null;
}

/** The state of {@link jobs}. */
export type JobBoard = PersistentMap<AgentKey, JobEntry>;

/**
 * All jobs there have been (J1).
 *
 * @example listJobs(foldAll(jobs, events))
 */
export const jobs: Projection<JobBoard> = {
  name: "jobs",
  version: 1,
  initial: emptyMap(),
  apply(state, event, at) {
    if (event.type === "agent.spawned") {
      const { path, gen, job } = event;
      if (job === undefined) return state;
      const made = { path, gen, job: jobId(job), number: job, waiting: [], ended: null };
      return state.set(agentKey(event), made);
    }
    if (state.size === 0 || !("path" in event)) return state;
    const entry = state.get(agentKey(event));
    const next = entry === undefined ? undefined : changedBy(entry, event, at);
    return next === undefined || next === entry ? state : state.set(agentKey(event), next);
  },
};

function changedBy(entry: JobEntry, event: DovecoteEvent, at: Point): JobEntry {
  switch (event.type) {
    case "mail.queued":
      if (event.mail !== "MAIL" || entry.ended !== null) return entry;
      return { ...entry, waiting: [...entry.waiting, at] };
    case "mail.delivered": {
      const taken = (one: Point): boolean => event.records.some((point) => samePoint(point, one));
      return { ...entry, waiting: entry.waiting.filter((one) => !taken(one)) };
    }
    case "turn.settled":
      return { ...entry, waiting: [], ended: event.outcome };
    default:
      return entry;
  }
}

/** All jobs, in the order in which they were made. */
export function listJobs(board: JobBoard): readonly JobEntry[] {
  return [...board.values()].sort((a, b) => a.number - b.number);
}

/** A waiting count in words: `1 message waiting`, `2 messages waiting` (J5). */
export function waitingWords(count: number): string {
  return `${count} ${count === 1 ? "message" : "messages"} waiting`;
}
