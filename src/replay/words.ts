/**
 * Every event in words: one line, in the past tense, with the names of those it concerns. No texts of mail: only how long.
 */
import type { DovecoteEvent, EventOf, Sender, TurnRef } from "../events/events.js";
import { formatPoint } from "../events/point.js";

/**
 * Says what an event was.
 *
 * @example describe(event) // "/root/a turn 2 started: woken by mail"
 */
export function describe(event: DovecoteEvent): string {
  if ("attempt" in event) return ofAttempt(event);
  if (event.type.startsWith("mail.")) return ofMail(event as MailEvent);
  if ("turn" in event && event.turn !== undefined) return ofTurn(event);
  if ("path" in event) return ofAgent(event as AgentEvent);
  return ofSession(event);
}

type AttemptEvent = Extract<DovecoteEvent, { readonly attempt: number }>;
type MailEvent = EventOf<"mail.queued" | "mail.moved" | "mail.consumed" | "mail.returned">;
type TurnEvent =
  | Exclude<Extract<DovecoteEvent, TurnRef>, AttemptEvent>
  | EventOf<"agent.interrupted">;
type AgentEvent = Exclude<
  Extract<DovecoteEvent, { readonly path: string }>,
  AttemptEvent | MailEvent | TurnEvent
>;
type SessionEvent = Exclude<DovecoteEvent, { readonly path: string }>;

function ofAttempt(event: AttemptEvent): string {
  const who = `${event.path} turn ${event.turn}`;
  switch (event.type) {
    case "sample.began":
      return `${who} began sample ${event.attempt}`;
    case "sample.ended":
      return event.failed === undefined
        ? `${who} ended sample ${event.attempt}`
        : `${who}: sample ${event.attempt} failed: ${event.failed}`;
    case "partial.recorded":
      return `${who} had said ${count(event.text.length, "character")} in sample ${event.attempt}`;
    case "mail.delivered":
      return `${who} was given ${count(event.records.length, "record")} (${event.records.map(formatPoint).join(", ")})`;
    case "notice.delivered":
      return `${who} was given ${count(event.notices.length, "notice")}`;
    case "wait.began":
      return `${who} began to wait, ${event.timeoutMs} ms at the most`;
    case "wait.ended":
      return `${who} ended its wait: ${event.why}`;
    case "settlement.attempted":
      return `${who}: a try at ending it began`;
    case "settlement.failed":
      return `${who}: the try at ending it failed: ${event.reason}`;
  }
}

function ofMail(event: MailEvent): string {
  switch (event.type) {
    case "mail.queued": {
      const what = event.outcome === undefined ? event.mail : `${event.mail} (${event.outcome})`;
      const size = event.text === undefined ? "" : `, ${count(event.text.length, "character")}`;
      const kept = event.withheld === true ? ", kept for a handler" : "";
      const copy = event.copyOf === undefined ? "" : `, a copy of what ${event.copyOf.path} got`;
      return `${what} from ${event.from} was accepted for ${event.path}${size}${kept}${copy}`;
    }
    case "mail.moved":
      return `EXECUTION ${formatPoint(event.record)} went from ${event.from.path} to ${event.path}`;
    case "mail.consumed":
      return `${event.path}: a handler took RESULT ${formatPoint(event.record)}`;
    case "mail.returned":
      return `${event.path}: RESULT ${formatPoint(event.record)} became ordinary mail: ${event.warning}`;
  }
}

const STARTS = {
  spawn: "spawned",
  wake: "woken by mail",
  assignment: "given a task by the host",
  prompt: "the person asked",
} as const;

function ofTurn(event: TurnEvent): string {
  const who = `${event.path} turn ${event.turn}`;
  switch (event.type) {
    case "turn.started":
      return `${who} started: ${STARTS[event.start]}`;
    case "turn.extended":
      return `${who} answers once more, for mail that came before its answer was fixed`;
    case "turn.settled":
      return `${who} settled: ${event.outcome}${event.failed === undefined ? "" : `, for it could not be ended: ${event.failed}`}`;
    case "settlement.began":
      return `${who} reached its end: ${event.outcome.kind}${event.outcome.reason === undefined ? "" : ` (${event.outcome.reason})`}`;
    case "settlement.resumed":
      return `${who} may be tried again`;
    case "agent.interrupted":
      return `${who} was interrupted by ${askerOf(event.by)}: ${event.reason}`;
    case "transcript.recorded":
      return `${who} recorded an entry`;
    case "execution.yielded":
      return `${who} let a command run: ${event.command}`;
    case "execution.completed":
      return `${who}: command ${event.execution} ${event.stopped === true ? "was stopped" : "ended"}`;
    case "handler.registered":
      return `${who} awaits the RESULT of ${event.child.path}`;
    case "blocker.added":
      return `${who} asked: ${event.label}`;
    case "blocker.released":
      return `${who}: its question ${event.token} ${event.answer === undefined ? "went" : "was answered"}`;
  }
}

function askerOf(by: TurnRef | undefined): Sender | "the host" {
  return by === undefined ? "the host" : by.path;
}

function ofAgent(event: AgentEvent): string {
  switch (event.type) {
    case "agent.spawned":
      return `${event.path} came into being, spawned by ${askerOf(event.by)}`;
    case "agent.ending":
      return `the host ended ${event.path} and all below it`;
    case "agent.retired":
      return `${count(event.members.length, "identity", "identities")} went: ${event.members.map(({ path }) => path).join(", ")}`;
    case "start.reserved":
      return `a slot was reserved for ${event.path} (${event.start})`;
    case "start.claimed":
      return `the person's text took over the start of ${event.path}`;
    case "start.prepared":
      return `the start of ${event.path} was prepared`;
    case "start.released":
      return `the start of ${event.path} was given up: ${event.why}${event.reason === undefined ? "" : ` (${event.reason})`}`;
    case "notice.queued":
      return `a notice was queued for ${event.path}`;
    case "wake.marked":
      return `${event.path} was marked to be woken, for ${formatPoint(event.record)}`;
    case "wake.cleared":
      return `the mark of ${event.path} went: ${event.why}`;
    case "wake.limited":
      return `${event.path} was not woken: ${event.limit} wakes in a row without the person`;
  }
}

function ofSession(event: SessionEvent): string {
  switch (event.type) {
    case "session.created":
      return `the session ${event.id} was made, with ${count(event.capacity, "slot")}`;
    case "session.opened":
      return `run ${event.run} began`;
    case "session.recovered":
      return `${count(event.turns, "turn")} of the dead run ${event.turns === 1 ? "was" : "were"} settled; ${count(event.unread, "record")} unread`;
    case "session.closing":
      return `run ${event.run} was asked to end`;
    case "session.closed":
      return `run ${event.run} ended`;
    case "capacity.changed":
      return `capacity changed from ${event.from} to ${event.to}`;
    case "plan.switched":
      return `Plan was turned ${event.on ? "on" : "off"}`;
    case "hold.taken":
      return `the hold ${event.name} was taken on the root`;
    case "hold.released":
      return `the hold ${event.name} was released`;
    case "operation.planned":
    case "operation.attempted":
    case "operation.resulted":
      return ofOperation(event);
  }
}

function ofOperation(
  event: EventOf<"operation.planned" | "operation.attempted" | "operation.resulted">,
): string {
  const what = `operation ${event.operation}`;
  switch (event.type) {
    case "operation.planned": {
      const copy = event.parent === undefined ? "no copy" : `a copy for ${event.parent.path}`;
      return `${what}: a message from ${event.from} to ${event.child.path} was planned, with ${copy} (its parent is ${event.evidence.answer})`;
    }
    case "operation.attempted":
      return `${what}: sending to the ${event.recipient} began`;
    case "operation.resulted":
      return `${what}: the ${event.recipient} was ${ENDS[event.end]}${event.reason === undefined ? "" : `: ${event.reason}`}`;
  }
}

const ENDS = {
  published: "sent to",
  replayed: "found to have it already",
  refused: "refused",
  skipped: "skipped",
  unknown: "left unknown",
} as const;

/** A number of things, with its noun in the right form. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
