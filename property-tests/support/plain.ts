/** States as plain data, to compare them: rows as lists, maps by path, and nothing of how they are kept. */
import type { Agent, Durable, Turn, Volatile } from "../../src/kernel/state.js";
import { comparePaths } from "../../src/paths.js";

function plainTurn(turn: Turn): unknown {
  const executions = [...turn.executions.values()].sort((one, other) => one - other);
  return { ...turn, partials: turn.partials.toArray(), executions };
}

function plainAgent(agent: Agent): unknown {
  const { turn, unread } = agent;
  return {
    ...agent,
    unread: unread.toArray(),
    turn: turn === null ? null : plainTurn(turn),
  };
}

/** The durable state as plain data. */
export function plainDurable(durable: Durable): unknown {
  const agents = [...durable.agents.values()].sort((one, other) =>
    comparePaths(one.path, other.path),
  );
  const retired = [...durable.retired.entries()].sort(([one], [other]) => comparePaths(one, other));
  const settling = durable.settling.toArray();
  return { ...durable, agents: agents.map(plainAgent), retired, settling };
}

/** The volatile state as plain data; the marks of those agents that there are. */
export function plainVolatile(volatile: Volatile, durable: Durable): unknown {
  const paths = [...durable.agents.values()].map((agent) => agent.path).sort(comparePaths);
  const marks = paths.flatMap((path) => {
    const record = volatile.marks.get(path);
    return record === undefined ? [] : [{ path, record }];
  });
  const stamps = paths.flatMap((path) => {
    const records = volatile.stamps.get(path);
    return records === undefined ? [] : [{ path, records }];
  });
  const markOrder = volatile.markOrder.toArray();
  return { ...volatile, marks, markOrder, stamps, notices: volatile.notices.toArray() };
}
