/**
 * Gates of the behaviour world: what has been asked for and has come is held back until somebody takes the step of that name. It
 * knows who waits at gates, so that it can say who waits for something else.
 */
import { owned } from "../runtime/owned.js";

/** Code of the user's that is under way: a behaviour, a sample's call, what the host does. */
export interface Activity {
  readonly name: string;
  /** What it waits for at a gate, by step; `true` for a call of its own (`turn.effect`). */
  readonly waits: Map<string, boolean>;
}

/** How a gate is to behave. */
export interface GateOptions {
  readonly by: Activity;
  readonly isEffect?: boolean;
  /** Whether nobody need care for a rejection any more. */
  readonly isOver?: () => boolean;
}

/** See the module header. One for each life of a session: a crash leaves its gates shut for ever. */
export class Gates {
  readonly activities = new Set<Activity>();
  private readonly ready = new Map<string, () => void>();
  private readonly counts = new Map<string, number>();
  private isShut = false;

  /** Steps that can be taken, in the order in which they came. */
  get steps(): readonly string[] {
    return [...this.ready.keys()];
  }

  begin(name: string): Activity {
    const activity = { name, waits: new Map<string, boolean>() };
    this.activities.add(activity);
    return activity;
  }

  end(activity: Activity): void {
    this.activities.delete(activity);
  }

  /** The result of a call, held back until its step is taken. The second of a name is `name.2`. */
  pass<T>(
    name: string,
    call: Promise<T>,
    { by, isEffect = false, isOver }: GateOptions,
  ): Promise<T> {
    const step = this.numbered(name);
    by.waits.set(step, isEffect);
    const held = (): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        const come = (go: () => void): void => {
          this.offer(step, () => {
            by.waits.delete(step);
            go();
          });
        };
        call.then(
          (value) => come(() => resolve(value)),
          (error: Error) => come(() => reject(error)),
        );
      });
    return owned(held, isOver);
  }

  /** Waits for a step of its own. */
  step(name: string, by: Activity): Promise<void> {
    return this.pass(name, Promise.resolve(), { by });
  }

  /** Something that happens when its step is taken; answers the way to take it back. */
  offer(step: string, go: () => void): () => void {
    if (this.isShut) return () => undefined;
    this.ready.set(step, go);
    return () => void this.ready.delete(step);
  }

  numbered(name: string): string {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return count === 1 ? name : `${name}.${count}`;
  }

  /** Takes a step; answers whether there was one. */
  take(step: string): boolean {
    const go = this.ready.get(step);
    this.ready.delete(step);
    go?.();
    return go !== undefined;
  }

  /** Nothing passes any more. */
  shut(): void {
    this.isShut = true;
    this.ready.clear();
    this.activities.clear();
  }
}

/**
 * Resolves when no promise moves any more that waits for nothing outside. A tick comes only when all promises have had their
 * turn, and lets nothing else in.
 */
export function atRest(): Promise<void> {
  return new Promise((resolve) => {
    queueMicrotask(() => process.nextTick(resolve));
  });
}
