/**
 * The store: projections that can be read and subscribed to, through @xstate/store. It moves once per shown batch, not
 * once per event. A listener that throws disturbs neither the others nor the session (Q1), as it would in the bare store.
 * The store itself carries only a counter: the states stay in the runner, in one place.
 */
import { createStore } from "@xstate/store";
import type { Placed } from "../kernel/loop.js";
import { guarded } from "./guard.js";
import type { ProjectionRunner, Projections, StateOf } from "./runner.js";

/** Ends a subscription; a second call does nothing. */
export interface Unsubscribe {
  (): void;
}

/** A value that can be read at any time, and that tells when it has become another. */
export interface Readable<T> {
  get(): T;
  /** Calls `listener` with each new value; values that are the same object are not told twice. */
  subscribe(listener: (value: T) => void): Unsubscribe;
}

/** One projection, live. */
export interface ProjectionView<S> extends Readable<S> {
  /** The state as the log has it: without what was shown but waits for a commit (L6). */
  confirmed(): S;
  /** A part of it, told of only when that part becomes another. */
  select<T>(selector: (state: S) => T, same?: (a: T, b: T) => boolean): Readable<T>;
}

/** A value, or what reading it threw: inside the store a throw would reach every listener (Q1). */
type Held<T> = { readonly value: T } | { readonly fault: unknown };

function hold<T>(read: () => T): Held<T> {
  try {
    return { value: read() };
  } catch (fault) {
    return { fault };
  }
}

function sameHeld<T>(same: (a: T, b: T) => boolean): (a: Held<T>, b: Held<T>) => boolean {
  return (a, b) => {
    if ("value" in a) return "value" in b && same(a.value, b.value);
    return "fault" in b;
  };
}

/**
 * See the module header.
 *
 * @example
 * const store = new ProjectionStore(new ProjectionRunner({ roster, unread }), { onListenerError: report });
 * const stop = store.view("roster").subscribe((roster) => draw(listAgents(roster)));
 */
export class ProjectionStore<P extends Projections> {
  private readonly runner: ProjectionRunner<P>;
  private readonly onListenerError: (error: unknown) => void;
  /** While nobody listens, nothing moves: who reads gets it from the runner. */
  private listeners = 0;
  private readonly store = createStore({
    context: { version: 0 },
    on: { moved: (context: { version: number }) => ({ version: context.version + 1 }) },
  });

  constructor(
    runner: ProjectionRunner<P>,
    options: { readonly onListenerError: (error: unknown) => void },
  ) {
    this.runner = runner;
    this.onListenerError = options.onListenerError;
  }

  /** Folds events that have been shown and wait for a commit (L1), then tells who listens. */
  show(events: readonly Placed[]): void {
    this.runner.show(events);
    if (events.length > 0) this.moved();
  }

  /** Folds the events of a commit that is on the log (L1), then tells who listens. */
  confirm(events: readonly Placed[] = []): void {
    this.runner.confirm(events);
    if (events.length > 0) this.moved();
  }

  /** An append failed: goes back to what the log has, and tells who listens (L6). */
  fallBack(): void {
    this.runner.fallBack();
    this.moved();
  }

  /** One projection by name. */
  view<K extends keyof P & string>(name: K): ProjectionView<StateOf<P[K]>> {
    const read = (): StateOf<P[K]> => this.runner.read(name);
    return {
      ...this.readable(read, Object.is),
      confirmed: () => this.runner.confirmed(name),
      select: (selector, same) => this.readable(() => selector(read()), same ?? Object.is),
    };
  }

  private moved(): void {
    if (this.listeners > 0) this.store.trigger.moved();
  }

  private readable<T>(read: () => T, same: (a: T, b: T) => boolean): Readable<T> {
    const selection = this.store.select(() => hold(read), sameHeld(same));
    return {
      get: read,
      subscribe: (listener) => {
        // What an earlier subscription has seen last may be old by now.
        if (this.listeners === 0) this.store.trigger.moved();
        const subscription = selection.subscribe((held) => {
          this.tell(held, listener);
        });
        this.listeners++;
        let listening = true;
        return () => {
          if (listening) this.listeners--;
          listening = false;
          subscription.unsubscribe();
        };
      },
    };
  }

  private tell<T>(held: Held<T>, listener: (value: T) => void): void {
    if ("fault" in held) {
      this.onListenerError(held.fault);
      return;
    }
    guarded(() => listener(held.value), this.onListenerError);
  }
}
