/**
 * The handle that a behaviour holds: every call is a command to the kernel, and its promise the kernel's answer.
 */
import { Refused } from "../errors.js";
import type { AttemptRef, Json, TurnRef, Usage } from "../events/events.js";
import type { Answers, Command, CommandOf } from "../kernel/command.js";
import { isReadOnly } from "../kernel/guards.js";
import { usageFault } from "../kernel/rules/turns.js";
import { isJsonTooLarge } from "../kernel/text.js";
import type { AgentPath } from "../paths.js";
import type {
  AgentInfo,
  ExecutionOptions,
  InterruptAnswer,
  SampleInput,
  SendAnswer,
  SpawnOptions,
  TakenResult,
  Task,
  Transcript,
  Turn,
  TurnOutcome,
  WaitAnswer,
} from "./api.js";
import { added } from "../projections/usage.js";
import { notJson, readJson } from "./json.js";
import { owned } from "./owned.js";
import type { PeerMessageOptions, PeerMessageResult } from "./peer/api.js";
import { reasonOf } from "./reason.js";
import type { Jobs } from "./jobsApi.js";
import { endedError } from "./refusals.js";
import type { Executions } from "./executions.js";
import type { WorkContext } from "./workContext.js";

/** A promise that the agent's actor holds, from its acceptance on. */
export interface Hold<T> {
  readonly resolve: (answer: T) => void;
  readonly reject: (error: Error) => void;
}

/** What a handle needs of its agent's work. */
export interface TurnWork {
  readonly context: WorkContext;
  readonly executions: Executions;
  acceptWait(attempt: number, hold: Hold<WaitAnswer>): void;
  acceptQuestion(token: number, hold: Hold<string>): void;
  acceptHandler(child: AgentPath, handler: ResultHandler): void;
}

/** Takes a child's RESULT (S7). */
export type ResultHandler = (result: TakenResult) => Promise<void> | void;

/** See the module header. */
export class TurnHandle implements Turn {
  readonly path: AgentPath;
  readonly number: number;
  readonly task: Task | undefined;
  readonly signal: AbortSignal;
  /** The newest sample's result: a final response that equals it is not written twice (M6). */
  lastResult: Json | undefined = undefined;
  /** Why nothing may begin any more. */
  private left: Error | null = null;
  /** Ends the open sample, whatever its call still does. */
  private leaveSample: ((reason: Error) => void) | null = null;
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
    const begun = await this.command({ kind: "sample.begin", turn: this.ref });
    const { attempt } = begun;
    const used: UsageTally = {};
    let value: T;
    try {
      // A text that can't be read is a sample that failed: left open, it would keep the turn busy for ever.
      const input = await this.inputOf(begun, used);
      value = await this.unlessLeft(async () => take(input));
    } catch (error) {
      if (this.left === null) await this.endSample(attempt, { failed: reasonOf(error), ...used });
      throw error;
    }
    const result = readJson(value);
    await this.endSample(attempt, { ...result, ...used });
    // What the log could not hold can't be referred to (L2, M6).
    const isKept = result.result !== undefined && !isJsonTooLarge(result.result);
    this.lastResult = isKept ? result.result : undefined;
    return value;
  }

  private endSample(
    attempt: AttemptRef,
    end: Omit<CommandOf<"sample.end">, "kind" | "attempt">,
  ): Promise<null> {
    return this.command({ kind: "sample.end", attempt, ...end });
  }

  private async inputOf(begun: Answers["sample.begin"], used: UsageTally): Promise<SampleInput> {
    const { texts, transcriptOf } = this.work.context;
    const { task, signal, path } = this;
    return {
      task,
      signal,
      mail: await texts.boundary(begun.mail, begun.notices),
      transcript: transcriptOf(path),
      usage: (more) => {
        checkUsage(more);
        used.usage = added(used.usage ?? {}, more);
      },
    };
  }

  /** A behaviour that ignores its signal is left behind: its call ends when the turn does (I4, L6). */
  private unlessLeft<T>(call: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.left !== null) return reject(this.left);
      this.leaveSample = reject;
      call().then(resolve, reject);
    });
  }

  /** The turn is over: what is open ends, and nothing begins any more. */
  leave(reason: Error): void {
    this.left = reason;
    this.leaveSample?.(reason);
    this.leaveSample = null;
  }

  partial(text: string): Promise<void> {
    return this.owned(() =>
      this.command({ kind: "partial", turn: this.ref, text: String(text) }).then(nothing),
    );
  }

  send(target: string, given: string): Promise<SendAnswer> {
    return this.owned(async () => {
      const text = this.work.context.redact(given);
      const { held } = await this.command({ kind: "send", by: this.ref, target, text });
      return held ? { startsWhenSlotFrees: true } : {};
    });
  }

  sendPeerMessage(
    target: string,
    text: string,
    options: PeerMessageOptions = {},
  ): Promise<PeerMessageResult> {
    return this.owned(() => this.work.context.sendPeerMessage(this.ref, target, text, options));
  }

  wait(options: { readonly timeoutMs?: number | string } = {}): Promise<WaitAnswer> {
    return this.owned(() => this.hold({ timeout: options.timeoutMs }));
  }

  get jobs(): Jobs {
    const hold = (timeout: number | string | undefined): Promise<WaitAnswer> =>
      this.owned(() => this.hold({ timeout, for: "jobs" }));
    return this.work.context.desk.forTurn(this.ref, hold);
  }

  private hold(wait: Pick<CommandOf<"wait">, "timeout" | "for">): Promise<WaitAnswer> {
    const { shell } = this.work.context;
    return new Promise((resolve, reject) => {
      shell.askThen(
        { kind: "wait", turn: this.ref, ...wait },
        ({ attempt }) => this.work.acceptWait(attempt.attempt, { resolve, reject }),
        reject,
      );
    });
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
    return this.owned(() => this.command({ kind: "interrupt", by: this.ref, target, ...given }));
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
      await this.command({ kind: "record", turn: this.ref, entry: result });
    });
  }

  get readOnly(): boolean {
    return isReadOnly(this.work.context.shell.loop.state, this.path);
  }

  ask(question: string): Promise<string> {
    const { shell } = this.work.context;
    const promise = new Promise<string>((resolve, reject) => {
      shell.askThen(
        { kind: "block", turn: this.ref, label: question },
        ({ token }) => this.work.acceptQuestion(token, { resolve, reject }),
        reject,
      );
    });
    return this.owned(() => promise);
  }

  takeResult(child: string, handler: ResultHandler): Promise<void> {
    const { shell } = this.work.context;
    const promise = new Promise<void>((resolve, reject) => {
      shell.askThen(
        { kind: "takeResult", turn: this.ref, child },
        (answer) => {
          this.work.acceptHandler(answer.child.path, handler);
          resolve();
        },
        reject,
      );
    });
    return this.owned(() => promise);
  }

  effect<T>(_name: string, call: () => Promise<T> | T): Promise<T> {
    return this.owned(async () => {
      if (this.left !== null) throw endedError();
      return call();
    });
  }

  history(target: string): Transcript {
    return this.work.context.historyFor(this.ref, target);
  }

  result(target: string): Promise<TurnOutcome | undefined> {
    return this.owned(() => this.work.context.resultFor(this.ref, target));
  }

  private command<C extends Command>(command: C): Promise<Answers[C["kind"]]> {
    return this.work.context.shell.ask(command);
  }

  private owned<T>(call: () => Promise<T>): Promise<T> {
    return owned(call, () => this.signal.aborted);
  }
}

interface UsageTally {
  usage?: Usage;
}

/** Refuses a bad report where it is made: refused at the sample's end, it would keep the sample open (X3). */
function checkUsage(usage: Usage): void {
  const fault = usageFault(usage);
  if (fault !== null) throw new Refused(fault.rejection);
}

const nothing = (): void => undefined;
