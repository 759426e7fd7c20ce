/**
 * What of a log is still needed at a place where it may be cut: the texts of unread mail, of live turns and of each
 * agent's newest result. Everything else is history.
 */
import type { DovecoteEvent, TextSource } from "../events/events.js";
import { type Point, formatPoint } from "../events/point.js";
import type { Agent, State, Turn } from "../kernel/state.js";
import type { SessionReader } from "../log/log.js";
import type { UnreadMail } from "../projections/unread.js";

/**
 * The commits that hold what the state at a place still points to, directly or through others, in order (R4, S6). Mail
 * of agents that have ended is in the projection alone.
 */
export async function neededCommits(
  log: SessionReader,
  state: State,
  unread: UnreadMail,
): Promise<readonly number[]> {
  const commits = new Set<number>();
  const seen = new Set<string>();
  const todo: Point[] = [...pointsOf(state)];
  // INPUT and what handlers have is unread too, and the kernel's queues hold nothing that this one has not.
  for (const row of unread.values()) for (const { at, textAt } of row) todo.push(at, textAt);
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const place = formatPoint(at);
    if (seen.has(place)) continue;
    seen.add(place);
    const event = (await log.get(at[0]))?.events[at[1]];
    // What an earlier cut has taken is gone.
    if (event === undefined) continue;
    commits.add(at[0]);
    todo.push(...pointsIn(event));
  }
  return [...commits].sort((a, b) => a - b);
}

function pointsOf({ durable, volatile }: State): readonly Point[] {
  const found: Point[] = [...volatile.notices];
  for (const agent of durable.agents.values()) found.push(...pointsOfAgent(agent));
  for (const { at, task } of volatile.reservations) found.push(at, ...given(task));
  return found;
}

function pointsOfAgent({ last, turn }: Agent): readonly Point[] {
  const found: Point[] = turn === null ? [] : [...pointsOfTurn(turn)];
  if (last !== null) found.push(last.began, last.settled);
  return found;
}

function pointsOfTurn({ task, lastResult, partials, settling }: Turn): readonly Point[] {
  return [...given(task), ...given(lastResult), ...partials, ...given(settling?.began)];
}

/** Where the texts of an event stand, when they stand elsewhere. */
function pointsIn(event: DovecoteEvent): readonly Point[] {
  switch (event.type) {
    case "mail.queued":
      return given(event.source);
    case "settlement.began":
      return [...sourceOf(event.outcome.response), ...(event.outcome.partial ?? [])];
    default:
      return [];
  }
}

function sourceOf(source: TextSource | undefined): readonly Point[] {
  return source !== undefined && "at" in source ? [source.at] : [];
}

function given(point: Point | null | undefined): readonly Point[] {
  return point === null || point === undefined ? [] : [point];
}
