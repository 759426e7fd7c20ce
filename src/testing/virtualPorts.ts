/**
 * Ports with a clock of their own: time stands still until a test moves it, ids are counted, and `soon` runs whenever
 * promises have come to rest. Owns no rule; what a session does with it is what it does with the system's ports.
 */
import { BadArgument } from "../errors.js";
import { type Cancel, type Ports, systemPorts } from "../runtime/ports.js";

/** The wall clock's start unless given: the first millisecond of 2026. */
const START_MS = 1_767_225_600_000;

/** Ports that a test moves. */
export interface VirtualPorts extends Ports {
  /** Timers that are armed: none may be left behind by a session that is closed or degraded (V4, L6, L8). */
  readonly pending: number;
  /** Monotonic milliseconds since the ports were made. */
  readonly elapsedMs: number;
  /**
   * Moves time on. Timers fire in the order in which they are due, those of one moment in the order in which they were
   * armed, and what each sets going comes to rest before the next one fires.
   */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone, back for negative numbers; no timer feels it (V3). */
  jump(ms: number): void;
  /** Resolves once nothing moves: no promise is under way that waits for nothing outside, and no `soon` is due. */
  settle(): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * Ports with a virtual clock. A session on them and on `memoryLog()` runs without waiting for anything real.
 *
 * @param options `now`: where the wall clock starts; `ids`: what every id begins with, `id` unless given.
 * @example
 * const ports = virtualPorts();
 * const session = await openSession({ log: memoryLog(), behaviors, ports });
 * await ports.advance(30_000);
 */
export function virtualPorts(
  options: { readonly now?: number; readonly ids?: string } = {},
): VirtualPorts {
  return new Virtual(options.now ?? START_MS, options.ids ?? "id");
}

class Virtual implements VirtualPorts {
  readonly #real = systemPorts();
  readonly #ids: string;
  readonly #timers = new Set<Timer>();
  #wall: number;
  #elapsed = 0;
  #made = 0;
  #due = 0;

  constructor(now: number, ids: string) {
    this.#wall = now;
    this.#ids = ids;
  }

  get pending(): number {
    return this.#timers.size;
  }

  get elapsedMs(): number {
    return this.#elapsed;
  }

  now(): number {
    return this.#wall;
  }

  id(): string {
    this.#made++;
    return `${this.#ids}-${this.#made}`;
  }

  after(ms: number, callback: () => void): Cancel {
    const timer = { due: this.#elapsed + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  soon(callback: () => void): Cancel {
    let open = true;
    this.#due++;
    const close = (): boolean => {
      if (!open) return false;
      open = false;
      this.#due--;
      return true;
    };
    this.#real.soon(() => {
      if (close()) callback();
    });
    return () => void close();
  }

  jump(ms: number): void {
    this.#wall += ms;
  }

  async settle(): Promise<void> {
    do await new Promise<void>((resolve) => void this.#real.soon(resolve));
    while (this.#due > 0);
  }

  async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new BadArgument(`Time moves on by a number of milliseconds; ${ms} is none.`, "V3");
    }
    const end = this.#elapsed + ms;
    await this.settle();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#moveTo(timer.due);
      timer.callback();
      await this.settle();
    }
    this.#moveTo(end);
  }

  #moveTo(elapsed: number): void {
    this.#wall += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }

  /** The timer that is due first, and no later than `end`. */
  #next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    }
    return first;
  }
}
