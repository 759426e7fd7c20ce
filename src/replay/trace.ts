/**
 * A trace: a recorded session that can be looked at from any of its positions. It shows what was recorded and performs
 * nothing: no behaviour, no timer, no write can be reached from here.
 */
import { BadArgument, LogCut } from "../errors.js";
import type { Commit } from "../events/commit.js";
import type { DovecoteEvent, EventType } from "../events/events.js";
import { type Point, comparePoints, formatPoint } from "../events/point.js";
import type { Placed } from "../kernel/loop.js";
import { fold } from "../kernel/stage.js";
import { type Host, type State, emptyState, plainHost } from "../kernel/state.js";
import { type AgentPath, isWithin } from "../paths.js";
import { placeCommit } from "../projections/projection.js";
import { type Folded, readBase } from "../runtime/snapshots.js";
import type { TraceReader } from "./commits.js";
import { type OpenSource, type TraceSource, openSource } from "./source.js";

/**
 * A position: after a whole commit, or after one of its events. Position 0 is before everything; the first of a log that
 * was cut is its anchor, after the last commit that is gone.
 */
export type Position = number | Point;

/** Which events to show. Every part that is given must hold. */
export interface EventFilter {
  readonly types?: readonly EventType[];
  /** Of this agent and all below it. */
  readonly agent?: AgentPath;
  readonly from?: Position;
  readonly to?: Position;
}

/** How to open a trace. */
export interface TraceOptions {
  /** The session to read, where there are several. */
  readonly session?: string;
  /**
   * What the recorded program brought: its bounds (X2) and the behaviours it knew, which no event tells. Without it no
   * bound is taken to have kept anybody from starting.
   */
  readonly host?: Partial<Host>;
}

/** After how many commits the state is kept, so that a seek folds no more than these. */
const KEEP_EVERY = 128;

/**
 * Opens a trace. A folder is read from a copy and left as it is.
 *
 * A log that was cut begins at its anchor: a position before it is refused with LogCut (S6).
 *
 * @throws BadArgument, LogInUse, LogCorrupt, LogFormatError, NotALog, LogUnavailable
 * @example
 * const trace = await openTrace("./data", { session: "review-42" });
 * await trace.at(120);
 * console.log(trace.state("/root/reviewer"));
 */
export async function openTrace(source: TraceSource, options: TraceOptions = {}): Promise<Trace> {
  const opened = await openSource(source, options.session);
  try {
    const anchor = opened.reader.anchor();
    const base = anchor && (await readBase(opened.reader.session, anchor));
    return new Trace(opened, options.host, base);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** See the module header. Made by {@link openTrace}. */
export class Trace {
  readonly session: string;
  private readonly reader: TraceReader;
  private readonly source: OpenSource;
  /** Behaviours that the log names: a guard that asks for one finds it, for the trace has no host. */
  private readonly behaviors = new Set<string>();
  /** The first position: 0, or the anchor of a log that was cut (S6). */
  readonly begin: number;
  /** States before commit `begin + i * KEEP_EVERY + 1`; they share what did not change. */
  private readonly kept: State[];
  private here: State;
  private place: Point;

  /** @internal */
  constructor(source: OpenSource, host: Partial<Host> = {}, base?: Folded) {
    this.source = source;
    this.reader = source.reader;
    this.session = source.reader.session;
    this.begin = base?.position ?? 0;
    this.place = [this.begin, 0];
    const empty = emptyState(plainHost([], { behaviors: this.behaviors, ...host }));
    const first = base === undefined ? empty : stateOf(base, empty.host);
    for (const { behavior } of first.durable.agents.values()) this.behaviors.add(behavior);
    this.kept = [first];
    this.here = first;
  }

  /** How many commits there are. */
  get length(): number {
    return this.reader.head().position;
  }

  /** The event that the state stands after; before the first, the position where the trace begins, with index 0. */
  get position(): Point {
    return this.place;
  }

  /** The kernel's whole state here. */
  get whole(): State {
    return this.here;
  }

  /** One agent's part of the state here; `undefined` when it is not retained. */
  state(path: AgentPath): ReturnType<State["durable"]["agents"]["get"]> {
    return this.here.durable.agents.get(path);
  }

  /** Goes to a position. */
  async at(position: Position): Promise<this> {
    const to = await this.pointOf(position);
    this.here = await this.stateAt(to);
    this.place = to;
    return this;
  }

  /** Goes to the end. */
  async end(): Promise<this> {
    return this.at(this.length);
  }

  /** One event on; `undefined` at the end. */
  async step(): Promise<Placed | undefined> {
    const next = await this.eventAfter(this.place);
    if (next !== undefined) await this.at(next.at);
    return next;
  }

  /** One event back; `undefined` at the beginning. The event is the one that is undone. */
  async back(): Promise<Placed | undefined> {
    const [n, index] = this.place;
    if (n === this.begin) return undefined;
    const undone = await this.event(this.place);
    if (index > 0) await this.at([n, index - 1]);
    else await this.at(n - 1);
    return undone;
  }

  /** On to the first event, after here, that a predicate holds of; stays here when there is none. */
  async seek(holds: (event: DovecoteEvent, at: Point) => boolean): Promise<Placed | undefined> {
    for await (const placed of this.events({ from: this.place })) {
      if (comparePoints(placed.at, this.place) <= 0) continue;
      if (!holds(placed.event, placed.at)) continue;
      await this.at(placed.at);
      return placed;
    }
    return undefined;
  }

  /** Events in order, both ends included. */
  async *events(filter: EventFilter = {}): AsyncGenerator<Placed> {
    const first = this.begin + 1;
    const from = await this.pointOf(filter.from ?? [first, 0], "first");
    const to = await this.pointOf(filter.to ?? this.length);
    if (to[0] === this.begin) return;
    for await (const commit of this.reader.read({ from: Math.max(first, from[0]), to: to[0] })) {
      for (const placed of placeCommit(commit)) {
        if (comparePoints(placed.at, from) < 0 || comparePoints(placed.at, to) > 0) continue;
        if (matches(placed.event, filter)) yield placed;
      }
    }
  }

  /** The event at a point. @throws BadArgument when there is none */
  async event(at: Point): Promise<Placed> {
    const commit = await this.commit(at[0]);
    const event = commit.events[at[1]];
    if (event === undefined) throw new BadArgument(`There is no event at ${formatPoint(at)}.`);
    return { event, at };
  }

  /** One commit. @throws BadArgument when there is none, LogCut when there is none any more */
  async commit(n: number): Promise<Commit> {
    if (n > 0 && n <= this.begin) throw this.cutAt(n);
    const commit = await this.reader.get(n);
    if (commit === undefined) {
      throw new BadArgument(`There is no commit ${n}; the log has ${this.length}.`);
    }
    return commit;
  }

  /** Walks the states after each commit, from one position to another; what scans a range does it here. */
  async *states(
    from: number,
    to: number,
  ): AsyncGenerator<{ readonly n: number; readonly state: State }> {
    const first = Math.max(this.begin + 1, from);
    let state = await this.stateAt(await this.pointOf(first - 1));
    for await (const commit of this.reader.read({ from: first, to })) {
      state = this.foldCommit(state, commit);
      yield { n: commit.n, state };
    }
  }

  /** The state at a point, without going there. */
  async stateAt(to: Point): Promise<State> {
    const [n, index] = to;
    if (n === this.begin) return this.kept[0] as State;
    if (n < this.begin) throw this.cutAt(n);
    let state = await this.stateBefore(n);
    const commit = await this.commit(n);
    const whole = index >= commit.events.length - 1;
    if (whole) return this.foldCommit(state, commit);
    for (const event of commit.events.slice(0, index + 1)) state = this.foldOne(state, event);
    return state;
  }

  /** Ends the reading. */
  close(): Promise<void> {
    return this.source.close();
  }

  private cutAt(position: number): LogCut {
    return new LogCut({ session: this.session, position, anchor: this.begin });
  }

  private async stateBefore(n: number): Promise<State> {
    const wanted = Math.floor((n - this.begin - 1) / KEEP_EVERY);
    for (let last = this.kept.length - 1; last < wanted; last++) {
      const from = this.begin + last * KEEP_EVERY + 1;
      const state = await this.foldRange(this.kept[last] as State, from, from + KEEP_EVERY - 1);
      this.kept.push(state);
    }
    const from = this.begin + wanted * KEEP_EVERY + 1;
    return this.foldRange(this.kept[wanted] as State, from, n - 1);
  }

  private async foldRange(start: State, from: number, to: number): Promise<State> {
    let state = start;
    if (to < from) return state;
    for await (const commit of this.reader.read({ from, to })) {
      state = this.foldCommit(state, commit);
    }
    return state;
  }

  private foldCommit(start: State, commit: Commit): State {
    let state = start;
    for (const event of commit.events) state = this.foldOne(state, event);
    return { ...state, next: [commit.n + 1, 0] };
  }

  private foldOne(state: State, event: DovecoteEvent): State {
    if (event.type === "agent.spawned") this.behaviors.add(event.behavior);
    return fold(state, event);
  }

  private async eventAfter([n, index]: Point): Promise<Placed | undefined> {
    const commit = n === this.begin ? undefined : await this.reader.get(n);
    const next: Point = commit?.events[index + 1] === undefined ? [n + 1, 0] : [n, index + 1];
    if (next[0] > this.length) return undefined;
    return this.event(next);
  }

  /** A commit number is the point of its last event, or of its first where a range begins. @internal */
  async pointOf(position: Position, end: "first" | "last" = "last"): Promise<Point> {
    if (typeof position !== "number") {
      if (position[0] < this.begin) throw this.cutAt(position[0]);
      return position;
    }
    if (!Number.isSafeInteger(position) || position < 0 || position > this.length) {
      throw new BadArgument(
        `There is no position ${position}; the log has ${this.length} commits.`,
      );
    }
    if (position === this.begin) return [position, 0];
    if (position < this.begin) throw this.cutAt(position);
    if (end === "first") return [position, 0];
    return [position, (await this.commit(position)).events.length - 1];
  }
}

function stateOf({ durable, volatile, position }: Folded, host: Host): State {
  return { host, durable, volatile, next: [position + 1, 0] };
}

function matches(event: DovecoteEvent, { types, agent }: EventFilter): boolean {
  if (types !== undefined && !types.includes(event.type)) return false;
  if (agent === undefined) return true;
  return "path" in event && isWithin(event.path, agent);
}
