/**
 * What the folds of turns and of mail share: finding the agent of an event, and putting it back.
 */
import { Bug } from "../errors.js";
import type { AgentRef } from "../events/events.js";
import { durableWith } from "./copies.js";
import type { Agent, Durable } from "./state.js";

/** The agent that an event names; another generation, or none, is damage or a bug. */
export function agentOf(state: Durable, ref: AgentRef, event: string): Agent {
  const agent = state.agents.get(ref.path);
  if (agent === undefined || agent.gen !== ref.gen) {
    throw new Bug(`${event} names ${ref.path}#${ref.gen}, which is not retained`);
  }
  return agent;
}

/** The state with that agent in place of its older self. */
export function withAgent(state: Durable, agent: Agent): Durable {
  return durableWith(state, { agents: state.agents.set(agent.path, agent) });
}
