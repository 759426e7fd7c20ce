/**
 * The fold of events into the durable state. It never refuses: an event that does not fit is damage or a bug, and says so.
 */
import { Bug } from "../errors.js";
import type { DovecoteEvent, EventOf, TurnRef } from "../events/events.js";
import type { Point } from "../events/point.js";
import { ROOT, isWithin, parentPath } from "../paths.js";
import type { AgentPath } from "../paths.js";
import { agentWith, durableWith, turnWith } from "./copies.js";
import { countMail, mailbox } from "./evolveMail.js";
import { agentOf, withAgent } from "./folds.js";
import { type Row, emptyMap, emptyRow } from "./persistent.js";
import { type Phase, nextPhase } from "./phases.js";
import type { Agent, Durable, Settled, Turn } from "./state.js";

/** The state after one event that stands at `at`. */
export function evolve(state: Durable, event: DovecoteEvent, at: Point): Durable {
  switch (event.type) {
    case "session.created":
      return created(state, event);
    case "session.opened":
      return durableWith(state, { run: event.run });
    case "capacity.changed":
      return durableWith(state, { capacity: event.to });
    case "plan.switched":
      return durableWith(state, { plan: event.on });
    case "agent.spawned":
      return spawned(state, event);
    case "agent.ending":
      return durableWith(state, { endings: [...state.endings, event.path] });
    case "agent.retired":
      return retired(state, event);
    case "agent.interrupted":
      return interrupted(state, event);
    case "turn.started":
      return started(state, event, at);
    case "turn.settled":
      return settled(state, event, at);
    case "settlement.began":
    case "settlement.attempted":
    case "settlement.failed":
    case "settlement.resumed":
      return settlement(state, event, at);
    case "sample.began":
    case "wait.began":
    case "sample.ended":
    case "wait.ended":
    case "partial.recorded":
    case "execution.yielded":
    case "turn.extended":
      return advanced(state, event, at);
    case "execution.completed":
    case "blocker.added":
    case "blocker.released":
      return beside(state, event, at);
    case "mail.queued":
    case "mail.delivered":
    case "mail.moved":
    case "mail.consumed":
    case "mail.returned":
      return mailbox(state, event, at);
    case "session.recovered":
    case "session.closing":
    case "session.closed":
    case "transcript.recorded":
    case "start.reserved":
    case "start.claimed":
    case "start.prepared":
    case "start.released":
    case "handler.registered":
    case "notice.queued":
    case "notice.delivered":
    case "hold.taken":
    case "hold.released":
    case "wake.marked":
    case "wake.cleared":
    case "wake.limited":
    // Operations are looked up in the log when they are repeated, never held here.
    case "operation.planned":
    case "operation.attempted":
    case "operation.resulted":
      return state;
    default:
      return unknownEvent(event);
  }
}

function created(state: Durable, event: EventOf<"session.created">): Durable {
  const { id, capacity, preset = "tree" } = event;
  return durableWith(state, { id, capacity, preset });
}

function unknownEvent(event: never): never {
  throw new Bug(`no fold for the event ${(event as DovecoteEvent).type}`);
}

function turnOf(agent: Agent, ref: TurnRef, event: string): Turn {
  if (agent.turn === null || agent.turn.turn !== ref.turn) {
    throw new Bug(`${event} names turn ${ref.turn} of ${ref.path}, which is not live`);
  }
  return agent.turn;
}

function phaseAfter(agent: Agent, event: DovecoteEvent): Phase {
  const phase = nextPhase(agent.phase, event.type);
  if (phase === undefined) throw new Bug(`${event.type} at ${agent.path}, which is ${agent.phase}`);
  return phase;
}

function spawned(state: Durable, event: EventOf<"agent.spawned">): Durable {
  const above = parentPath(event.path);
  const parent = above === undefined ? undefined : state.agents.get(above);
  if (above !== undefined && parent === undefined) {
    throw new Bug(`${event.type} names ${event.path}, whose parent is not retained`);
  }
  if (state.agents.has(event.path)) {
    throw new Bug(`${event.type} names ${event.path}, which is retained already`);
  }
  const job = event.job ?? null;
  const known =
    job === null
      ? state
      : durableWith(state, {
          jobs: state.jobs.set(`${job}`, { path: event.path, gen: event.gen }),
        });
  return withAgent(known, {
    path: event.path,
    gen: event.gen,
    parent: parent === undefined ? null : { path: parent.path, gen: parent.gen },
    behavior: event.behavior,
    role: event.role,
    job,
    phase: "idle",
    turns: 0,
    turn: null,
    executions: 0,
    unread: emptyRow(),
    last: null,
  });
}

/** Identities go; their paths remember the generation, so that the next one gets a higher (A5). */
function retired(state: Durable, event: EventOf<"agent.retired">): Durable {
  let { agents, retired: gone } = state;
  for (const member of event.members) {
    const { path, gen, parent, unread } = agentOf(state, member, event.type);
    if (parent === null) throw new Bug(`${event.type} names ${path}, which has no parent`);
    agents = agents.delete(path);
    gone = gone.set(path, { gen, parent, expired: countMail(unread) });
  }
  const endings = state.endings.filter((top) => !isWithin(top, event.path));
  return durableWith(state, { agents, retired: gone, endings });
}

function interrupted(state: Durable, event: EventOf<"agent.interrupted">): Durable {
  if (event.muted !== true) return state;
  const agent = agentOf(state, event, event.type);
  if (agent.turn === null) return state;
  return withAgent(state, agentWith(agent, { turn: turnWith(agent.turn, { muted: true }) }));
}

function started(state: Durable, event: EventOf<"turn.started">, at: Point): Durable {
  const agent = agentOf(state, event, event.type);
  const turn: Turn = {
    turn: event.turn,
    start: event.start,
    started: at,
    task: event.task === undefined ? null : "at" in event.task ? event.task.at : at,
    told: at,
    attempts: 0,
    open: null,
    lastResult: null,
    partials: emptyRow(),
    executions: emptyMap(),
    blockers: [],
    forJobs: false,
    extended: null,
    blocked: 0,
    muted: false,
    settling: null,
  };
  const live = agentWith(agent, { phase: phaseAfter(agent, event), turns: event.turn, turn });
  return durableWith(state, {
    agents: state.agents.set(agent.path, live),
    active: agent.path === ROOT ? state.active : state.active + 1,
    turns: state.turns + 1,
  });
}

function settled(state: Durable, event: EventOf<"turn.settled">, at: Point): Durable {
  const agent = agentOf(state, event, event.type);
  const { turn, settling } = turnOf(agent, event, event.type);
  if (settling === null) throw new Bug(`turn ${turn} of ${agent.path} had not begun to settle`);
  const last: Settled = { turn, outcome: event.outcome, began: settling.began, settled: at };
  const idle = agentWith(agent, { phase: phaseAfter(agent, event), turn: null, last });
  return durableWith(state, {
    agents: state.agents.set(agent.path, idle),
    active: agent.path === ROOT ? state.active : state.active - 1,
    settling: without(state.settling, agent.path),
    trying: state.trying === agent.path ? null : state.trying,
  });
}

function without(row: Row<AgentPath>, path: AgentPath): Row<AgentPath> {
  return row.first() === path ? row.rest() : row.filter((other) => other !== path);
}

function settlement(
  state: Durable,
  event: EventOf<
    "settlement.began" | "settlement.attempted" | "settlement.failed" | "settlement.resumed"
  >,
  at: Point,
): Durable {
  switch (event.type) {
    case "settlement.began":
      return settlementBegan(state, event, at);
    case "settlement.attempted":
      return attempted(state, event);
    case "settlement.failed":
      return failed(state, event);
    case "settlement.resumed":
      return resumed(state, event);
  }
}

function settlementBegan(state: Durable, event: EventOf<"settlement.began">, at: Point): Durable {
  const agent = agentOf(state, event, event.type);
  const { kind } = event.outcome;
  const settling = { outcome: kind, began: at, failures: 0, paused: false };
  const turn = turnWith(turnOf(agent, event, event.type), { settling, open: null });
  return durableWith(state, {
    agents: state.agents.set(
      agent.path,
      agentWith(agent, { phase: phaseAfter(agent, event), turn }),
    ),
    settling: state.settling.push(agent.path),
  });
}

function attempted(state: Durable, event: EventOf<"settlement.attempted">): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = turnOf(agent, event, event.type);
  const settling = turn.settling === null ? null : { ...turn.settling, paused: false };
  const tried = turnWith(turn, { attempts: event.attempt, settling });
  return durableWith(state, {
    agents: state.agents.set(
      agent.path,
      agentWith(agent, { phase: phaseAfter(agent, event), turn: tried }),
    ),
    trying: agent.path,
  });
}

function failed(state: Durable, event: EventOf<"settlement.failed">): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = turnOf(agent, event, event.type);
  const { settling } = turn;
  const failures = (settling?.failures ?? 0) + 1;
  const paused = settling === null ? null : { ...settling, failures, paused: true };
  const after = agentWith(agent, {
    phase: phaseAfter(agent, event),
    turn: turnWith(turn, { settling: paused }),
  });
  return durableWith(state, { agents: state.agents.set(agent.path, after), trying: null });
}

function resumed(state: Durable, event: EventOf<"settlement.resumed">): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = turnOf(agent, event, event.type);
  if (turn.settling === null) return state;
  const settling = { ...turn.settling, paused: false };
  return withAgent(state, agentWith(agent, { turn: turnWith(turn, { settling }) }));
}

type Advance = EventOf<
  | "sample.began"
  | "sample.ended"
  | "partial.recorded"
  | "wait.began"
  | "wait.ended"
  | "execution.yielded"
  | "turn.extended"
>;

/** What a live turn does, as far as the phase table speaks of it. */
function advanced(state: Durable, event: Advance, at: Point): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = turnWith(turnOf(agent, event, event.type), advance(agent, event, at));
  const executions = event.type === "execution.yielded" ? event.execution : agent.executions;
  return withAgent(state, agentWith(agent, { phase: phaseAfter(agent, event), turn, executions }));
}

function advance(agent: Agent, event: Advance, at: Point): Partial<Turn> {
  switch (event.type) {
    case "sample.began":
      return { told: at, attempts: event.attempt, open: event.attempt, partials: emptyRow() };
    case "wait.began":
      return { attempts: event.attempt, open: event.attempt, forJobs: event.for === "jobs" };
    case "turn.extended":
      return { told: at, extended: at };
    case "wait.ended":
      return { told: at, open: null };
    case "partial.recorded":
      return { partials: (agent.turn?.partials ?? emptyRow<Point>()).push(at) };
    case "sample.ended":
      // What a failed sample had said stays the useful partial text; a result takes its place (S1).
      if (event.result === undefined) return { open: null };
      return { open: null, lastResult: at, partials: emptyRow() };
    case "execution.yielded":
      return { executions: executionsOf(agent).set(`${event.execution}`, event.execution) };
  }
}

const executionsOf = ({ turn }: Agent): Turn["executions"] => turn?.executions ?? emptyMap();

/** What may come in any phase of a turn, while it settles too: the phase table does not speak of it. */
function beside(
  state: Durable,
  event: EventOf<"execution.completed" | "blocker.added" | "blocker.released">,
  at: Point,
): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = turnOf(agent, event, event.type);
  return withAgent(state, agentWith(agent, { turn: turnWith(turn, besides(turn, event, at)) }));
}

function besides(
  turn: Turn,
  event: EventOf<"execution.completed" | "blocker.added" | "blocker.released">,
  at: Point,
): Partial<Turn> {
  switch (event.type) {
    case "execution.completed":
      return { executions: turn.executions.delete(`${event.execution}`) };
    case "blocker.added": {
      const { token, label } = event;
      return { blockers: [...turn.blockers, { token, label, since: at }], blocked: token };
    }
    case "blocker.released":
      return { told: at, blockers: turn.blockers.filter((one) => one.token !== event.token) };
  }
}
