/**
 * The fold of mail into the durable state: every accepted record is in exactly one place (R4).
 */
import { Bug } from "../errors.js";
import type { EventOf } from "../events/events.js";
import { type Point, comparePoints, formatPoint, samePoint } from "../events/point.js";
import { agentWith, durableWith } from "./copies.js";
import { agentOf, withAgent } from "./folds.js";
import { type Row, emptyRow } from "./persistent.js";
import type { Agent, Durable, Unread } from "./state.js";

type MailEvent = EventOf<
  "mail.queued" | "mail.delivered" | "mail.moved" | "mail.consumed" | "mail.returned"
>;

/** The state after one event about mail that stands at `at`. */
export function mailbox(state: Durable, event: MailEvent, at: Point): Durable {
  if (event.type === "mail.queued" && hasEnded(state, event)) return expired(state, event);
  const agent = agentOf(state, event, event.type);
  switch (event.type) {
    case "mail.queued":
      return withAgent(state, withUnread(agent, agent.unread.push(unreadOf(event, at))));
    case "mail.delivered":
      return withAgent(state, withUnread(agent, taken(agent.unread, event.records)));
    case "mail.moved":
      return moved(state, event, at);
    case "mail.consumed":
      return withAgent(state, withUnread(agent, taken(agent.unread, [event.record])));
    case "mail.returned":
      return withAgent(state, withUnread(agent, returned(agent.unread, event)));
  }
}

/** Only the operation layer writes to agents that have ended (O4). */
function hasEnded(state: Durable, { path, gen, message }: EventOf<"mail.queued">): boolean {
  return message !== undefined && !state.agents.has(path) && state.retired.get(path)?.gen === gen;
}

/** The record is expired from the start: kept in its agent's queue, and given to nobody (A5, R4). */
function expired(state: Durable, { path }: EventOf<"mail.queued">): Durable {
  const gone = state.retired.get(path);
  if (gone === undefined) return state;
  const { gen, parent } = gone;
  const retired = state.retired.set(path, { gen, parent, expired: gone.expired + 1 });
  return durableWith(state, { retired });
}

/** How much MAIL stands in a queue. */
export function countMail(unread: Row<Unread>): number {
  let mail = 0;
  for (const record of unread) if (record.mail === "MAIL") mail++;
  return mail;
}

function withUnread(agent: Agent, unread: Row<Unread>): Agent {
  return agentWith(agent, { unread });
}

function unreadOf(event: EventOf<"mail.queued">, at: Point): Unread {
  return {
    at,
    // A RESULT's text is its settlement's; a message of the operation layer says itself where its text is.
    textAt: event.mail === "RESULT" ? (event.source ?? at) : at,
    mail: event.mail,
    from: event.from,
    size: event.text?.length ?? 0,
    execution: event.execution ?? null,
    withheld: event.withheld === true,
    warning: null,
  };
}

function moved(state: Durable, event: EventOf<"mail.moved">, at: Point): Durable {
  const owner = agentOf(state, event.from, event.type);
  const record = owner.unread.get(indexOf(owner.unread, event.record));
  if (record === undefined) throw new Bug(`mail.moved names a record that ${owner.path} has not`);
  const left = withAgent(state, withUnread(owner, taken(owner.unread, [event.record])));
  const heir = agentOf(left, event, event.type);
  return withAgent(left, withUnread(heir, heir.unread.push({ ...record, at })));
}

/** The place of a record in its queue, which is in order of points; -1 where it is not there. */
function indexOf(unread: Row<Unread>, at: Point): number {
  const index = unread.firstIndex((one) => comparePoints(one.at, at) >= 0);
  const found = unread.get(index);
  return found !== undefined && samePoint(found.at, at) ? index : -1;
}

/** Unread mail without the records of those points. A boundary takes all of it, which costs nothing. */
function taken(unread: Row<Unread>, records: readonly Point[]): Row<Unread> {
  if (records.length === unread.length) return emptyRow();
  const [only] = records;
  // The EXECUTIONs of a turn are moved one after the other, and each finds its place without a look at the others.
  if (records.length === 1 && only !== undefined) return unread.without(indexOf(unread, only));
  const named = new Set(records.map(formatPoint));
  return unread.filter(({ at }) => !named.has(formatPoint(at)));
}

/** A withheld record is ordinary again, in the place it had (S7, M4). */
function returned(unread: Row<Unread>, event: EventOf<"mail.returned">): Row<Unread> {
  return unread.map((record) =>
    samePoint(record.at, event.record)
      ? { ...record, withheld: false, warning: event.warning }
      : record,
  );
}
