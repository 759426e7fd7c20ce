/**
 * Calls to what a host brings, bounded in time: one that is late, or whose session comes to its end, is left behind, and
 * its signal aborts. What it still answers is dropped.
 */
import type { Cancel, Ports } from "../ports.js";

/** A call that did not end in time. */
export class Late extends Error {}

/** See the module header. */
export class Bounded {
  private readonly ports: Ports;
  private readonly withinMs: number;
  private readonly open = new Set<(reason: Error) => void>();

  constructor(ports: Ports, withinMs: number) {
    this.ports = ports;
    this.withinMs = withinMs;
  }

  /** What the call gives; rejects with what it throws, with {@link Late}, or with the reason of {@link stop}. */
  call<T>(make: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
    const controller = new AbortController();
    return new Promise<T>((resolve, reject) => {
      let cancel: Cancel = () => undefined;
      const close = (): void => {
        cancel();
        this.open.delete(leave);
      };
      const leave = (reason: Error): void => {
        close();
        reject(reason);
        controller.abort(reason);
      };
      cancel = this.ports.after(this.withinMs, () =>
        leave(new Late(`it took more than ${this.withinMs} ms`)),
      );
      this.open.add(leave);
      const made = async (): Promise<T> => make(controller.signal);
      made().then(resolve, reject).finally(close);
    });
  }

  /** Leaves every call behind. */
  stop(reason: Error): void {
    for (const leave of this.open) leave(reason);
  }
}
