/**
 * The loop's port to the real world: appends to the log, performs effects, and turns replies into promises.
 * It holds everything of a session that is not a rule: timers, preparations, answers that come later.
 */
import { Bug, OutcomeUnknown, Refused, SessionDegraded } from "../errors.js";
import type { CommitDraft } from "../events/commit.js";
import type { DovecoteEvent } from "../events/events.js";
import type { Answers, Command } from "../kernel/command.js";
import type { Effect } from "../kernel/effects.js";
import { Loop, type LoopPort, type Placed, type Reply } from "../kernel/loop.js";
import type { Reservation, State } from "../kernel/state.js";
import type { AppendResult, SessionLog } from "../log/log.js";
import type { Preparation } from "./api.js";
import type { Cancel, Ports } from "./ports.js";
import { reasonOf } from "./reason.js";

/** Calls the host's preparation hook (T2). */
export type Prepare = (start: Preparation) => Promise<void> | void;

/** Who is shown what has happened. */
export interface Listener {
  /** Folded events, in order, before any promise about them resolves. */
  shown(placed: readonly Placed[], state: State): void;
  /** A commit is durable; its own events are shown next. */
  durable(commit: CommitDraft): void;
  /** A commit is durable and has been shown. */
  committed(commit: CommitDraft): void;
  /** The store failed (L6). */
  degraded(error: SessionDegraded): void;
}

/** See the module header. */
export class Shell implements LoopPort {
  readonly loop: Loop;
  private readonly log: SessionLog;
  private readonly ports: Ports;
  private readonly listener: Listener;
  private readonly prepare: Prepare | undefined;
  private readonly timers = new Map<string, Cancel>();
  private readonly preparing = new Map<number, AbortController>();
  private flushing: Cancel | null = null;
  private stopped = false;
  private failure: SessionDegraded | null = null;
  /** The commit whose append is under way. */
  private writing: CommitDraft | null = null;

  constructor(options: {
    readonly state: State;
    readonly log: SessionLog;
    readonly ports: Ports;
    readonly listener: Listener;
    readonly prepare: Prepare | undefined;
  }) {
    this.log = options.log;
    this.ports = options.ports;
    this.listener = options.listener;
    this.prepare = options.prepare;
    this.loop = new Loop(options.state, this);
  }

  /** Puts a command to the kernel. Rejects with `Refused`, `OutcomeUnknown` or `SessionDegraded`. */
  ask<C extends Command>(command: C): Promise<Answers[C["kind"]]> {
    return new Promise((resolve, reject) => {
      this.askThen(command, resolve, reject);
    });
  }

  /** The same with callbacks, which run before the command's events are shown. */
  askThen<C extends Command>(
    command: C,
    done: (answer: Answers[C["kind"]]) => void,
    failed: (error: Error) => void,
  ): void {
    this.loop.submit(command, (reply) => {
      if (reply.kind === "answer") done(reply.answer);
      else failed(errorOf(reply));
    });
  }

  /** Nothing queued, appended or prepared, and nothing that waits to be written (Q2). */
  get resting(): boolean {
    return this.loop.resting && this.preparing.size === 0;
  }

  /** Timers that are armed: none may be left behind (V4). */
  get armed(): number {
    return this.timers.size;
  }

  append(
    n: number,
    events: readonly DovecoteEvent[],
    keys: Readonly<Record<string, string>> | undefined,
  ): void {
    const commit: CommitDraft = {
      id: this.ports.id(),
      n,
      at: this.ports.now(),
      events,
      ...(keys === undefined ? {} : { keys }),
    };
    this.writing = commit;
    void this.write(commit);
  }

  /** A log that breaks its promise never to reject, or throws, is a store that failed in the middle (M3). */
  private async write(commit: CommitDraft): Promise<void> {
    let result: AppendResult;
    try {
      result = await this.log.append(commit);
    } catch (cause) {
      result = { kind: "unknown", commitId: commit.id, cause };
    }
    if (this.writing !== commit) return;
    this.writing = null;
    try {
      this.ended(commit, result);
    } catch (error) {
      this.bug(error);
    }
  }

  /** Gives up an append that does not end: its outcome is unknown, and the session takes no more commands (L8). */
  giveUp(): void {
    const commit = this.writing;
    if (commit === null) return;
    this.writing = null;
    const cause = new Error("the append did not end before the session's deadline for closing");
    this.loop.failed(cause, commit.id, true);
  }

  /** What can't happen has happened: the session stops, the process lives, and a reopen starts from the log (L6). */
  private bug(error: unknown): void {
    if (this.failure !== null) return;
    const commitId = this.writing?.id ?? "";
    this.writing = null;
    this.loop.failed(error, commitId, true);
  }

  private ended(commit: CommitDraft, result: AppendResult): void {
    if (result.kind === "appended") {
      this.listener.durable(commit);
      this.loop.appended();
      this.listener.committed(commit);
    } else if (result.kind === "unknown") {
      this.loop.failed(result.cause, commit.id, true);
    } else {
      const cause =
        result.kind === "conflict" ? new Bug(`append ${commit.n} conflicts`) : result.cause;
      this.loop.failed(cause, commit.id, false);
    }
  }

  show(placed: readonly Placed[], state: State): void {
    this.listener.shown(placed, state);
  }

  perform(effect: Effect): void {
    if (this.stopped) return;
    switch (effect.kind) {
      case "timer.arm":
        return this.arm(effect.timer, effect.afterMs, effect.submit);
      case "timer.disarm":
        return this.disarm(effect.timer);
      case "prepare":
        return this.startPreparing(effect.reservation);
      case "prepare.abort":
        this.preparing.get(effect.reservation)?.abort();
        this.preparing.delete(effect.reservation);
    }
  }

  private arm(timer: string, afterMs: number, command: Command): void {
    this.timers.set(
      timer,
      this.ports.after(
        afterMs,
        () => {
          this.timers.delete(timer);
          this.tell(command);
        },
        timer,
      ),
    );
  }

  private disarm(timer: string): void {
    this.timers.get(timer)?.();
    this.timers.delete(timer);
  }

  /** Submits a completion: nobody waits for its answer, and a degraded session drops it. */
  tell(command: Command): void {
    this.loop.submit(command, (reply) => {
      if (reply.kind === "bug") this.ports.soon(() => this.bug(reply.error));
    });
  }

  private startPreparing(one: Reservation): void {
    const controller = new AbortController();
    const { reservation, path, behavior, start } = one;
    this.preparing.set(reservation, controller);
    const answer = (failed?: string): void => {
      this.preparing.delete(reservation);
      this.tell({ kind: "prepared", reservation, ...(failed === undefined ? {} : { failed }) });
    };
    const call = async (): Promise<void> =>
      this.prepare?.({ path, behavior, start, signal: controller.signal });
    call().then(
      () => answer(),
      (error: unknown) => answer(reasonOf(error)),
    );
  }

  flushSoon(): void {
    if (this.flushing !== null || this.stopped) return;
    this.flushing = this.ports.soon(() => {
      this.flushing = null;
      this.tell({ kind: "flush" });
    });
  }

  degraded(cause: unknown): void {
    this.failure = new SessionDegraded({ cause });
    this.stop();
    this.listener.degraded(this.failure);
  }

  /** The error of a degraded session. */
  get error(): SessionDegraded | null {
    return this.failure;
  }

  /** No timer fires and no preparation answers any more (L6, L8). */
  stop(): void {
    this.stopped = true;
    this.flushing?.();
    this.flushing = null;
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
    for (const controller of this.preparing.values()) controller.abort();
    this.preparing.clear();
  }
}

function errorOf(reply: Exclude<Reply<unknown>, { kind: "answer" }>): Error {
  switch (reply.kind) {
    case "rejected":
      return new Refused(reply.rejection);
    case "unknown":
      return new OutcomeUnknown(reply.commitId, { cause: reply.cause });
    case "degraded":
      return new SessionDegraded({ cause: reply.cause });
    case "bug":
      return reply.error instanceof Bug
        ? reply.error
        : new Bug("a rule threw", { cause: reply.error });
  }
}
