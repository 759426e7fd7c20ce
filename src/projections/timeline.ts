/**
 * The causal timeline: who woke whom and why, who waited and what released it, who settled and where the RESULT went.
 * A pure function of a log's events, for people. Each entry names its cause once; longer chains are followed, not stored (L9).
 */
import type {
  Cause,
  EventOf,
  InterruptFound,
  MailType,
  OutcomeKind,
  Sender,
  StartKind,
  TurnRef,
  WaitEnd,
} from "../events/events.js";
import { type Point, formatPoint } from "../events/point.js";
import type { Placed } from "../kernel/loop.js";
import type { AgentPath } from "../paths.js";
import { CauseIndex, type TimelineCause } from "./timelineCauses.js";

interface Entry<Kind extends string> {
  readonly kind: Kind;
  readonly at: Point;
}

interface OfTurn<Kind extends string> extends Entry<Kind>, TurnRef {
  readonly cause: TimelineCause;
}

/** A turn started (W2). */
export interface StartedTurn extends OfTurn<"started"> {
  readonly start: StartKind;
}
/** A turn began to wait (V1). */
export interface WaitedTurn extends OfTurn<"waited"> {
  readonly timeoutMs: number;
}
/** A wait ended, and what ended it (V2). */
export interface ReleasedTurn extends OfTurn<"released"> {
  readonly why: WaitEnd;
  readonly waitedSince: Point;
}
/** A turn settled; `record` is the RESULT that went `to` its spawn parent (S1). `cause` is what ended it. */
export interface SettledTurn extends OfTurn<"settled"> {
  readonly outcome: OutcomeKind;
  readonly to: AgentPath | null;
  readonly record: Point | null;
}
/** MAIL or INPUT was accepted (M3). */
export interface MailSent extends Entry<"mailed"> {
  readonly mail: MailType;
  readonly from: Sender;
  readonly to: AgentPath;
}
/** An interrupt was asked for, and what it met (I1-I4). */
export interface Interrupted extends Entry<"interrupted"> {
  readonly path: AgentPath;
  readonly found: InterruptFound;
  readonly cause: TimelineCause;
}
/** A reservation was given up: the start did not happen (T4). */
export interface StartLost extends Entry<"lost"> {
  readonly path: AgentPath;
  readonly why: EventOf<"start.released">["why"];
}
/** A run of the session began or ended (R2, L8). */
export interface RunChanged extends Entry<"run"> {
  readonly run: number;
  readonly what: "opened" | "closing" | "closed";
}

/** One thing that people want to see happen. */
export type TimelineEntry =
  | StartedTurn
  | WaitedTurn
  | ReleasedTurn
  | SettledTurn
  | MailSent
  | Interrupted
  | StartLost
  | RunChanged;

/**
 * The timeline of a log, or of a part of it that begins at its first commit.
 *
 * @example renderTimeline(buildTimeline(commits.flatMap(placeCommit)), { width: 100 })
 */
export function buildTimeline(events: Iterable<Placed>): readonly TimelineEntry[] {
  const index = new CauseIndex();
  const entries: TimelineEntry[] = [];
  for (const placed of events) {
    index.add(placed);
    const entry = entryOf(placed, index);
    if (entry !== undefined) entries.push(entry);
    else if (placed.event.type === "mail.queued") attachResult(entries, placed.event, placed.at);
  }
  return entries;
}

/**
 * The starts that led to one entry, newest first: the turn in which its cause lies, that turn's own start, and so on
 * back to the person or the host.
 */
export function causeChain(
  entries: readonly TimelineEntry[],
  entry: { readonly cause: TimelineCause },
): readonly StartedTurn[] {
  const starts = new Map<string, StartedTurn>();
  for (const one of entries) if (one.kind === "started") starts.set(turnKey(one), one);
  const chain: StartedTurn[] = [];
  let { turn } = entry.cause;
  while (turn !== null) {
    const start = starts.get(turnKey(turn));
    if (start === undefined || chain.includes(start)) break;
    chain.push(start);
    turn = start.cause.turn;
  }
  return chain;
}

function turnKey({ path, gen, turn }: TurnRef): string {
  return `${path}#${gen}.${turn}`;
}

function entryOf({ event, at }: Placed, index: CauseIndex): TimelineEntry | undefined {
  switch (event.type) {
    case "turn.started":
      return { kind: "started", at, ...turnOf(event, index), start: event.start };
    case "wait.began":
      return { kind: "waited", at, ...turnOf(event, index), timeoutMs: event.timeoutMs };
    case "wait.ended": {
      const waitedSince = index.waitOf(event) ?? at;
      return { kind: "released", at, ...turnOf(event, index), why: event.why, waitedSince };
    }
    case "turn.settled": {
      const { outcome } = event;
      return { kind: "settled", at, ...turnOf(event, index), outcome, to: null, record: null };
    }
    case "mail.queued":
      return event.mail === "MAIL" || event.mail === "INPUT"
        ? { kind: "mailed", at, mail: event.mail, from: event.from, to: event.path }
        : undefined;
    case "agent.interrupted":
      return interruptedOf(event, at, index);
    case "start.released":
      return { kind: "lost", at, path: event.path, why: event.why };
    case "session.opened":
      return { kind: "run", at, run: event.run, what: "opened" };
    case "session.closing":
      return { kind: "run", at, run: event.run, what: "closing" };
    case "session.closed":
      return { kind: "run", at, run: event.run, what: "closed" };
    default:
      return undefined;
  }
}

function turnOf(
  event: TurnRef & { readonly cause: Cause },
  index: CauseIndex,
): TurnRef & { readonly cause: TimelineCause } {
  const { path, gen, turn } = event;
  return { path, gen, turn, cause: index.explain(event.cause) };
}

function interruptedOf(
  event: EventOf<"agent.interrupted">,
  at: Point,
  index: CauseIndex,
): Interrupted {
  const { path, found } = event;
  return { kind: "interrupted", at, path, found, cause: index.explain(event.cause) };
}

/** The RESULT follows its `turn.settled` in the same commit, and names it as its cause (S2). */
function attachResult(entries: TimelineEntry[], event: EventOf<"mail.queued">, at: Point): void {
  if (event.mail !== "RESULT" || typeof event.cause === "string") return;
  const settled = formatPoint(event.cause);
  const place = entries.findLastIndex((one) => formatPoint(one.at) === settled);
  const entry = entries[place];
  if (entry?.kind !== "settled") return;
  entries[place] = { ...entry, to: event.path, record: at };
}
