/**
 * What samples reported to have used, summed per agent and for the session (X3).
 */
import type { Usage } from "../events/events.js";
import { type PersistentMap, emptyMap } from "../kernel/persistent.js";
import { type AgentKey, type Projection, agentKey } from "./projection.js";

/** The state of {@link usage}. */
export interface Used {
  readonly total: Usage;
  readonly agents: PersistentMap<AgentKey, { readonly key: AgentKey; readonly used: Usage }>;
}

/** Who has used what (X3). A sample that failed has used what it reported, too. */
export const usage: Projection<Used> = {
  name: "usage",
  version: 1,
  initial: { total: {}, agents: emptyMap() },
  apply(state, event) {
    if (event.type !== "sample.ended" || event.usage === undefined) return state;
    const key = agentKey(event);
    const used = added(state.agents.get(key)?.used ?? {}, event.usage);
    return {
      total: added(state.total, event.usage),
      agents: state.agents.set(key, { key, used }),
    };
  },
};

/** Two reports as one. */
export function added(sum: Usage, more: Usage): Usage {
  const kinds = [...Object.keys(sum), ...Object.keys(more)];
  return Object.fromEntries(kinds.map((kind) => [kind, (sum[kind] ?? 0) + (more[kind] ?? 0)]));
}
