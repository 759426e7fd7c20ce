/** States as plain data, to compare them: rows as lists, maps by path, and nothing of how they are kept. */
import type { Agent, Durable, Volatile } from "../../src/kernel/state.js";
import { comparePaths } from "../../src/paths.js";

function plainAgent(agent: Agent): unknown {
  const { turn, unread } = agent;
  return {
    ...agent,
    unread: unread.toArray(),
    turn: turn === null ? null : { ...turn, partials: turn.partials.toArray() },
  };
}

/** The durable state as plain data. */
export function plainDurable(durable: Durable): unknown {
  const agents = [...durable.agents.values()].sort((one, other) =>
    comparePaths(one.path, other.path),
  );
  return { ...durable, agents: agents.map(plainAgent), settling: durable.settling.toArray() };
}

/** The volatile state as plain data; the marks of those agents that there are. */
export function plainVolatile(volatile: Volatile, durable: Durable): unknown {
  const paths = [...durable.agents.values()].map((agent) => agent.path).sort(comparePaths);
  const marks = paths.flatMap((path) => {
    const record = volatile.marks.get(path);
    return record === undefined ? [] : [{ path, record }];
  });
  return { ...volatile, marks, markOrder: volatile.markOrder.toArray() };
}
