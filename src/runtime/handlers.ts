/**
 * Handlers of one agent's turn: each takes a child's RESULT itself (S7). The kernel bounds their time and decides what
 * becomes of the record; what is late is dropped there.
 */
import type { Signal } from "../actors/work.js";
import { type Point, formatPoint } from "../events/point.js";
import type { AgentPath } from "../paths.js";
import { reasonOf } from "./reason.js";
import type { ResultHandler } from "./turn.js";
import type { WorkContext } from "./workContext.js";

/** See the module header. */
export class Handlers {
  private readonly context: WorkContext;
  private readonly waiting = new Map<AgentPath, ResultHandler>();
  /** By the order point of the record. */
  private readonly running = new Map<string, AbortController>();

  constructor(context: WorkContext) {
    this.context = context;
  }

  /** The kernel has registered a handler. */
  accept(child: AgentPath, handler: ResultHandler): void {
    this.waiting.set(child, handler);
  }

  /** Calls the handler that waits for this RESULT, and tells the kernel how it ended. */
  async handle({ event, at }: Signal<"mail.queued">, turn: number): Promise<void> {
    const child = event.from as AgentPath;
    const handler = this.waiting.get(child);
    this.waiting.delete(child);
    if (handler === undefined) return;
    const controller = new AbortController();
    this.running.set(formatPoint(at), controller);
    const end = { kind: "handler.end", turn: { path: event.path, gen: event.gen, turn } } as const;
    try {
      const outcome = await this.context.texts.resultOf(event, at);
      // Its turn has ended meanwhile: the record is ordinary mail again, and nobody's to handle.
      if (controller.signal.aborted) return;
      await handler({ ...outcome, signal: controller.signal });
      this.context.shell.tell({ ...end, record: at });
    } catch (error) {
      this.context.shell.tell({ ...end, record: at, failed: reasonOf(error) });
    } finally {
      this.running.delete(formatPoint(at));
    }
  }

  /** The record has been taken back: what its handler still does counts no more. */
  stop(record: Point): void {
    this.running.get(formatPoint(record))?.abort();
  }

  /** The turn is over: no handler waits any more, and those that run are asked to end. */
  drop(): void {
    this.waiting.clear();
    for (const controller of this.running.values()) controller.abort();
    this.running.clear();
  }
}
