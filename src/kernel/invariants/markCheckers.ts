/**
 * Checkers of marks: what may mark, what may take a mark away, and what must have marked or started somebody by the time
 * that everything of a decision has been seen (W1, W4, W5, W7, W9, T4, I2, I5, I6, S8).
 */
import type { DovecoteEvent, EventOf } from "../../events/events.js";
import type { Point } from "../../events/point.js";
import { type AgentPath, ROOT } from "../../paths.js";
import type { Book } from "./book.js";
import { type Checker, type Moment, on } from "./checkers.js";
import type { BookRecord } from "./mailBook.js";

/** What must have come about by the end of a group of events. */
export interface Duty {
  readonly rule: string;
  readonly what: string;
  readonly path: AgentPath;
  readonly at: Point;
  /** `mark`: the agent is marked; `start`: it has started, or a start of it is reserved. */
  readonly must: "mark" | "start";
  /** The mail that is to mark: once it has been read, it need not. */
  readonly record: Point | null;
}

/** The checkers of marks. */
export const MARK_CHECKERS: readonly Checker[] = [
  on("W1", "wake.marked", ({ path, record }, { mail, agents, marks }) => {
    if (agents.get(path) === undefined) return "its agent is not retained";
    if (marks.has(path)) return "it is marked already";
    const found = mail.at(record);
    // A notice marks the root, and a hold puts back what it took (W7): those are no mail, or read mail.
    if (found === undefined) return path !== ROOT && "the mail that marks is not unread";
    if (found.to !== path) return `the mail is ${found.to}'s`;
    if (found.withheld) return "a handler has the mail";
    if (found.mail === "INPUT") return "INPUT has a way in of its own";
    const own = found.mail === "EXECUTION" || found.from === path;
    return own && `${found.mail} of its own marks none`;
  }),
  on("I6", "wake.marked", ({ record }, { mail }) => {
    const { muted, mail: type } = mail.at(record) ?? {};
    return (
      muted === true && type === "RESULT" && "its RESULT is of a turn that was stopped with a tree"
    );
  }),
  on("O6", "wake.marked", ({ record }, { mail }) => {
    const { muted, mail: type } = mail.at(record) ?? {};
    return muted === true && type === "MAIL" && "a message of the operation layer marks nobody";
  }),
  on("R2", "wake.marked", (_, { recovering }) => recovering && "recovery marks nobody"),
  on("A5", "wake.marked", ({ path }, book) => {
    const top = book.endingOf(path);
    return top !== undefined && `${top} is being ended`;
  }),
  on("W1", "wake.cleared", (event, book, { before }) => {
    if (!book.marks.has(event.path)) return "it has no mark";
    return isDue(event, book, before) ? null : `nothing has ${event.why} it`;
  }),
];

/** Whether what is said to have taken a mark has just happened. */
function isDue(
  { path, gen, why }: EventOf<"wake.cleared">,
  book: Book,
  before: DovecoteEvent | undefined,
): boolean {
  const isLast = before !== undefined && "path" in before && before.path === path;
  const settled = isLast && before.type === "turn.settled" ? before.outcome : null;
  switch (why) {
    case "delivered":
      return book.mail.queueOf({ path, gen }).every(({ withheld }) => withheld);
    case "started":
      // Whether it has started is a duty.
      return true;
    case "errored":
      return settled === "errored";
    case "interrupted":
      if (isLast && before.type === "agent.interrupted") return true;
      return path === ROOT && settled === "interrupted";
    case "ended":
      return false;
  }
}

/** What an event, seen after it has been entered, makes due by the end of its group. */
export function dutyOf({ event, at, book, before }: Moment): Duty | null {
  switch (event.type) {
    case "mail.queued": {
      const record = book.mail.at(at);
      if (record === undefined || !isWaking(record, book)) return null;
      const rule = record.mail === "RESULT" ? "S8" : "W1";
      const what = `${record.mail} marks nobody`;
      return { rule, what, path: record.to, at, must: "mark", record: at };
    }
    case "wake.cleared":
      if (event.why !== "started") return null;
      if (before?.type === "start.reserved" && before.path === event.path) return null;
      return {
        rule: "T4",
        what: "no start has taken it",
        path: event.path,
        at,
        must: "start",
        record: null,
      };
    default:
      return null;
  }
}

/** A start that a hold cancels is no attempt: its mark goes back. Looked at before the event is entered. */
export function dutyOfRelease({ event, at, book }: Omit<Moment, "before">): Duty | null {
  if (event.type !== "start.released" || event.why !== "held") return null;
  if ((book.reserved.get(event.reservation)?.mark ?? null) === null) return null;
  const what = "the mark that its start had taken is not back";
  return { rule: "W7", what, path: event.path, at, must: "mark", record: null };
}

/** Whether a record that has just been accepted must mark its recipient (W1, S8). */
function isWaking({ mail, from, to, withheld, muted }: BookRecord, book: Book): boolean {
  if ((mail !== "MAIL" && mail !== "RESULT") || from === to) return false;
  return !withheld && !muted && !book.recovering && book.endingOf(to) === undefined;
}

/** Whether a duty has been done, or somebody has taken it off. */
export function isDone({ path, at, must, record }: Duty, book: Book): boolean {
  if (book.isExcused(path, at)) return true;
  if (must === "start") return false;
  return book.marks.has(path) || (record !== null && book.mail.at(record) === undefined);
}
