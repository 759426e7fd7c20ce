/**
 * The handle that a behaviour holds: every call is a command to the kernel, and its promise the kernel's answer.
 */
import { Refused } from "../errors.js";
import type { AttemptRef, Json, TurnRef } from "../events/events.js";
import type { Answers, Command } from "../kernel/command.js";
import type { Unread } from "../kernel/state.js";
import type { AgentPath } from "../paths.js";
import type {
  AgentInfo,
  ExecutionOptions,
  InterruptAnswer,
  MailRecord,
  SampleInput,
  SendAnswer,
  SpawnOptions,
  Task,
  Turn,
  WaitAnswer,
} from "./api.js";
import { readJson } from "./json.js";
import { owned } from "./owned.js";
import { reasonOf } from "./reason.js";
import type { Executions } from "./executions.js";
import type { WorkContext } from "./workContext.js";

/** The promise of a wait, held by the agent's actor from its acceptance on. */
export interface WaitHold {
  readonly resolve: (answer: WaitAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** What a handle needs of its agent's work. */
export interface TurnWork {
  readonly context: WorkContext;
  readonly executions: Executions;
  acceptWait(attempt: number, hold: WaitHold): void;
}

/** See the module header. */
export class TurnHandle implements Turn {
  readonly path: AgentPath;
  readonly number: number;
  readonly task: Task | undefined;
  readonly signal: AbortSignal;
  /** The newest sample's result: a final response that equals it is not written twice (M6). */
  lastResult: Json | undefined = undefined;
  private readonly ref: TurnRef;
  private readonly work: TurnWork;

  constructor(ref: TurnRef, task: Task | undefined, signal: AbortSignal, work: TurnWork) {
    this.ref = ref;
    this.path = ref.path;
    this.number = ref.turn;
    this.task = task;
    this.signal = signal;
    this.work = work;
  }

  sample<T>(take: (input: SampleInput) => Promise<T> | T): Promise<T> {
    return this.owned(() => this.takeSample(take));
  }

  private async takeSample<T>(take: (input: SampleInput) => Promise<T> | T): Promise<T> {
    const { attempt, mail } = await this.ask({ kind: "sample.begin", turn: this.ref });
    let value: T;
    try {
      // A text that can't be read is a sample that failed: left open, it would keep the turn busy for ever.
      const input = await this.inputOf(mail);
      value = await this.unlessAborted(async () => take(input));
    } catch (error) {
      if (!this.signal.aborted) await this.endSample(attempt, { failed: reasonOf(error) });
      throw error;
    }
    const result = readJson(value);
    await this.endSample(attempt, result);
    this.lastResult = result.result;
    return value;
  }

  private endSample(
    attempt: AttemptRef,
    end: { readonly result?: Json; readonly opaque?: true; readonly failed?: string },
  ): Promise<null> {
    return this.ask({ kind: "sample.end", attempt, ...end });
  }

  private async inputOf(mail: readonly Unread[]): Promise<SampleInput> {
    const records: MailRecord[] = [];
    for (const record of mail) records.push(await this.work.context.texts.record(record));
    const { task, signal, path } = this;
    return { task, mail: records, signal, transcript: this.work.context.transcriptOf(path) };
  }

  /** A behaviour that ignores its signal is left behind: its call ends when the turn does (I4, L6). */
  private unlessAborted<T>(call: () => Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise<T>((resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort, { once: true });
      call()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener("abort", abort));
    });
  }

  partial(text: string): Promise<void> {
    return this.owned(() =>
      this.ask({ kind: "partial", turn: this.ref, text: String(text) }).then(nothing),
    );
  }

  send(target: string, text: string): Promise<SendAnswer> {
    return this.owned(async () => {
      const { held } = await this.ask({ kind: "send", by: this.ref, target, text });
      return held ? { startsWhenSlotFrees: true } : {};
    });
  }

  wait(options: { readonly timeoutMs?: number | string } = {}): Promise<WaitAnswer> {
    const { shell } = this.work.context;
    const call = (): Promise<WaitAnswer> =>
      new Promise((resolve, reject) => {
        shell.askThen(
          { kind: "wait", turn: this.ref, timeout: options.timeoutMs },
          ({ attempt }) => this.work.acceptWait(attempt.attempt, { resolve, reject }),
          reject,
        );
      });
    return this.owned(call);
  }

  spawn(options: SpawnOptions): Promise<AgentPath> {
    return this.owned(() => {
      const { name, behavior, task, role } = options;
      const given = role === undefined ? {} : { role };
      const by = this.ref;
      return this.work.context.spawn({ kind: "spawn", by, name, behavior, task, ...given });
    });
  }

  interrupt(target: string, reason?: string): Promise<InterruptAnswer> {
    const given = reason === undefined ? {} : { reason };
    return this.owned(() => this.ask({ kind: "interrupt", by: this.ref, target, ...given }));
  }

  list(): Promise<readonly AgentInfo[]> {
    return this.owned(() => this.work.context.listFor(this.ref));
  }

  yieldExecution(options: ExecutionOptions): Promise<number> {
    const { shell } = this.work.context;
    const call = (): Promise<number> => {
      const { command, run } = options;
      return new Promise((resolve, reject) => {
        shell.askThen(
          { kind: "yield", turn: this.ref, command: String(command) },
          ({ execution }) => {
            this.work.executions.accept(execution, run);
            resolve(execution);
          },
          reject,
        );
      });
    };
    return this.owned(call);
  }

  record(entry: Json): Promise<void> {
    return this.owned(async () => {
      const { result, opaque } = readJson(entry);
      if (opaque === true || result === undefined) throw notJson();
      await this.ask({ kind: "record", turn: this.ref, entry: result });
    });
  }

  private ask<C extends Command>(command: C): Promise<Answers[C["kind"]]> {
    return this.work.context.shell.ask(command);
  }

  private owned<T>(call: () => Promise<T>): Promise<T> {
    return owned(call, () => this.signal.aborted);
  }
}

const nothing = (): void => undefined;

function notJson(): Refused {
  return new Refused({
    code: "value-not-json",
    rule: "M6",
    message: "A transcript entry is data that JSON can carry. Convert it, then record it again.",
  });
}
