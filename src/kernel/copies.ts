/**
 * Changed copies of the durable state's parts. Literals are spelled out field by field: object spread costs twenty
 * times as much here. A field that `to` leaves out, or has as `undefined`, is kept.
 */
import type { Agent, Durable, Turn } from "./state.js";

/** A session's fold with some fields changed. */
export function durableWith(state: Durable, to: Partial<Durable>): Durable {
  return {
    id: to.id ?? state.id,
    preset: to.preset ?? state.preset,
    capacity: to.capacity ?? state.capacity,
    run: to.run ?? state.run,
    plan: to.plan ?? state.plan,
    agents: to.agents ?? state.agents,
    retired: to.retired ?? state.retired,
    jobs: to.jobs ?? state.jobs,
    endings: to.endings ?? state.endings,
    turns: to.turns ?? state.turns,
    active: to.active ?? state.active,
    settling: to.settling ?? state.settling,
    trying: to.trying === undefined ? state.trying : to.trying,
  };
}

/** An agent with some fields changed; its identity never does. */
export function agentWith(agent: Agent, to: Partial<Agent>): Agent {
  return {
    path: agent.path,
    gen: agent.gen,
    parent: agent.parent,
    behavior: agent.behavior,
    role: agent.role,
    job: agent.job,
    phase: to.phase ?? agent.phase,
    turns: to.turns ?? agent.turns,
    turn: to.turn === undefined ? agent.turn : to.turn,
    executions: to.executions ?? agent.executions,
    unread: to.unread ?? agent.unread,
    last: to.last ?? agent.last,
  };
}

/** A turn with some fields changed; how it started never does. */
export function turnWith(turn: Turn, to: Partial<Turn>): Turn {
  return {
    turn: turn.turn,
    start: turn.start,
    started: turn.started,
    task: turn.task,
    told: to.told ?? turn.told,
    attempts: to.attempts ?? turn.attempts,
    open: to.open === undefined ? turn.open : to.open,
    lastResult: to.lastResult ?? turn.lastResult,
    partials: to.partials ?? turn.partials,
    executions: to.executions ?? turn.executions,
    blockers: to.blockers ?? turn.blockers,
    forJobs: to.forJobs ?? turn.forJobs,
    extended: to.extended ?? turn.extended,
    blocked: to.blocked ?? turn.blocked,
    muted: to.muted ?? turn.muted,
    settling: to.settling ?? turn.settling,
  };
}
