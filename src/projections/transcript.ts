/**
 * Transcripts: what each agent was given, did and said, in order (M5, M6). Entries are whole when they are added and
 * are never moved, so nothing stands inside an unfinished entry or before what it followed.
 */
import type { AgentRef, DovecoteEvent, EventOf, TurnRef } from "../events/events.js";
import { type Point, samePoint } from "../events/point.js";
import { type PersistentMap, Row, emptyMap, emptyRow } from "../kernel/persistent.js";
import { type AgentKey, type Projection, agentKey } from "./projection.js";
import type {
  CutEntry,
  MailEntry,
  ResponseEntry,
  TaskEntry,
  TranscriptEntry,
} from "./transcriptEntries.js";
import { type UnreadMail, type UnreadRecord, takenBy, unread } from "./unread.js";

/** The state of {@link transcript}: read it with {@link transcriptOf}. */
export interface Transcripts {
  readonly entries: PersistentMap<AgentKey, Row<TranscriptEntry>>;
  /** Who has what to read: a delivery names records only by their points. */
  readonly unread: UnreadMail;
  /** An identity whose first turn is about to start, and the turn that spawned it. */
  readonly spawning: { readonly child: AgentRef; readonly by: TurnRef } | null;
  /** The INPUT that the newest prompted turn took as its task (W8). */
  readonly prompted: Point | null;
}

/**
 * What each agent's model would be shown (M5, M6).
 *
 * @example transcriptOf(foldAll(transcript, events), { path: "/root", gen: 1 }).toArray()
 */
export const transcript: Projection<Transcripts> = {
  name: "transcript",
  version: 2,
  initial: { entries: emptyMap(), unread: unread.initial, spawning: null, prompted: null },
  apply(state, event, at) {
    switch (event.type) {
      case "mail.queued":
        return sent(withMail(state, event, at), event, at);
      case "mail.moved":
      case "mail.consumed":
      case "mail.returned":
        return withMail(state, event, at);
      case "operation.resulted":
        return reached(state, event, at);
      case "notice.delivered":
        return noticed(state, event, at);
      case "mail.delivered":
        return delivered(state, event, at);
      case "agent.spawned":
        return announced(state, event);
      case "turn.started":
        return started(state, event, at);
      case "settlement.began":
        return add(state, event, responseOf(event, at));
      case "turn.extended":
        return add(state, event, answerOf(event, at));
      case "agent.interrupted":
        return event.by === undefined ? state : interrupted(state, event, event.by, at);
      case "sample.ended":
      case "transcript.recorded":
      case "wait.ended":
      case "execution.yielded":
      case "blocker.released":
        return add(state, event, ownEntry(event, at));
      default:
        return state;
    }
  },
};

/** The transcript of one generation of an agent, in order. */
export function transcriptOf(state: Transcripts, agent: AgentRef): Row<TranscriptEntry> {
  return state.entries.get(agentKey(agent)) ?? emptyRow();
}

/**
 * The transcripts of a log that was cut after a commit: one entry stands for all that came up to there (S6). What was
 * cut so before changes nothing.
 */
export function cutTranscripts(state: Transcripts, upTo: number): Transcripts {
  let { entries } = state;
  for (const [key, row] of state.entries.entries()) {
    const first = row.first();
    if (first === undefined || first.at[0] > upTo) continue;
    const left = row.firstIndex(({ at }) => at[0] > upTo);
    const gone = row.toArray().slice(0, left);
    const last = gone.at(-1);
    if (last === undefined || (gone.length === 1 && last.kind === "cut")) continue;
    const count = gone.reduce((sum, one) => sum + (one.kind === "cut" ? one.count : 1), 0);
    const mark: CutEntry = { kind: "cut", at: last.at, turn: last.turn, count };
    entries = entries.set(key, Row.of<TranscriptEntry>([mark, ...row.toArray().slice(left)]));
  }
  return entries === state.entries ? state : changed(state, { entries });
}

function add(state: Transcripts, agent: AgentRef, entry: TranscriptEntry): Transcripts {
  const entries = state.entries.set(agentKey(agent), transcriptOf(state, agent).push(entry));
  return changed(state, { entries });
}

function withMail(state: Transcripts, event: DovecoteEvent, at: Point): Transcripts {
  return changed(state, { unread: unread.apply(state.unread, event, at) });
}

/** Spelled out, like the kernel's folds. `undefined` keeps a field. */
function changed(state: Transcripts, to: Partial<Transcripts>): Transcripts {
  return {
    entries: to.entries ?? state.entries,
    unread: to.unread ?? state.unread,
    spawning: to.spawning === undefined ? state.spawning : to.spawning,
    prompted: to.prompted === undefined ? state.prompted : to.prompted,
  };
}

/** RESULT and EXECUTION are no calls of the agent's: only its MAIL is an entry of the sender's (M6). */
function sent(state: Transcripts, event: EventOf<"mail.queued">, at: Point): Transcripts {
  if (event.mail !== "MAIL" || event.by === undefined || event.message !== undefined) return state;
  const { turn } = event.by;
  return add(state, event.by, { kind: "sent", at, turn, textAt: at, to: event.path });
}

/** Of an operation, a sender's transcript names those that it is known to have reached, whatever inbox they have (O6). */
function reached(
  state: Transcripts,
  { by, to, plan }: EventOf<"operation.resulted">,
  at: Point,
): Transcripts {
  if (by === undefined || to === undefined) return state;
  return add(state, by, { kind: "sent", at, turn: by.turn, textAt: plan, to: to.path });
}

/** The INPUT that a turn took as its task is listed as that task (W8). */
function delivered(state: Transcripts, event: EventOf<"mail.delivered">, at: Point): Transcripts {
  const task = event.attempt === 0 ? state.prompted : null;
  let next = withMail(state, event, at);
  for (const record of takenBy(state.unread, event)) {
    if (task !== null && samePoint(record.at, task)) continue;
    next = add(next, event, mailEntry(record, event, at));
  }
  return next;
}

function mailEntry(record: UnreadRecord, event: EventOf<"mail.delivered">, at: Point): MailEntry {
  return {
    kind: "mail",
    at,
    turn: event.turn,
    textAt: record.textAt,
    record: record.at,
    attempt: event.attempt,
    mail: record.mail,
    from: record.from,
    outcome: record.outcome,
  };
}

function announced(state: Transcripts, event: EventOf<"agent.spawned">): Transcripts {
  const { path, gen, by } = event;
  return changed(state, { spawning: by === undefined ? null : { child: { path, gen }, by } });
}

function started(state: Transcripts, event: EventOf<"turn.started">, at: Point): Transcripts {
  const { path, gen, turn, start, task } = event;
  const textAt = task === undefined ? null : "at" in task ? task.at : at;
  const { spawning } = state;
  const record = start === "prompt" ? textAt : null;
  let next = changed(state, { spawning: null, prompted: record });
  if (spawning !== null && spawning.child.path === path && textAt !== null) {
    const { child, by } = spawning;
    next = add(next, by, { kind: "spawned", at, turn: by.turn, textAt, child });
  }
  if (textAt === null) return next;
  const from = event.from ?? null;
  const entry: TaskEntry = { kind: "task", at, turn, textAt, start, from, record };
  return add(next, { path, gen }, entry);
}

function responseOf(event: EventOf<"settlement.began">, at: Point): ResponseEntry {
  const { kind, response, partial } = event.outcome;
  const elsewhere = response !== undefined && "at" in response ? response.at : null;
  return {
    kind: "response",
    at,
    turn: event.turn,
    textAt: elsewhere ?? at,
    outcome: kind,
    sample: elsewhere !== null,
    partial: partial ?? [],
  };
}

/** An answer that gave way to late mail (J6). */
function answerOf({ turn, response }: EventOf<"turn.extended">, at: Point): ResponseEntry {
  const sample = "at" in response;
  const textAt = sample ? response.at : at;
  return { kind: "response", at, turn, textAt, outcome: "completed", sample, partial: [] };
}

function interrupted(
  state: Transcripts,
  event: EventOf<"agent.interrupted">,
  by: TurnRef,
  at: Point,
): Transcripts {
  const { path, gen, found } = event;
  const target = { path, gen };
  return add(state, by, { kind: "interrupted", at, turn: by.turn, textAt: at, target, found });
}

function noticed(state: Transcripts, event: EventOf<"notice.delivered">, at: Point): Transcripts {
  const { turn } = event;
  return event.notices.reduce(
    (next, textAt) => add(next, event, { kind: "notice", at, turn, textAt }),
    state,
  );
}

type Own = EventOf<
  "sample.ended" | "transcript.recorded" | "wait.ended" | "execution.yielded" | "blocker.released"
>;

function ownEntry(event: Own, at: Point): TranscriptEntry {
  const { turn } = event;
  switch (event.type) {
    case "sample.ended": {
      const failed = event.failed !== undefined;
      return { kind: "sample", at, turn, textAt: at, attempt: event.attempt, failed };
    }
    case "transcript.recorded":
      return { kind: "recorded", at, turn, textAt: at };
    case "wait.ended":
      return { kind: "waited", at, turn, why: event.why, unread: event.unread };
    case "blocker.released":
      return { kind: "asked", at, turn, textAt: at, token: event.token };
    case "execution.yielded":
      return { kind: "yielded", at, turn, textAt: at, execution: event.execution };
  }
}
