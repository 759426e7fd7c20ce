/**
 * The roster: who is retained, in which phase, and what stands around each agent (A8).
 * Phases come from the kernel's table; nothing here encodes them a second time.
 */
import type {
  AgentRef,
  DovecoteEvent,
  EventOf,
  OutcomeKind,
  Role,
  StartKind,
} from "../events/events.js";
import type { Blocker } from "../kernel/state.js";
import type { Point } from "../events/point.js";
import { type PersistentMap, emptyMap } from "../kernel/persistent.js";
import { type Phase, nextPhase } from "../kernel/phases.js";
import { type AgentPath, comparePaths, parentPath } from "../paths.js";
import type { Projection } from "./projection.js";

/** The newest settled turn of an agent. `began` is the `settlement.began` with its whole payload (S2). */
export interface LastOutcome {
  readonly turn: number;
  readonly outcome: OutcomeKind;
  readonly began: Point;
  /** The `turn.settled`: it names the cause where ending the turn failed (S3). */
  readonly settled: Point;
}

/** A retained agent, as `list` shows it (A8). */
export interface RosterEntry {
  readonly path: AgentPath;
  readonly gen: number;
  readonly parent: AgentPath | null;
  readonly role: Role;
  readonly behavior: string;
  readonly phase: Phase;
  /** The event that brought the agent into its phase. */
  readonly since: Point;
  /** The start that is being prepared, and since when (T2). */
  readonly preparing: { readonly start: StartKind; readonly since: Point } | null;
  /** What its live turn is blocked by, oldest first; the newest is shown (T1). */
  readonly blockers: readonly Blocker[];
  /** The mail that marked it, if it is to be woken (W1). */
  readonly marked: Point | null;
  /** How many records it has not read. */
  readonly unread: number;
  /** How many turns have started. */
  readonly turns: number;
  /** Where the live turn's outcome was fixed, while it settles. */
  readonly settling: Point | null;
  readonly last: LastOutcome | null;
}

/** The state of {@link roster}. */
export type Roster = PersistentMap<AgentPath, RosterEntry>;

/**
 * Who is there (A8). Marks and reservations belong to one run: `session.opened` clears them (W9).
 *
 * @example listAgents(foldAll(roster, events))
 */
export const roster: Projection<Roster> = {
  name: "roster",
  version: 1,
  initial: emptyMap(),
  apply(state, event, at) {
    if (event.type === "session.opened") return newRun(state);
    if (event.type === "agent.spawned") return state.set(event.path, spawned(event, at));
    if (event.type === "mail.moved") return moved(state, event);
    if (event.type === "agent.retired") return event.members.reduce(retired, state);
    if (!("path" in event)) return state;
    const entry = state.get(event.path);
    // A spawn under way has no entry: it is unknown to all until its commit (T3).
    if (entry === undefined || entry.gen !== event.gen) return state;
    const next = changedBy(entry, event, at);
    return next === entry ? state : state.set(entry.path, next);
  },
};

/** The retained agents, sorted by path (A8). */
export function listAgents(state: Roster): readonly RosterEntry[] {
  return [...state.values()].sort((a, b) => comparePaths(a.path, b.path));
}

function spawned(event: EventOf<"agent.spawned">, at: Point): RosterEntry {
  return {
    path: event.path,
    gen: event.gen,
    parent: parentPath(event.path) ?? null,
    role: event.role,
    behavior: event.behavior,
    phase: "idle",
    since: at,
    preparing: null,
    blockers: [],
    marked: null,
    unread: 0,
    turns: 0,
    settling: null,
    last: null,
  };
}

function retired(state: Roster, { path, gen }: AgentRef): Roster {
  return state.get(path)?.gen === gen ? state.delete(path) : state;
}

function newRun(state: Roster): Roster {
  let next = state;
  for (const entry of state.values()) {
    if (entry.marked === null && entry.preparing === null) continue;
    next = next.set(entry.path, changed(entry, { marked: null, preparing: null }));
  }
  return next;
}

function moved(state: Roster, event: EventOf<"mail.moved">): Roster {
  const owner = state.get(event.from.path);
  const heir = state.get(event.path);
  if (owner === undefined || heir === undefined) return state;
  return state
    .set(owner.path, changed(owner, { unread: owner.unread - 1 }))
    .set(heir.path, changed(heir, { unread: heir.unread + 1 }));
}

type OfAgent = Extract<DovecoteEvent, { readonly path: AgentPath }>;

function changedBy(entry: RosterEntry, event: OfAgent, at: Point): RosterEntry {
  switch (event.type) {
    case "turn.started":
      return moving(entry, event, at, { turns: event.turn, preparing: null });
    case "settlement.began":
      return moving(entry, event, at, { settling: at });
    case "turn.settled": {
      const { turn, outcome } = event;
      const last = { turn, outcome, began: entry.settling ?? at, settled: at };
      return moving(entry, event, at, { settling: null, blockers: [], last });
    }
    case "mail.queued":
      return changed(entry, { unread: entry.unread + 1 });
    case "mail.delivered":
      return changed(entry, { unread: entry.unread - event.records.length });
    case "mail.consumed":
      return changed(entry, { unread: entry.unread - 1 });
    case "blocker.added": {
      const { token, label } = event;
      return changed(entry, { blockers: [...entry.blockers, { token, label, since: at }] });
    }
    case "blocker.released": {
      const blockers = entry.blockers.filter(({ token }) => token !== event.token);
      return changed(entry, { blockers });
    }
    case "wake.marked":
      return changed(entry, { marked: event.record });
    case "wake.cleared":
      return changed(entry, { marked: null });
    case "start.reserved":
      return changed(entry, { preparing: { start: event.start, since: at } });
    case "start.claimed": {
      const { preparing } = entry;
      return changed(entry, {
        preparing: preparing === null ? null : { start: "prompt", since: preparing.since },
      });
    }
    case "start.released":
      return changed(entry, { preparing: null });
    default:
      return moving(entry, event, at, null);
  }
}

function moving(
  entry: RosterEntry,
  event: OfAgent,
  at: Point,
  to: Partial<RosterEntry> | null,
): RosterEntry {
  const phase = nextPhase(entry.phase, event.type) ?? entry.phase;
  if (phase !== entry.phase) return changed(entry, to ?? {}, phase, at);
  return to === null ? entry : changed(entry, to);
}

/** Spelled out, like the kernel's folds. `undefined` keeps a field. */
function changed(
  entry: RosterEntry,
  to: Partial<RosterEntry>,
  phase = entry.phase,
  since = entry.since,
): RosterEntry {
  return {
    path: entry.path,
    gen: entry.gen,
    parent: entry.parent,
    role: entry.role,
    behavior: entry.behavior,
    phase,
    since,
    preparing: to.preparing === undefined ? entry.preparing : to.preparing,
    blockers: to.blockers ?? entry.blockers,
    marked: to.marked === undefined ? entry.marked : to.marked,
    unread: to.unread ?? entry.unread,
    turns: to.turns ?? entry.turns,
    settling: to.settling === undefined ? entry.settling : to.settling,
    last: to.last ?? entry.last,
  };
}
