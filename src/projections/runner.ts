/**
 * The runner: folds every shown event into several projections at once. It keeps two versions of each: the live one,
 * with all that was shown, and the confirmed one, with what is on the log, so that a failed append can fall back (L6).
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
type Cells = ReadonlyMap<string, Cell>;

/**
 * See the module header.
 *
 * @example
 * const runner = new ProjectionRunner({ roster, unread });
 * runner.confirm(placeCommit(commit));
 * listAgents(runner.read("roster"));
 */
export class ProjectionRunner<P extends Projections> {
  private readonly projections: P;
  private live: Cells;
  private durable: Cells;

  /** @throws Bug when a projection stands under another name than its own. */
  constructor(projections: P) {
    const cells = new Map<string, Cell>();
    for (const [name, projection] of Object.entries(projections)) {
      if (name !== projection.name) throw new Bug(`${projection.name} is given as ${name}`);
      cells.set(name, { state: projection.initial });
    }
    this.projections = projections;
    this.live = cells;
    this.durable = cells;
  }

  /** The names of the projections, in the order they were given. */
  get names(): readonly (keyof P & string)[] {
    return Object.keys(this.projections);
  }

  /** Folds events that have been shown and wait for a commit to carry them (L1). */
  show(events: readonly Placed[]): void {
    if (events.length === 0) return;
    const next = new Map<string, Cell>();
    for (const [name, projection] of Object.entries(this.projections)) {
      next.set(name, foldCell(projection, this.live.get(name), events));
    }
    this.live = next;
  }

  /** Folds the events of a commit that is on the log; all that was shown before it is on the log with it. */
  confirm(events: readonly Placed[] = []): void {
    this.show(events);
    this.durable = this.live;
  }

  /** An append failed: drops what was shown but never committed (L6). */
  fallBack(): void {
    this.live = this.durable;
  }

  /**
   * The live state of a projection: all that has been shown.
   *
   * @throws Bug when the projection threw on an event; the thrown value is its cause.
   */
  read<K extends keyof P & string>(name: K): StateOf<P[K]> {
    return readCell<StateOf<P[K]>>(name, this.live.get(name));
  }

  /** The state of a projection as the log has it. Throws like {@link ProjectionRunner.read}. */
  confirmed<K extends keyof P & string>(name: K): StateOf<P[K]> {
    return readCell<StateOf<P[K]>>(name, this.durable.get(name));
  }
}

function foldCell(
  projection: Projection<unknown>,
  cell: Cell | undefined,
  events: readonly Placed[],
): Cell {
  if (cell === undefined || "fault" in cell) return cell ?? { fault: "no such projection" };
  try {
    let { state } = cell;
    for (const { event, at } of events) state = projection.apply(state, event, at);
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
