/**
 * Unread mail, oldest first, per agent: what is accepted and durable, and no sample has taken yet (M4).
 * Texts stay in the log; a record says where its own is.
 */
import type { AgentRef, EventOf, MailType, OutcomeKind, Sender } from "../events/events.js";
import { type Point, formatPoint, samePoint } from "../events/point.js";
import { type PersistentMap, type Row, emptyMap, emptyRow } from "../kernel/persistent.js";
import { type AgentKey, type Projection, agentKey } from "./projection.js";

/** A record that nobody has read (M2). */
export interface UnreadRecord {
  /** Its place in the queue: where it was accepted, or moved to its heir (M4, S5). */
  readonly at: Point;
  /** The event that holds its text: itself, or for a RESULT the settlement it reports. */
  readonly textAt: Point;
  readonly mail: MailType;
  readonly from: Sender;
  /** How the turn ended that a RESULT reports. */
  readonly outcome: OutcomeKind | null;
  /** The number that its owner gave the execution which an EXECUTION reports. */
  readonly execution: number | null;
  /** A handler has it (S7). */
  readonly withheld: boolean;
  /** Why a handler gave it back (S7). */
  readonly warning: string | null;
}

/** The state of {@link unread}. */
export type UnreadMail = PersistentMap<AgentKey, Row<UnreadRecord>>;

/**
 * Who has what to read (M4, W4).
 *
 * @example unreadOf(foldAll(unread, events), { path: "/root", gen: 1 })
 */
export const unread: Projection<UnreadMail> = {
  name: "unread",
  version: 1,
  initial: emptyMap(),
  apply(state, event, at) {
    switch (event.type) {
      case "mail.queued":
        return push(state, event, queued(event, at));
      case "mail.delivered":
        return put(state, event, without(unreadOf(state, event), event.records));
      case "mail.moved":
        return moved(state, event, at);
      case "mail.consumed":
        return put(state, event, without(unreadOf(state, event), [event.record]));
      case "mail.returned":
        return put(state, event, returned(unreadOf(state, event), event));
      default:
        return state;
    }
  },
};

/** What an agent has not read, oldest first. */
export function unreadOf(state: UnreadMail, agent: AgentRef): Row<UnreadRecord> {
  return state.get(agentKey(agent)) ?? emptyRow();
}

/** The unread records that a delivery takes, in the order it gives them (M5). */
export function takenBy(
  state: UnreadMail,
  event: EventOf<"mail.delivered">,
): readonly UnreadRecord[] {
  const row = unreadOf(state, event);
  if (isWhole(row, event.records)) return row.toArray();
  const there = new Map<string, UnreadRecord>();
  for (const record of row) there.set(formatPoint(record.at), record);
  return event.records.flatMap((point) => there.get(formatPoint(point)) ?? []);
}

function queued(event: EventOf<"mail.queued">, at: Point): UnreadRecord {
  return {
    at,
    // A message of the operation layer says itself where its text is.
    textAt: event.mail === "RESULT" ? (event.source ?? at) : at,
    mail: event.mail,
    from: event.from,
    outcome: event.outcome ?? null,
    execution: event.execution ?? null,
    withheld: event.withheld === true,
    warning: null,
  };
}

function returned(row: Row<UnreadRecord>, event: EventOf<"mail.returned">): Row<UnreadRecord> {
  const { warning } = event;
  return row.map((record) =>
    samePoint(record.at, event.record) ? { ...record, withheld: false, warning } : record,
  );
}

function put(state: UnreadMail, agent: AgentRef, row: Row<UnreadRecord>): UnreadMail {
  const key = agentKey(agent);
  return row.length === 0 ? state.delete(key) : state.set(key, row);
}

function push(state: UnreadMail, agent: AgentRef, record: UnreadRecord): UnreadMail {
  return put(state, agent, unreadOf(state, agent).push(record));
}

function without(row: Row<UnreadRecord>, records: readonly Point[]): Row<UnreadRecord> {
  if (isWhole(row, records)) return emptyRow();
  const named = new Set(records.map(formatPoint));
  return row.filter((record) => !named.has(formatPoint(record.at)));
}

/** Whether those points are all of a row, in its order: what a boundary nearly always takes. */
function isWhole(row: Row<UnreadRecord>, records: readonly Point[]): boolean {
  if (row.length !== records.length) return false;
  let index = 0;
  for (const { at } of row) if (!samePoint(at, records[index++] as Point)) return false;
  return true;
}

function moved(state: UnreadMail, event: EventOf<"mail.moved">, at: Point): UnreadMail {
  const owned = unreadOf(state, event.from);
  const record = owned.toArray().find((one) => samePoint(one.at, event.record));
  if (record === undefined) return state;
  const left = put(state, event.from, without(owned, [event.record]));
  return push(left, event, { ...record, at });
}
