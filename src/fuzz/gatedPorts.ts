/** The clock of the behaviour world: a timer fires when its step is taken, and time is then as late as it was due. */
import type { Cancel, Ports } from "../runtime/ports.js";
import type { Gates } from "./gates.js";

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** The first millisecond of 2026: where each world's wall clock starts. */
const START_MS = 1_767_225_600_000;

/** See the module header. */
export class GatedPorts implements Ports {
  private readonly gates: Gates;
  private readonly timers = new Map<string, Timer>();
  private elapsed = 0;
  private made = 0;

  constructor(gates: Gates) {
    this.gates = gates;
  }

  /** The timers that may fire next: those that are due first. */
  get steps(): readonly string[] {
    let first = Number.POSITIVE_INFINITY;
    for (const { due } of this.timers.values()) first = Math.min(first, due);
    return [...this.timers].flatMap(([name, { due }]) => (due === first ? [name] : []));
  }

  /** What is armed. */
  get armed(): readonly string[] {
    return [...this.timers.keys()];
  }

  now(): number {
    return START_MS + this.elapsed;
  }

  after(ms: number, callback: () => void, what = "bound"): Cancel {
    const name = this.gates.numbered(`timer:${what}`);
    this.timers.set(name, { due: this.elapsed + Math.max(0, ms), callback });
    return () => void this.timers.delete(name);
  }

  soon(callback: () => void): Cancel {
    return this.gates.offer(this.gates.numbered("core:soon"), callback);
  }

  id(): string {
    this.made++;
    return `id-${this.made}`;
  }

  /** Lets a timer fire; answers whether there was one. */
  take(name: string): boolean {
    const timer = this.timers.get(name);
    if (timer === undefined) return false;
    this.timers.delete(name);
    this.elapsed = Math.max(this.elapsed, timer.due);
    timer.callback();
    return true;
  }
}
