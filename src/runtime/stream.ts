/**
 * The stream of commits as observers get it: hot, in order, and such that no observer can harm another, the session or
 * the process (Q1). Bare rxjs throws what an observer throws into the process; here it is reported.
 */
import {
  Observable,
  type Observer,
  type Operator,
  Subject,
  Subscriber,
  type Subscription,
} from "rxjs";
import { type Report, guarded } from "../projections/guard.js";

type Next<T> = Partial<Observer<T>> | ((value: T) => void) | null;

/** An observable whose final observers are fenced in, those of what is piped from it too. */
class Fenced<T> extends Observable<T> {
  private readonly report: Report;

  constructor(report: Report, source?: Observable<unknown>, operator?: Operator<unknown, T>) {
    super();
    this.report = report;
    this.source = source;
    this.operator = operator;
  }

  // Every operator of rxjs builds its observable here: it is the one place where the fence can be handed on.
  override lift<R>(operator?: Operator<T, R>): Observable<R> {
    return new Fenced<R>(this.report, this, operator);
  }

  override subscribe(
    next?: Next<T>,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // An operator's own subscriber: its errors travel down to the final observer.
    if (next instanceof Subscriber) return super.subscribe(next as Observer<T>);
    const given =
      typeof next === "object" && next !== null
        ? next
        : { next: next ?? undefined, error: error ?? undefined, complete: complete ?? undefined };
    const { report } = this;
    return super.subscribe({
      next: (value) => guarded(() => given.next?.(value), report),
      error: (fault) => {
        if (given.error === undefined) report(fault);
        else guarded(() => given.error?.(fault), report);
      },
      complete: () => guarded(() => given.complete?.(), report),
    });
  }
}

/** See the module header. */
export class Stream<T> {
  /** What observers subscribe to. */
  readonly observable: Observable<T>;
  private readonly subject = new Subject<T>();

  constructor(report: Report) {
    this.observable = new Fenced<T>(report, this.subject);
  }

  next(value: T): void {
    this.subject.next(value);
  }

  complete(): void {
    this.subject.complete();
  }
}
