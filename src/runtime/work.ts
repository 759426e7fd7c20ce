/**
 * The agent effects of one agent: calls its behaviour, holds its wait, runs and stops its executions.
 * Only its actor calls in here (see `actors/work.ts`); what happens comes back to the kernel as commands.
 */
import type { AgentWork, Signal } from "../actors/work.js";
import type { Json, TurnRef } from "../events/events.js";
import type { TurnEnd } from "../kernel/command.js";
import type { AgentPath } from "../paths.js";
import type { Task, WaitAnswer } from "./api.js";
import { Executions } from "./executions.js";
import { Finalising } from "./finalising.js";
import { Handlers } from "./handlers.js";
import { reasonOf } from "./reason.js";
import { endedError } from "./refusals.js";
import { type Hold, type ResultHandler, TurnHandle, type TurnWork } from "./turn.js";
import type { WorkContext } from "./workContext.js";

/** A turn whose behaviour has been called, and may be called again (J6). */
interface RunningTurn {
  readonly ref: TurnRef;
  readonly started: Signal<"turn.started">;
  readonly controller: AbortController;
  /** What the newest call holds, once it has been made. */
  handle: TurnHandle | undefined;
  /** The behaviour has not returned. */
  busy: boolean;
}

/** See the module header. */
export class Work implements AgentWork, TurnWork {
  readonly context: WorkContext;
  /** Promises of accepted waits, until the actor takes hold of them. */
  private readonly accepted = new Map<number, Hold<WaitAnswer>>();
  private held: { readonly attempt: number; readonly hold: Hold<WaitAnswer> } | null = null;
  /** Questions that the person has not answered, by token (T1). */
  private readonly questions = new Map<number, Hold<string>>();
  // Made when they are needed: most turns have none of these, and there can be many agents.
  private madeExecutions: Executions | null = null;
  private madeHandlers: Handlers | null = null;
  private madeFinalising: Finalising | null = null;
  /** The turn that runs. */
  private turn = 0;
  private running: RunningTurn | null = null;

  constructor(context: WorkContext) {
    this.context = context;
  }

  get executions(): Executions {
    return (this.madeExecutions ??= new Executions((end) =>
      this.context.shell.tell({ kind: "execution.complete", ...end }),
    ));
  }

  private get handlers(): Handlers {
    return (this.madeHandlers ??= new Handlers(this.context));
  }

  runTurn(started: Signal<"turn.started">): () => void {
    const { path, gen, turn } = started.event;
    this.turn = turn;
    const running: RunningTurn = {
      ref: { path, gen, turn },
      started,
      controller: new AbortController(),
      handle: undefined,
      busy: false,
    };
    this.running = running;
    this.callFor(running);
    return () => {
      const reason = running.busy ? this.context.stopReason() : endedError();
      if (running.busy) running.controller.abort(reason);
      // What the behaviour has left open ends with its turn, whether or not it was stopped (S2).
      running.handle?.leave(reason);
      this.madeHandlers?.drop();
    };
  }

  extendTurn(): void {
    const { running } = this;
    if (running === null) return;
    // What the call before has left open ends with it: the next one has a handle of its own.
    running.handle?.leave(endedError());
    this.callFor(running);
  }

  private callFor(running: RunningTurn): void {
    const { ref, started, controller } = running;
    running.busy = true;
    const made = (task: Task | undefined): TurnHandle =>
      (running.handle = new TurnHandle(ref, task, controller.signal, this));
    void this.call(ref, started, controller.signal, made).then((end) => {
      running.busy = false;
      if (!controller.signal.aborted)
        this.context.shell.tell({ kind: "turn.finish", turn: ref, end });
    });
  }

  private async call(
    ref: TurnRef,
    started: Signal<"turn.started">,
    signal: AbortSignal,
    made: (task: Task | undefined) => TurnHandle,
  ): Promise<TurnEnd> {
    try {
      const behavior = this.context.behaviorOf(ref.path);
      if (behavior === undefined) return { kind: "errored", reason: "its behaviour is not known" };
      const task = await this.readTask(started);
      // Stopped before it was called: nothing runs for a turn that is over (I4).
      if (signal.aborted) return { kind: "errored", reason: "stopped before it began" };
      const handle = made(task);
      return this.endOf(await behavior(handle), handle.lastResult);
    } catch (error) {
      return { kind: "errored", reason: reasonOf(error) };
    }
  }

  private async readTask({ event, at }: Signal<"turn.started">): Promise<Task | undefined> {
    if (event.task === undefined) return undefined;
    const text = await this.context.texts.text("at" in event.task ? event.task.at : at);
    return { text, from: event.from ?? "person" };
  }

  private endOf(response: unknown, lastResult: Json | undefined): TurnEnd {
    if (response === undefined || response === null) return { kind: "completed", response: "" };
    if (typeof response !== "string") {
      return {
        kind: "errored",
        reason: `the behaviour returned ${typeof response}, not text (S1)`,
      };
    }
    // A response that repeats the newest sample is kept as a reference to it (M6).
    const repeats = response !== "" && response === lastResult;
    return { kind: "completed", response: repeats ? { sample: true } : response };
  }

  /** The kernel has accepted a wait; its promise is the actor's from here on. */
  acceptWait(attempt: number, hold: Hold<WaitAnswer>): void {
    this.accepted.set(attempt, hold);
  }

  acceptQuestion(token: number, hold: Hold<string>): void {
    this.questions.set(token, hold);
  }

  acceptHandler(child: AgentPath, handler: ResultHandler): void {
    this.handlers.accept(child, handler);
  }

  stopHandler(returned: Signal<"mail.returned">): void {
    this.madeHandlers?.stop(returned.event.record);
  }

  handleResult(queued: Signal<"mail.queued">): void {
    void this.handlers.handle(queued, this.turn);
  }

  releaseBlocker({ event }: Signal<"blocker.released">): void {
    const question = this.questions.get(event.token);
    this.questions.delete(event.token);
    if (event.answer === undefined) question?.reject(this.context.stopReason());
    else question?.resolve(event.answer);
  }

  holdWait(began: Signal<"wait.began">): () => void {
    const { attempt } = began.event;
    const hold = this.accepted.get(attempt);
    this.accepted.delete(attempt);
    if (hold === undefined) return () => undefined;
    const held = { attempt, hold };
    this.held = held;
    return () => {
      if (this.held !== held) return;
      this.held = null;
      hold.reject(this.context.stopReason());
    };
  }

  releaseWait(ended: Signal<"wait.ended">): void {
    const held = this.held;
    if (held?.attempt !== ended.event.attempt) return;
    this.held = null;
    held.hold.resolve({ why: ended.event.why, unread: ended.event.unread });
  }

  startExecution(yielded: Signal<"execution.yielded">): void {
    const { path, gen, turn, execution } = yielded.event;
    this.executions.start({ path, gen, turn }, execution);
  }

  async trySettlement(
    attempted: Signal<"settlement.attempted">,
    signal: AbortSignal,
  ): Promise<void> {
    const { path, gen, turn, attempt } = attempted.event;
    const ref = { path, gen, turn, attempt };
    try {
      await this.madeExecutions?.stopAll(signal);
      this.madeFinalising ??= new Finalising(this.context);
      await this.madeFinalising.run(ref, signal);
    } catch (error) {
      this.context.shell.tell({ kind: "settlement.fail", attempt: ref, reason: reasonOf(error) });
      return;
    }
    if (!signal.aborted) this.context.shell.tell({ kind: "settlement.end", attempt: ref });
  }

  dropAll(): void {
    this.madeExecutions?.dropAll();
    const { stopReason } = this.context;
    for (const hold of this.accepted.values()) hold.reject(stopReason());
    for (const hold of this.questions.values()) hold.reject(stopReason());
    this.accepted.clear();
    this.questions.clear();
    this.madeHandlers?.drop();
  }
}
