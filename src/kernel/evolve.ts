/**
 * The fold of events into the durable state. It never refuses: an event that does not fit is damage or a bug, and says so.
 * Literals are spelled out field by field; object spread costs twenty times as much here.
 */
import { Bug } from "../errors.js";
import type { AgentRef, DovecoteEvent, EventOf, TurnRef } from "../events/events.js";
import { type Point, samePoint } from "../events/point.js";
import { ROOT, parentPath } from "../paths.js";
import type { AgentPath } from "../paths.js";
import { type Row, emptyRow } from "./persistent.js";
import { type Phase, nextPhase } from "./phases.js";
import type { Agent, Durable, Settled, Turn, Unread } from "./state.js";

/** The state after one event that stands at `at`. */
export function evolve(state: Durable, event: DovecoteEvent, at: Point): Durable {
  switch (event.type) {
    case "session.created":
      return made(state, event.id, event.capacity, state.run);
    case "session.opened":
      return made(state, state.id, state.capacity, event.run);
    case "capacity.changed":
      return made(state, state.id, event.to, state.run);
    case "agent.spawned":
      return spawned(state, event);
    case "turn.started":
      return started(state, event, at);
    case "turn.settled":
      return settled(state, event);
    case "settlement.began":
      return settlementBegan(state, event, at);
    case "settlement.attempted":
      return attempted(state, event);
    case "sample.began":
    case "wait.began":
    case "sample.ended":
    case "wait.ended":
    case "partial.recorded":
    case "execution.yielded":
    case "execution.completed":
      return withinTurn(state, event, at);
    case "mail.queued":
    case "mail.delivered":
    case "mail.moved":
      return mailbox(state, event, at);
    case "session.recovered":
    case "session.closing":
    case "session.closed":
    case "agent.interrupted":
    case "transcript.recorded":
    case "start.reserved":
    case "start.prepared":
    case "start.released":
    case "wake.marked":
    case "wake.cleared":
      return state;
    default:
      return unknownEvent(event);
  }
}

function unknownEvent(event: never): never {
  throw new Bug(`no fold for the event ${(event as DovecoteEvent).type}`);
}

function made(state: Durable, id: string, capacity: number, run: number): Durable {
  return {
    id,
    capacity,
    run,
    agents: state.agents,
    active: state.active,
    settling: state.settling,
    trying: state.trying,
  };
}

function withAgent(
  state: Durable,
  agent: Agent,
  active = state.active,
  settling = state.settling,
  trying = state.trying,
): Durable {
  return {
    id: state.id,
    capacity: state.capacity,
    run: state.run,
    agents: state.agents.set(agent.path, agent),
    active,
    settling,
    trying,
  };
}

function agentOf(state: Durable, ref: AgentRef, event: string): Agent {
  const agent = state.agents.get(ref.path);
  if (agent === undefined || agent.gen !== ref.gen) {
    throw new Bug(`${event} names ${ref.path}#${ref.gen}, which is not retained`);
  }
  return agent;
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

function inTurn(agent: Agent, phase: Phase, turn: Turn | null, last = agent.last): Agent {
  return {
    path: agent.path,
    gen: agent.gen,
    parent: agent.parent,
    behavior: agent.behavior,
    role: agent.role,
    phase,
    turns: turn === null ? agent.turns : turn.turn,
    turn,
    executions: agent.executions,
    unread: agent.unread,
    last,
  };
}

function withUnread(agent: Agent, unread: Row<Unread>): Agent {
  return {
    path: agent.path,
    gen: agent.gen,
    parent: agent.parent,
    behavior: agent.behavior,
    role: agent.role,
    phase: agent.phase,
    turns: agent.turns,
    turn: agent.turn,
    executions: agent.executions,
    unread,
    last: agent.last,
  };
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
  return withAgent(state, {
    path: event.path,
    gen: event.gen,
    parent: parent === undefined ? null : { path: parent.path, gen: parent.gen },
    behavior: event.behavior,
    role: event.role,
    phase: "idle",
    turns: 0,
    turn: null,
    executions: 0,
    unread: emptyRow(),
    last: null,
  });
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
    executions: [],
    settling: null,
  };
  const active = agent.path === ROOT ? state.active : state.active + 1;
  return withAgent(state, inTurn(agent, phaseAfter(agent, event), turn), active);
}

function settled(state: Durable, event: EventOf<"turn.settled">): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = turnOf(agent, event, event.type);
  if (turn.settling === null)
    throw new Bug(`turn ${turn.turn} of ${agent.path} had not begun to settle`);
  const last: Settled = { turn: turn.turn, outcome: event.outcome, began: turn.settling.began };
  const others = without(state.settling, agent.path);
  const active = agent.path === ROOT ? state.active : state.active - 1;
  const trying = state.trying === agent.path ? null : state.trying;
  return withAgent(
    state,
    inTurn(agent, phaseAfter(agent, event), null, last),
    active,
    others,
    trying,
  );
}

function without(row: Row<AgentPath>, path: AgentPath): Row<AgentPath> {
  return row.first() === path ? row.rest() : row.filter((other) => other !== path);
}

/** A turn with some fields changed; `undefined` keeps the field. */
function changed(
  turn: Turn,
  to: {
    told?: Point;
    attempts?: number;
    open?: number | null;
    lastResult?: Point | null;
    partials?: Row<Point>;
    executions?: readonly number[];
    settling?: Turn["settling"];
  },
): Turn {
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
    settling: to.settling ?? turn.settling,
  };
}

function settlementBegan(state: Durable, event: EventOf<"settlement.began">, at: Point): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = turnOf(agent, event, event.type);
  const settling = { outcome: event.outcome.kind, began: at };
  const next = inTurn(agent, phaseAfter(agent, event), changed(turn, { settling, open: null }));
  return withAgent(state, next, state.active, state.settling.push(agent.path));
}

function attempted(state: Durable, event: EventOf<"settlement.attempted">): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = changed(turnOf(agent, event, event.type), { attempts: event.attempt });
  const next = inTurn(agent, phaseAfter(agent, event), turn);
  return withAgent(state, next, state.active, state.settling, agent.path);
}

type WithinTurn = EventOf<
  | "sample.began"
  | "sample.ended"
  | "partial.recorded"
  | "wait.began"
  | "wait.ended"
  | "execution.yielded"
  | "execution.completed"
>;

function withinTurn(state: Durable, event: WithinTurn, at: Point): Durable {
  const agent = agentOf(state, event, event.type);
  const turn = turnOf(agent, event, event.type);
  switch (event.type) {
    case "sample.began":
      return advanced(state, agent, event, {
        told: at,
        attempts: event.attempt,
        open: event.attempt,
        partials: emptyRow(),
      });
    case "wait.began":
      return advanced(state, agent, event, { attempts: event.attempt, open: event.attempt });
    case "wait.ended":
      return advanced(state, agent, event, { told: at, open: null });
    case "partial.recorded":
      return advanced(state, agent, event, { partials: turn.partials.push(at) });
    case "sample.ended":
      return advanced(state, agent, event, sampleEnd(event, at));
    case "execution.yielded": {
      const executions = [...turn.executions, event.execution];
      return advanced(state, counted(agent, event.execution), event, { executions });
    }
    case "execution.completed": {
      // The phase table does not list it: a command may end in any phase of its turn, settling too.
      const executions = turn.executions.filter((number) => number !== event.execution);
      return withAgent(state, inTurn(agent, agent.phase, changed(turn, { executions })));
    }
  }
}

function sampleEnd(event: EventOf<"sample.ended">, at: Point): Parameters<typeof changed>[1] {
  // What a failed sample had said stays the useful partial text; a result takes its place (S1).
  if (event.result === undefined) return { open: null };
  return { open: null, lastResult: at, partials: emptyRow() };
}

function advanced(
  state: Durable,
  agent: Agent,
  event: WithinTurn,
  to: Parameters<typeof changed>[1],
): Durable {
  const turn = changed(turnOf(agent, event, event.type), to);
  return withAgent(state, inTurn(agent, phaseAfter(agent, event), turn));
}

function counted(agent: Agent, executions: number): Agent {
  return {
    path: agent.path,
    gen: agent.gen,
    parent: agent.parent,
    behavior: agent.behavior,
    role: agent.role,
    phase: agent.phase,
    turns: agent.turns,
    turn: agent.turn,
    executions,
    unread: agent.unread,
    last: agent.last,
  };
}

function mailbox(
  state: Durable,
  event: EventOf<"mail.queued" | "mail.delivered" | "mail.moved">,
  at: Point,
): Durable {
  const agent = agentOf(state, event, event.type);
  switch (event.type) {
    case "mail.queued":
      return withAgent(state, withUnread(agent, agent.unread.push(unreadOf(event, at))));
    case "mail.delivered":
      return withAgent(state, withUnread(agent, taken(agent.unread, event.records)));
    case "mail.moved": {
      const owner = agentOf(state, event.from, event.type);
      const record = owner.unread.toArray().find((one) => samePoint(one.at, event.record));
      if (record === undefined)
        throw new Bug(`mail.moved names a record that ${owner.path} has not`);
      const left = withAgent(state, withUnread(owner, taken(owner.unread, [event.record])));
      const heir = agentOf(left, event, event.type);
      return withAgent(left, withUnread(heir, heir.unread.push(moved(record, at))));
    }
  }
}

function unreadOf(event: EventOf<"mail.queued">, at: Point): Unread {
  return {
    at,
    textAt: event.source ?? at,
    mail: event.mail,
    from: event.from,
    size: event.text?.length ?? 0,
    execution: event.execution ?? null,
  };
}

function moved(record: Unread, at: Point): Unread {
  return {
    at,
    textAt: record.textAt,
    mail: record.mail,
    from: record.from,
    size: record.size,
    execution: record.execution,
  };
}

/** Unread mail without the records of those points. A boundary takes all of it, which costs nothing. */
function taken(unread: Row<Unread>, records: readonly Point[]): Row<Unread> {
  if (records.length === unread.length) return emptyRow();
  return unread.filter((record) => !records.some((point) => samePoint(point, record.at)));
}
