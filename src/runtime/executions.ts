/**
 * The executions of one agent: commands that its turn has yielded and that run on while it works (S5).
 * Each reports its end once; stopping asks it to end and waits, as long as the settlement try may take.
 */
import type { TurnRef } from "../events/events.js";
import type { ExecutionOptions } from "./api.js";
import { reasonOf } from "./reason.js";

/** How one execution ended. */
export interface ExecutionEnd {
  readonly turn: TurnRef;
  readonly execution: number;
  readonly text: string;
  readonly stopped: boolean;
}

interface Running {
  readonly controller: AbortController;
  /** Reports its end now, with what it has printed; what it still does counts no more. */
  readonly finish: () => void;
  /** Forgets it: it reports nothing. */
  readonly drop: () => void;
  readonly done: Promise<void>;
}

/** See the module header. */
export class Executions {
  private readonly report: (end: ExecutionEnd) => void;
  private readonly yielded = new Map<number, ExecutionOptions["run"]>();
  private readonly running = new Map<number, Running>();

  constructor(report: (end: ExecutionEnd) => void) {
    this.report = report;
  }

  /** The kernel has accepted a yield: its command waits for the event that starts it. */
  accept(execution: number, run: ExecutionOptions["run"]): void {
    this.yielded.set(execution, run);
  }

  /** Starts what was accepted. */
  start(turn: TurnRef, execution: number): void {
    const run = this.yielded.get(execution);
    this.yielded.delete(execution);
    if (run === undefined) return;
    const controller = new AbortController();
    const printed: string[] = [];
    let reported = false;
    const end = (text: string): void => {
      if (reported) return;
      reported = true;
      this.running.delete(execution);
      this.report({ turn, execution, text, stopped: controller.signal.aborted });
    };
    const done = this.call(run, controller.signal, printed).then(end);
    const finish = (): void => end(printed.join(""));
    const drop = (): void => void (reported = true);
    this.running.set(execution, { controller, finish, drop, done });
  }

  private async call(
    run: ExecutionOptions["run"],
    signal: AbortSignal,
    printed: string[],
  ): Promise<string> {
    try {
      // A microtask later: a command that throws at once must not do so inside the actor.
      await Promise.resolve();
      const text = await run({ signal, print: (piece) => printed.push(String(piece)) });
      return signal.aborted || typeof text !== "string" ? printed.join("") : text;
    } catch (error) {
      if (signal.aborted) return printed.join("");
      return `${printed.join("")}\nThe command failed: ${reasonOf(error)}`.trimStart();
    }
  }

  /** Asks all to end, and waits for them. What has not ended when `signal` aborts is left behind, with what it printed. */
  async stopAll(signal: AbortSignal): Promise<void> {
    const all = [...this.running.values()];
    for (const { controller } of all) controller.abort();
    if (all.length === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const stop = (): void => resolve();
      signal.addEventListener("abort", stop, { once: true });
      void Promise.all(all.map(({ done }) => done))
        .then(stop)
        .finally(() => signal.removeEventListener("abort", stop));
    });
    for (const { finish } of all) finish();
  }

  /** Nothing may outlive the actor: all are asked to end, and none is waited for (L6). */
  dropAll(): void {
    this.yielded.clear();
    for (const { controller, drop } of this.running.values()) {
      drop();
      controller.abort();
    }
    this.running.clear();
  }
}
