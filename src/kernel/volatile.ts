/**
 * The reducer of what belongs to one run: wake marks, reservations, holds, notices, stamps and the like (W9). It starts
 * empty at every `session.opened`, so that reopening revives nothing, by construction.
 */
import type { AgentRef, DovecoteEvent, EventOf } from "../events/events.js";
import { type Point, samePoint } from "../events/point.js";
import { type AgentPath, ROOT } from "../paths.js";
import { emptyRow } from "./persistent.js";
import type { Handler, Hold, Reservation, Volatile } from "./state.js";
import { FRESH_VOLATILE } from "./state.js";

/** The volatile state after one event that stands at `at`. */
export function evolveVolatile(state: Volatile, event: DovecoteEvent, at: Point): Volatile {
  switch (event.type) {
    case "session.opened":
      return FRESH_VOLATILE;
    case "session.closing":
      return volatileWith(state, { closing: true });
    case "session.closed":
      return volatileWith(state, { closed: true });
    case "mail.queued":
      return queued(state, event, at);
    case "mail.delivered":
      return delivered(state, event);
    case "mail.consumed":
    case "mail.returned":
      return withoutRecord(state, event.record);
    case "handler.registered": {
      const { path, gen, turn, child } = event;
      const handler = { turn: { path, gen, turn }, child, record: null };
      return volatileWith(state, { handlers: [...state.handlers, handler] });
    }
    case "wake.marked":
      return marked(state, event);
    case "wake.cleared":
      return cleared(state, event);
    case "wake.limited":
      return volatileWith(state, { limited: true });
    case "notice.queued":
      return volatileWith(state, { notices: state.notices.push(at) });
    case "notice.delivered":
      return volatileWith(state, { notices: emptyRow() });
    case "hold.taken":
      return volatileWith(state, { holds: counted(state.holds, event.name, 1) });
    case "hold.released":
      return volatileWith(state, { holds: counted(state.holds, event.name, -1) });
    case "turn.started":
      return started(state, event);
    case "settlement.began":
      return endsHandlers(state, event);
    case "turn.settled":
      return settled(state, event);
    case "agent.retired":
      return event.members.reduce(forget, state);
    case "start.reserved":
    case "start.claimed":
    case "start.prepared":
    case "start.released":
      return reservation(state, event, at);
    default:
      return state;
  }
}

/** Whether an entry of the order is its agent's mark still; compared by value, since a snapshot keeps no identity. */
export function isLive(
  marks: Volatile["marks"],
  entry: { readonly path: AgentPath; readonly record: Point },
): boolean {
  const mark = marks.get(entry.path);
  return mark !== undefined && samePoint(mark, entry.record);
}

/** A changed copy, spelled out field by field. */
function volatileWith(state: Volatile, to: Partial<Volatile>): Volatile {
  return {
    marks: to.marks ?? state.marks,
    markOrder: to.markOrder ?? state.markOrder,
    reservations: to.reservations ?? state.reservations,
    reserved: to.reserved ?? state.reserved,
    inputs: to.inputs ?? state.inputs,
    notices: to.notices ?? state.notices,
    holds: to.holds ?? state.holds,
    handlers: to.handlers ?? state.handlers,
    stamps: to.stamps ?? state.stamps,
    readOnly: to.readOnly ?? state.readOnly,
    wakes: to.wakes ?? state.wakes,
    limited: to.limited ?? state.limited,
    closing: to.closing ?? state.closing,
    closed: to.closed ?? state.closed,
  };
}

function queued(state: Volatile, event: EventOf<"mail.queued">, at: Point): Volatile {
  const to: { -readonly [K in keyof Volatile]?: Volatile[K] } = {};
  // The person has written: wakes in a row are counted anew, and the limit on them is lifted (X2).
  // A message of the operation layer sets nothing going, so it lifts nothing either (O6).
  if (event.from === "person" && event.message === undefined)
    Object.assign(to, { wakes: 0, limited: false });
  if (event.mail === "INPUT") to.inputs = [...state.inputs, at];
  if (event.stamped === true && event.path !== ROOT) {
    to.stamps = state.stamps.set(event.path, [...(state.stamps.get(event.path) ?? []), at]);
  }
  if (event.withheld === true) {
    to.handlers = state.handlers.map((one) =>
      isAwaited(one, event) ? { ...one, record: at } : one,
    );
  }
  return Object.keys(to).length === 0 ? state : volatileWith(state, to);
}

function isAwaited({ child, record }: Handler, { by }: EventOf<"mail.queued">): boolean {
  return record === null && child.path === by?.path && child.gen === by.gen;
}

function delivered(state: Volatile, event: EventOf<"mail.delivered">): Volatile {
  const stamps = state.stamps.get(event.path);
  if (event.path === ROOT ? state.inputs.length === 0 : stamps === undefined) return state;
  if (event.path === ROOT) {
    return volatileWith(state, { inputs: without(state.inputs, event.records) });
  }
  // What the turn has read, it has read: it stays read-only to its end (P2).
  const readOnly = [...state.readOnly, event.path];
  return volatileWith(state, { stamps: state.stamps.delete(event.path), readOnly });
}

function without(points: readonly Point[], gone: readonly Point[]): readonly Point[] {
  return points.filter((one) => !gone.some((point) => samePoint(point, one)));
}

function withoutRecord(state: Volatile, record: Point): Volatile {
  const handlers = state.handlers.filter(
    (one) => one.record === null || !samePoint(one.record, record),
  );
  return volatileWith(state, { handlers });
}

function marked(state: Volatile, event: EventOf<"wake.marked">): Volatile {
  const entry = { path: event.path, record: event.record };
  const last = state.markOrder.last();
  const inOrder = last === undefined || before(last.record, entry.record);
  return volatileWith(state, {
    marks: state.marks.set(event.path, event.record),
    // Mail marks in the order it comes; a mark that is given back goes to its old place (W7, S7).
    markOrder: inOrder
      ? state.markOrder.push(entry)
      : state.markOrder.insert(entry, (other) => before(entry.record, other.record)),
  });
}

const before = (a: Point, b: Point): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

function cleared(state: Volatile, event: EventOf<"wake.cleared">): Volatile {
  return withoutMark(state, event.path);
}

function withoutMark(state: Volatile, path: AgentPath): Volatile {
  const marks = state.marks.delete(path);
  let { markOrder } = state;
  for (let head = markOrder.first(); head !== undefined; head = markOrder.first()) {
    if (isLive(marks, head)) break;
    markOrder = markOrder.rest();
  }
  // Stale entries behind a live head are few; past twice the live ones they are swept, so the order stays O(marks).
  if (markOrder.length > 2 * marks.size + 16) {
    markOrder = markOrder.filter((entry) => isLive(marks, entry));
  }
  return volatileWith(state, { marks, markOrder });
}

function counted(holds: readonly Hold[], name: string, by: 1 | -1): readonly Hold[] {
  const count = (holds.find((hold) => hold.name === name)?.count ?? 0) + by;
  const others = holds.filter((hold) => hold.name !== name);
  return count > 0 ? [...others, { name, count }] : others;
}

/** A turn with a stamped task is read-only from its start (P2). */
function started(state: Volatile, event: EventOf<"turn.started">): Volatile {
  const left =
    event.reservation === undefined ? state : withoutReservation(state, event.reservation);
  const wakes = event.start === "wake" ? left.wakes + 1 : left.wakes;
  return volatileWith(left, { wakes, readOnly: readOnlyAt(left, event) });
}

function readOnlyAt(state: Volatile, event: EventOf<"turn.started">): readonly AgentPath[] {
  if (event.path === ROOT) return state.readOnly;
  return event.stamped === true ? [...state.readOnly, event.path] : state.readOnly;
}

/** A turn that reaches its end awaits nothing more: a RESULT that comes while it settles is ordinary mail (S7). */
function endsHandlers(state: Volatile, { path }: AgentRef): Volatile {
  const handlers = state.handlers.filter((one) => one.turn.path !== path);
  return handlers.length === state.handlers.length ? state : volatileWith(state, { handlers });
}

function settled(state: Volatile, event: EventOf<"turn.settled">): Volatile {
  const readOnly = state.readOnly.filter((path) => path !== event.path);
  return readOnly.length === state.readOnly.length ? state : volatileWith(state, { readOnly });
}

/** Marks, stamps and withheld results go with their agent (A5). What it had reported is its parent's, whose handler goes on. */
function forget(state: Volatile, { path }: AgentRef): Volatile {
  const left = state.marks.has(path) ? withoutMark(state, path) : state;
  return volatileWith(left, {
    stamps: left.stamps.delete(path),
    handlers: left.handlers.filter((one) => one.child.path !== path || one.record !== null),
  });
}

function reservation(
  state: Volatile,
  event: EventOf<"start.reserved" | "start.claimed" | "start.prepared" | "start.released">,
  at: Point,
): Volatile {
  switch (event.type) {
    case "start.reserved":
      return volatileWith(state, {
        reservations: [...state.reservations, reservationOf(event, at)],
        reserved: event.reservation,
      });
    case "start.claimed":
      return changedReservation(state, event.reservation, { start: "prompt", from: "person" });
    case "start.prepared":
      return changedReservation(state, event.reservation, { ready: true });
    case "start.released":
      return released(state, event);
  }
}

function changedReservation(state: Volatile, number: number, to: Partial<Reservation>): Volatile {
  const reservations = state.reservations.map((one) =>
    one.reservation === number ? { ...one, ...to } : one,
  );
  return volatileWith(state, { reservations });
}

function withoutReservation(state: Volatile, number: number): Volatile {
  const reservations = state.reservations.filter((one) => one.reservation !== number);
  return volatileWith(state, { reservations });
}

/** An INPUT that waited for the root's start had its one attempt: it stays unread and starts nothing more (T4, W8). */
function released(state: Volatile, event: EventOf<"start.released">): Volatile {
  const left = withoutReservation(state, event.reservation);
  const given = state.reservations.find((one) => one.reservation === event.reservation);
  return given?.path === ROOT && given.start === "prompt"
    ? volatileWith(left, { inputs: [] })
    : left;
}

function reservationOf(event: EventOf<"start.reserved">, at: Point): Reservation {
  return {
    path: event.path,
    gen: event.gen,
    reservation: event.reservation,
    start: event.start,
    behavior: event.behavior,
    role: event.role,
    at,
    task: event.task === undefined ? null : "at" in event.task ? event.task.at : at,
    from: event.from ?? null,
    by: event.by ?? null,
    stamped: event.stamped === true,
    mark: event.mark ?? null,
    ready: false,
  };
}
