/**
 * The runner: folds every shown event into several projections at once. It keeps two versions of each: the live one,
 * with all that was shown, and the confirmed one, with what is on the log, so that a failed append can fall back (L6).
 * Events wait until somebody reads, or until there are many of them: most are never looked at one by one.
 */
import { Bug } from "../errors.js";
import type { Placed } from "../kernel/loop.js";
import type { Projection } from "./projection.js";

/** Projections by name; each stands under its own name. */
export type Projections = Readonly<Record<string, Projection<unknown>>>;

/** The state that a projection gives. */
export type StateOf<P> = P extends Projection<infer S> ? S : never;

/** A state, or what a projection threw when it was folded: it is then out of step, and the others are not (Q1). */
type Cell = { readonly state: unknown } | { readonly fault: unknown };

interface Entry {
  readonly projection: Projection<unknown>;
  live: Cell;
  durable: Cell;
}

/** How many events wait at the most: folding some hundreds at once costs less than each by itself, and takes no time to speak of. */
const MOST_WAITING = 256;

/**
 * See the module header.
 *
 * @example
 * const runner = new ProjectionRunner({ roster, unread });
 * runner.confirm(placeCommit(commit));
 * listAgents(runner.read("roster"));
 */
export class ProjectionRunner<P extends Projections> {
  private readonly entries = new Map<string, Entry>();
  /** Shown, and not yet folded. */
  private waiting: Placed[] = [];
  /** How many of `waiting`, and all that was folded before, are on the log; `null` when nothing new is. */
  private sure: number | null = null;

  /** @throws Bug when a projection stands under another name than its own. */
  constructor(projections: P) {
    for (const [name, projection] of Object.entries(projections)) {
      if (name !== projection.name) throw new Bug(`${projection.name} is given as ${name}`);
      const cell = { state: projection.initial };
      this.entries.set(name, { projection, live: cell, durable: cell });
    }
  }

  /** The names of the projections, in the order they were given. */
  get names(): readonly (keyof P & string)[] {
    return [...this.entries.keys()];
  }

  /**
   * Goes on from saved states instead of nothing: before the first event.
   *
   * @throws Bug when one is missing.
   */
  resume(states: Readonly<Record<string, unknown>>): void {
    for (const [name, entry] of this.entries) {
      if (!Object.hasOwn(states, name)) throw new Bug(`there is no saved state of ${name}`);
      entry.live = { state: states[name] };
      entry.durable = entry.live;
    }
  }

  /** Takes events that have been shown and wait for a commit to carry them (L1). */
  show(events: readonly Placed[]): void {
    for (const placed of events) this.waiting.push(placed);
    if (this.waiting.length >= MOST_WAITING) this.fold();
  }

  /** Takes the events of a commit that is on the log; all that was shown before it is on the log with it. */
  confirm(events: readonly Placed[] = []): void {
    for (const placed of events) this.waiting.push(placed);
    this.sure = this.waiting.length;
    if (this.sure >= MOST_WAITING) this.fold();
  }

  /** An append failed: drops what was shown but never committed (L6). */
  fallBack(): void {
    this.fold();
    for (const entry of this.entries.values()) entry.live = entry.durable;
  }

  /**
   * The live state of a projection: all that has been shown.
   *
   * @throws Bug when the projection threw on an event; the thrown value is its cause.
   */
  read<K extends keyof P & string>(name: K): StateOf<P[K]> {
    this.fold();
    return readCell<StateOf<P[K]>>(name, this.entries.get(name)?.live);
  }

  /** The state of a projection as the log has it. Throws like {@link ProjectionRunner.read}. */
  confirmed<K extends keyof P & string>(name: K): StateOf<P[K]> {
    this.fold();
    return readCell<StateOf<P[K]>>(name, this.entries.get(name)?.durable);
  }

  private fold(): void {
    const { waiting, sure } = this;
    if (waiting.length === 0 && sure === null) return;
    this.waiting = [];
    this.sure = null;
    for (const entry of this.entries.values()) {
      const { projection } = entry;
      if (sure !== null) {
        entry.live = foldCell(projection, entry.live, waiting, 0, sure);
        entry.durable = entry.live;
      }
      entry.live = foldCell(projection, entry.live, waiting, sure ?? 0, waiting.length);
    }
  }
}

/** A cell after some of the events: from one index up to another. */
function foldCell(
  projection: Projection<unknown>,
  cell: Cell,
  events: readonly Placed[],
  from: number,
  to: number,
): Cell {
  if ("fault" in cell || from === to) return cell;
  try {
    let { state } = cell;
    for (let index = from; index < to; index++) {
      const { event, at } = events[index] as Placed;
      state = projection.apply(state, event, at);
    }
    return state === cell.state ? cell : { state };
  } catch (fault) {
    return { fault };
  }
}

function readCell<S>(name: string, cell: Cell | undefined): S {
  if (cell === undefined) throw new Bug(`there is no projection ${name}`);
  if ("state" in cell) return cell.state as S;
  throw new Bug(`the projection ${name} threw while it was folded`, { cause: cell.fault });
}
