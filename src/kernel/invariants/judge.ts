/**
 * The judge: keeps the books of a session as its events come, asks the checkers about each, and looks at the end of every
 * group whether what was due has come about. It can be copied at any point, and never influences what it watches.
 */
import type { CommitDraft } from "../../events/commit.js";
import type { DovecoteEvent, EventType } from "../../events/events.js";
import type { Point } from "../../events/point.js";
import type { Placed } from "../loop.js";
import type { Limits } from "../state.js";
import { Book } from "./book.js";
import { type Checker, PLAIN_CHECKERS, type Violation } from "./checkers.js";
import { type Duty, MARK_CHECKERS, dutyOf, dutyOfRelease, isDone } from "./markCheckers.js";
import { outlivingSpawn, startable } from "./idleness.js";

/** All checkers. */
export const CHECKERS: readonly Checker[] = [...PLAIN_CHECKERS, ...MARK_CHECKERS];

/** Commits of a log, of any origin. */
export type CommitLike = Pick<CommitDraft, "n" | "events">;

/** What a judge is told besides the events. */
export interface JudgeOptions {
  /** {@link CHECKERS} unless others are given. */
  readonly checkers?: readonly Checker[];
  /** The bounds of the session (X2). Where they are not known, nobody is said to have been left unstarted. */
  readonly limits?: Limits | null;
}

type ByType = (type: EventType) => readonly Checker[];

/** Which checkers look at which events: asked once a type. */
function byType(checkers: readonly Checker[]): ByType {
  const known = new Map<EventType, readonly Checker[]>();
  return (type) => {
    const found = known.get(type) ?? checkers.filter((one) => (one.type ?? type) === type);
    known.set(type, found);
    return found;
  };
}

const allByType = byType(CHECKERS);

/** See the module header. */
export class Judge {
  private readonly checkersOf: ByType;
  private readonly limits: Limits | null;
  readonly book: Book;
  /** What has been found so far. */
  violations: readonly Violation[] = [];

  constructor(options: JudgeOptions = {}, from?: Judge) {
    this.checkersOf =
      from?.checkersOf ?? (options.checkers === undefined ? allByType : byType(options.checkers));
    this.limits = from === undefined ? (options.limits ?? null) : from.limits;
    this.book = from?.book.fork() ?? new Book();
    if (from !== undefined) this.violations = from.violations;
  }

  /** A copy that goes on by itself. */
  fork(): Judge {
    return new Judge({}, this);
  }

  /**
   * Looks at events that belong together: a commit, or what was shown in one go. `each` is called for every event, before
   * the books take it.
   */
  see(group: readonly Placed[], each?: (one: Placed) => void): void {
    const { book } = this;
    const duties: Duty[] = [];
    let before: DovecoteEvent | undefined;
    for (const one of group) {
      const { event, at } = one;
      each?.(one);
      for (const { rule, check } of this.checkersOf(event.type)) {
        const what = check({ event, at, book, before });
        if (what !== null) this.found(rule, at, `${event.type}: ${what}`);
      }
      const released = dutyOfRelease({ event, at, book });
      if (released !== null) duties.push(released);
      book.enter(event, at);
      const duty = dutyOf({ event, at, book, before });
      if (duty !== null) duties.push(duty);
      before = event;
    }
    const last = group.at(-1);
    if (last !== undefined) this.conclude(duties, last.at);
  }

  /** Notes a violation that somebody else has found. */
  found(rule: string, at: Point, what: string): void {
    this.violations = [...this.violations, { rule, at, what }];
  }

  private conclude(duties: readonly Duty[], at: Point): void {
    const { book } = this;
    for (const duty of duties) {
      if (!isDone(duty, book)) this.found(duty.rule, duty.at, `${duty.path}: ${duty.what}`);
    }
    const [owed] = book.owed;
    if (owed !== undefined) {
      const { turn, path } = owed.turn;
      this.found("S2", at, `the RESULT of turn ${turn} of ${path} is not in its commit`);
      book.owed = [];
    }
    const outliving = outlivingSpawn(book);
    if (outliving !== null) this.found("T3", at, outliving);
    const left = this.limits === null ? null : startable(book, this.limits);
    if (left !== null) this.found("W2", at, left);
  }
}

/**
 * Judges a log: by all checkers, and with limits unknown, unless others are given.
 *
 * @example for (const { rule, at, what } of violationsOf(commits)) console.error(rule, at, what)
 */
export function violationsOf(
  commits: Iterable<CommitLike>,
  options: JudgeOptions = {},
): readonly Violation[] {
  const judge = new Judge(options);
  let n = 0;
  for (const commit of commits) {
    n++;
    if (commit.n !== n) judge.found("L2", [commit.n, 0], `commit ${n} is missing`);
    judge.see(commit.events.map((event, index) => ({ event, at: [commit.n, index] as const })));
  }
  return judge.violations;
}
