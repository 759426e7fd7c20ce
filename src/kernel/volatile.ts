/**
 * The reducer of what belongs to one run: wake marks and reservations (W9). It starts empty at every `session.opened`,
 * so that reopening revives nothing, by construction.
 */
import type { DovecoteEvent, EventOf } from "../events/events.js";
import { type Point, samePoint } from "../events/point.js";
import { type AgentPath, ROOT } from "../paths.js";
import type { Reservation, Volatile } from "./state.js";
import { FRESH_VOLATILE } from "./state.js";

/** The volatile state after one event that stands at `at`. */
export function evolveVolatile(state: Volatile, event: DovecoteEvent, at: Point): Volatile {
  switch (event.type) {
    case "session.opened":
      return FRESH_VOLATILE;
    case "session.closing":
      return changed(state, { closing: true });
    case "session.closed":
      return changed(state, { closed: true });
    case "mail.queued":
      return event.mail === "INPUT" ? changed(state, { inputs: [...state.inputs, at] }) : state;
    case "mail.delivered":
      return state.inputs.length === 0 ? state : changed(state, { inputs: unread(state, event) });
    case "wake.marked":
      return changed(state, {
        marks: state.marks.set(event.path, event.record),
        markOrder: state.markOrder.push({ path: event.path, record: event.record }),
      });
    case "wake.cleared":
      return cleared(state, event);
    case "start.reserved":
      return changed(state, {
        reservations: [...state.reservations, reservationOf(event, at)],
        reserved: event.reservation,
      });
    case "start.prepared":
      return changed(state, {
        reservations: state.reservations.map((one) =>
          one.reservation === event.reservation ? { ...one, ready: true } : one,
        ),
      });
    case "start.released":
      return released(state, event);
    case "turn.started":
      return event.reservation === undefined ? state : withoutReservation(state, event.reservation);
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

function changed(state: Volatile, to: Partial<Volatile>): Volatile {
  return {
    marks: to.marks ?? state.marks,
    markOrder: to.markOrder ?? state.markOrder,
    reservations: to.reservations ?? state.reservations,
    reserved: to.reserved ?? state.reserved,
    inputs: to.inputs ?? state.inputs,
    closing: to.closing ?? state.closing,
    closed: to.closed ?? state.closed,
  };
}

function unread(state: Volatile, event: EventOf<"mail.delivered">): readonly Point[] {
  return state.inputs.filter((input) => !event.records.some((point) => samePoint(point, input)));
}

function withoutReservation(state: Volatile, reservation: number): Volatile {
  return changed(state, {
    reservations: state.reservations.filter((one) => one.reservation !== reservation),
  });
}

/** An INPUT that waited for the root's start had its one attempt: it stays unread and starts nothing more (T4, W8). */
function released(state: Volatile, event: EventOf<"start.released">): Volatile {
  const left = withoutReservation(state, event.reservation);
  return event.path === ROOT ? changed(left, { inputs: [] }) : left;
}

function cleared(state: Volatile, event: EventOf<"wake.cleared">): Volatile {
  const marks = state.marks.delete(event.path);
  let markOrder = state.markOrder;
  for (let head = markOrder.first(); head !== undefined; head = markOrder.first()) {
    if (isLive(marks, head)) break;
    markOrder = markOrder.rest();
  }
  // Stale entries behind a live head are few; past twice the live ones they are swept, so the order stays O(marks).
  if (markOrder.length > 2 * marks.size + 16) {
    markOrder = markOrder.filter((entry) => isLive(marks, entry));
  }
  return changed(state, { marks, markOrder });
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
    ready: false,
  };
}
