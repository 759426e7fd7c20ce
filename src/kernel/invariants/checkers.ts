/**
 * Checkers: small pure judges of events. Each looks at one event and the books as they stood before it, and says what
 * of the contract the event breaks. They watch, and influence nothing.
 */
import type { DovecoteEvent, EventOf, EventType } from "../../events/events.js";
import { type Point, comparePoints, formatPoint, samePoint } from "../../events/point.js";
import { ROOT } from "../../paths.js";
import type { Book } from "./book.js";
import type { BookRecord } from "./mailBook.js";

/** What a checker has found: the rule that is broken, and where. */
export interface Violation {
  readonly rule: string;
  readonly at: Point;
  readonly what: string;
}

/** One event in its place, with the books before it. */
export interface Moment {
  readonly event: DovecoteEvent;
  readonly at: Point;
  readonly book: Book;
  /** The event before it in the same commit. */
  readonly before: DovecoteEvent | undefined;
}

/** Judges one event by one rule: `null` when all is well, else what is wrong. */
export interface Checker {
  readonly rule: string;
  /** The only events that it looks at; all of them where it names none. */
  readonly type?: EventType;
  readonly check: (moment: Moment) => string | null;
}

/** A checker for events of one type. */
export function on<Type extends EventType>(
  rule: string,
  type: Type,
  check: (event: EventOf<Type>, book: Book, moment: Moment) => string | null | false,
): Checker {
  return {
    rule,
    type,
    check: (moment) => {
      if (moment.event.type !== type) return null;
      const what = check(moment.event as EventOf<Type>, moment.book, moment);
      return what === false ? null : what;
    },
  };
}

/** Starts: who may, when, and with what number (T1, W3, W6, A5, L8). */
const STARTS: readonly Checker[] = [
  on("T1", "turn.started", ({ path, gen, turn }, book) => {
    const agent = book.agents.get(path);
    if (agent === undefined || agent.gen !== gen) return "the agent is not retained";
    if (agent.live !== null) return `turn ${agent.live.turn} is live`;
    return agent.turns + 1 !== turn && `turn ${turn} follows turn ${agent.turns}`;
  }),
  on("W3", "turn.started", (_, { trying }) => trying !== null && `${trying} settles`),
  on("W6", "turn.started", ({ path, reservation }, { used, capacity }) => {
    const more = reservation === undefined && path !== ROOT ? 1 : 0;
    return more > 0 && used + more > capacity && `${used} of ${capacity} slots are in use`;
  }),
  on("W6", "start.reserved", ({ path }, { used, capacity }) => {
    return path !== ROOT && used >= capacity && `${used} of ${capacity} slots are in use`;
  }),
  on("T2", "turn.started", ({ path, reservation }, { reserved }) => {
    return (
      reservation !== undefined &&
      reserved.get(reservation)?.path !== path &&
      "nothing was reserved"
    );
  }),
  on("T3", "turn.started", ({ start, reservation }, book) => {
    if (start !== "spawn" || reservation === undefined) return null;
    const by = book.reserved.get(reservation)?.by ?? null;
    if (by === null) return null;
    return book.turnOf(by)?.outcome !== null && `turn ${by.turn} of ${by.path} has ended meanwhile`;
  }),
  on("A5", "turn.started", ({ path }, book) => {
    const top = book.endingOf(path);
    return top !== undefined && `${top} is being ended`;
  }),
  on("L8", "turn.started", (_, { closing }) => closing && "the session is closing"),
  on("A5", "agent.spawned", ({ path, gen }, { agents, retired }) => {
    if (agents.has(path)) return "the path is taken";
    const next = (retired.get(path) ?? 0) + 1;
    return gen !== next && `generation ${gen} instead of ${next}`;
  }),
  on("A5", "agent.retired", ({ members }, { agents }) => {
    const live = members.find(({ path }) => agents.get(path)?.live !== null);
    return live !== undefined && `${live.path} has a live turn, or was not retained`;
  }),
];

/** The inside of a turn (T1, V4, S5). */
const TURNS: readonly Checker[] = [
  ...(["sample.began", "wait.began"] as const).map((type) =>
    on("T1", type, (event, book) => {
      const live = book.turnOf(event);
      if (live === undefined || live.outcome !== null) return "the turn is over";
      if (live.open !== null) return `a ${live.open.kind} is open`;
      return (
        event.attempt !== live.attempts + 1 && `attempt ${event.attempt} after ${live.attempts}`
      );
    }),
  ),
  ...(["sample.ended", "wait.ended"] as const).map((type) =>
    on("V4", type, (event, book) => {
      const open = book.turnOf(event)?.open;
      const kind = type === "sample.ended" ? "sample" : "wait";
      return (open?.kind !== kind || open.attempt !== event.attempt) && "it was not open";
    }),
  ),
  on("S5", "execution.completed", (event, book) => {
    return book.turnOf(event)?.executions.has(event.execution) !== true && "it did not run";
  }),
  on("T1", "blocker.released", (event, book) => {
    const blockers = book.turnOf(event)?.blockers;
    if (blockers?.has(event.token) !== true) return "the token was not there";
    return blockers.size - 1 !== event.left && `${event.left} are said to be left`;
  }),
];

/** Settlements (S1-S3, S5, W3). */
const SETTLEMENTS: readonly Checker[] = [
  on("S1", "settlement.began", (event, book) => {
    const live = book.turnOf(event);
    if (live === undefined) return "the turn is not live";
    if (live.outcome !== null) return "its outcome was fixed already";
    return live.blockers.size > 0 && "it is blocked still";
  }),
  on("W3", "settlement.attempted", (_, { trying }) => trying !== null && `${trying} settles`),
  on("S2", "turn.settled", (event, book) => {
    const live = book.turnOf(event);
    if (live === undefined || live.outcome === null) return "it had not begun to settle";
    if (live.executions.size > 0) return "an execution runs still";
    const kept = event.failed === undefined ? live.outcome : "errored";
    return event.outcome !== kept && `${event.outcome} instead of ${kept}`;
  }),
  on("S1", "mail.queued", (event, { owed: [owed] }) => {
    if (event.mail !== "RESULT") {
      return owed !== undefined && `the RESULT of ${owed.turn.path} comes first`;
    }
    if (owed === undefined) return "no turn has just settled";
    const isIt = event.from === owed.turn.path && event.path === owed.parent;
    return (!isIt || event.outcome !== owed.outcome) && `not the RESULT of ${owed.turn.path}`;
  }),
  on("S5", "mail.moved", (event, book) => {
    const record = book.mail.at(event.record);
    if (record === undefined) return "the record is not unread";
    if (record.mail !== "EXECUTION" || record.from !== event.from.path) return "it is another's";
    return book.agents.get(event.from.path)?.live != null && "its owner has not settled";
  }),
];

/** Mail (M3-M5, S7, A2). */
const MAIL: readonly Checker[] = [
  on("M5", "mail.delivered", ({ path, gen, records, attempt }, book) => {
    const due = book.mail.queueOf({ path, gen }).filter(({ withheld }) => !withheld);
    // A prompted turn takes one INPUT as its task, past what earlier runs have left (W8, W9).
    const isTask = ({ at, mail }: BookRecord): boolean =>
      mail === "INPUT" && records.some((record) => samePoint(record, at));
    const taken = attempt === 0 ? due.filter(isTask) : due;
    const [is, should] = [records.map(formatPoint), taken.map(({ at }) => formatPoint(at))];
    return is.join() !== should.join() && `${is.join()} instead of ${should.join()}`;
  }),
  on("M3", "mail.queued", ({ path, gen, message }, { agents, retired }) => {
    if (agents.get(path)?.gen === gen) return null;
    // The operation layer writes to the queues of agents that have ended, until their paths are taken again (O4).
    const isEnded = !agents.has(path) && retired.get(path) === gen;
    return (message === undefined || !isEnded) && "its recipient is not retained";
  }),
  on("A2", "mail.queued", (event, book) => {
    const isSend = event.mail === "MAIL" && event.message === undefined;
    const top = isSend ? book.endingOf(event.path) : undefined;
    return top !== undefined && `${top} is being ended`;
  }),
  on("S7", "mail.consumed", ({ record }, { mail }) => {
    return mail.at(record)?.withheld !== true && "no handler had it";
  }),
  on("S7", "mail.returned", ({ record }, { mail }) => {
    return mail.at(record)?.withheld !== true && "no handler had it";
  }),
];

/** The log itself (R2, L1). */
const LOG: readonly Checker[] = [
  on("R2", "session.opened", ({ run }, book, { at, before }) => {
    if (run !== book.run + 1) return `run ${run} follows run ${book.run}`;
    return run > 1 && at[1] > 0 && before?.type !== "session.closed" && "it heads no commit";
  }),
  {
    rule: "L1",
    check: ({ event: { cause }, at }) => {
      return typeof cause !== "string" && comparePoints(cause, at) >= 0
        ? "its cause follows it"
        : null;
    },
  },
  {
    rule: "R4",
    check: ({ book: { mail } }) => {
      const gone = mail.delivered + mail.consumed;
      if (mail.accepted === gone + mail.unread.size) return null;
      return `${mail.accepted} accepted, ${gone} read, ${mail.unread.size} unread (${mail.expired} expired)`;
    },
  },
];

/** The checkers of everything but marks, which have a file of their own. */
export const PLAIN_CHECKERS: readonly Checker[] = [
  ...STARTS,
  ...TURNS,
  ...SETTLEMENTS,
  ...MAIL,
  ...LOG,
];
