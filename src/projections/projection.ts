/**
 * What a projection is: a pure fold of events into one way of reading a session. It never decides, refuses or waits,
 * and payloads stay out of it: where a text is needed, it holds the order point of the event that has it.
 */
import type { CommitDraft } from "../events/commit.js";
import type { AgentRef, DovecoteEvent } from "../events/events.js";
import type { Point } from "../events/point.js";
import type { Placed } from "../kernel/loop.js";

/**
 * One way of reading a session. A state is a value: `apply` gives a new one and leaves the old as it was, so older
 * versions stay readable and a failed append costs nothing to undo (L6).
 */
export interface Projection<S> {
  /** Unique among the projections that are read together. */
  readonly name: string;
  /** Goes up with every change of what `apply` gives: a saved state of another version is rebuilt (L7). */
  readonly version: number;
  /** The state before the first event. */
  readonly initial: S;
  /** The state after one event that stands at `at`. Never throws on an event that the kernel could fold. */
  apply(state: S, event: DovecoteEvent, at: Point): S;
}

/**
 * Folds events from nothing, or on from an earlier state (Q2: a live fold equals this one).
 *
 * @example foldAll(roster, placeCommit(commit))
 */
export function foldAll<S>(
  projection: Projection<S>,
  events: Iterable<Placed>,
  from: S = projection.initial,
): S {
  let state = from;
  for (const { event, at } of events) state = projection.apply(state, event, at);
  return state;
}

/** The events of a commit with their order points. */
export function placeCommit(commit: Pick<CommitDraft, "n" | "events">): readonly Placed[] {
  return commit.events.map((event, index) => ({ event, at: [commit.n, index] as const }));
}

/** The key of one generation of an agent, for what outlives the agent itself: its mail and its transcript (A5). */
export type AgentKey = `${string}#${number}`;

/** The key of an agent. */
export function agentKey({ path, gen }: AgentRef): AgentKey {
  return `${path}#${gen}`;
}
