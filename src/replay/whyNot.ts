/**
 * Why something has not happened: the guard that blocks it, since when, and what would free it. The reasons are the
 * kernel's own guards, asked of recorded states; there is no second copy of the rules here.
 */
import { BadArgument } from "../errors.js";
import { type Point, formatPoint } from "../events/point.js";
import { deliveryGuard, settleGuard } from "../kernel/explain.js";
import { startGuard } from "../kernel/guards.js";
import type { Agent, State } from "../kernel/state.js";
import type { AgentPath } from "../paths.js";
import { type Obstacle, deliveryWords, settleWords, startWords } from "./guardWords.js";
import type { Position, Trace } from "./trace.js";

/** What did not happen. */
export type NonEvent = "wake" | "start" | "delivery" | "settle";

/** Why not: what stands in the way, and after which commit it first did. */
export interface WhyNot extends Obstacle {
  readonly path: AgentPath;
  readonly what: NonEvent;
  /** The first commit after which it stood in the way, and has ever since. */
  readonly since: number;
}

/**
 * Explains a non-event at a position, the trace's own unless one is given; `undefined` when nothing stands in the way.
 *
 * @throws BadArgument when there is no such agent then
 * @example
 * const reason = await whyNot(trace, "/root/editor", "wake");
 * // { guard: "capacity", rule: "W6", text: "all slots are in use: 2/2", since: 212, ... }
 */
export async function whyNot(
  trace: Trace,
  path: AgentPath,
  what: NonEvent,
  position: Position = trace.position,
): Promise<WhyNot | undefined> {
  const at = typeof position === "number" ? position : position[0];
  const here = await trace.pointOf(position);
  const state = await trace.stateAt(here);
  const agent = state.durable.agents.get(path);
  if (agent === undefined)
    throw new BadArgument(`There is no agent ${path} at ${formatPoint(here)}.`);
  const obstacle = obstacleOf(state, agent, what);
  if (obstacle === undefined) return undefined;
  const since = await heldSince(trace, path, what, obstacle.guard, at);
  return { ...obstacle, path, what, since };
}

function obstacleOf(state: State, agent: Agent, what: NonEvent): Obstacle | undefined {
  switch (what) {
    case "wake":
    case "start": {
      const guard = startGuard(state, agent);
      return guard === null ? undefined : startWords(guard);
    }
    case "delivery": {
      const [oldest] = agent.unread;
      return oldest === undefined ? undefined : deliveryWords(deliveryGuard(state, agent, oldest));
    }
    case "settle":
      return settleWords(settleGuard(state, agent));
  }
}

/** The newest commit after which the guard became this one; found by one walk over the log. */
async function heldSince(
  trace: Trace,
  path: AgentPath,
  what: NonEvent,
  guard: string,
  to: number,
): Promise<number> {
  let since = to;
  let holds = false;
  for await (const { n, state } of trace.states(1, to)) {
    const agent = state.durable.agents.get(path);
    const now = agent !== undefined && obstacleOf(state, agent, what)?.guard === guard;
    if (now && !holds) since = n;
    holds = now;
  }
  return holds ? since : to;
}

/** One unread record, and why it has not been read. */
export interface Stranded extends Obstacle {
  readonly path: AgentPath;
  readonly record: Point;
  readonly mail: string;
  readonly from: string;
}

/** Every unread record at the trace's position, oldest first, each with its reason. */
export function stranded(trace: Trace): readonly Stranded[] {
  const { whole } = trace;
  const found: Stranded[] = [];
  for (const agent of whole.durable.agents.values()) {
    for (const record of agent.unread) {
      const obstacle = deliveryWords(deliveryGuard(whole, agent, record));
      const { at, mail, from } = record;
      found.push({ ...obstacle, path: agent.path, record: at, mail, from });
    }
  }
  return found.sort((a, b) => a.record[0] - b.record[0] || a.record[1] - b.record[1]);
}
