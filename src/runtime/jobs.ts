/**
 * Jobs as their owners hold them: sending, listing, stopping, waiting (J1-J6). Every call is a command to the kernel or
 * a look at the projection; who owns what is the kernel's to say.
 */
import type { TurnRef, WaitEnd } from "../events/events.js";
import type { Answers, CommandOf } from "../kernel/command.js";
import type { JobId } from "../kernel/jobIds.js";
import type { Placed } from "../kernel/loop.js";
import { type PresetName, policiesOf } from "../kernel/presets.js";
import { isOwner } from "../kernel/rules/jobs.js";
import { readTimeout, timeoutFault } from "../kernel/rules/turns.js";
import type { State } from "../kernel/state.js";
import type { AgentPath } from "../paths.js";
import { type JobBoard, type JobEntry, listJobs, waitingWords } from "../projections/jobs.js";
import { agentKey } from "../projections/projection.js";
import { Refused } from "../errors.js";
import { checkMayUse } from "./agentInfo.js";
import type { WaitAnswer } from "./api.js";
import type { JobInfo, Jobs, JobSendAnswer, JobWaitAnswer } from "./jobsApi.js";
import type { Waiter } from "./later.js";
import { owned } from "./owned.js";
import type { Ports } from "./ports.js";
import type { Shell } from "./shell.js";

/** What the jobs of a session are built on. */
export interface JobsParts {
  readonly shell: Shell;
  readonly ports: Ports;
  readonly board: () => JobBoard;
  /** The host's redactor, where the session's preset has it applied (J3). */
  readonly redact: (text: string) => string;
}

/** Suspends a turn until one of its jobs has ended. */
type HoldTurn = (timeoutMs: number | string | undefined) => Promise<WaitAnswer>;

/** See the module header. */
export class JobsDesk {
  private readonly parts: JobsParts;
  private readonly waiting = new Set<Waiter<readonly JobId[]>>();

  constructor(parts: JobsParts) {
    this.parts = parts;
  }

  get redact(): JobsParts["redact"] {
    return this.parts.redact;
  }

  /** The person's: every job of the session (J2). */
  forPerson(): Jobs {
    return this.jobsOf(null, (timeoutMs) => this.waitAsPerson(timeoutMs));
  }

  /** A turn's own. */
  forTurn(by: TurnRef, hold: HoldTurn): Jobs {
    return this.jobsOf(by, async (timeoutMs) => {
      const { why, unread } = await hold(timeoutMs);
      const from = new Set(unread.filter(({ mail }) => mail === "RESULT").map((one) => one.from));
      const ended = this.entries(by).filter(
        ({ path, ended: end }) => end !== null && from.has(path),
      );
      return { why: WHY[why], ended: ended.map(({ job }) => job) };
    });
  }

  /** Folded events: who waits for a job learns that it has ended. */
  shown(placed: readonly Placed[]): void {
    if (this.waiting.size === 0) return;
    const ended = placed.flatMap(({ event }) => {
      if (event.type !== "turn.settled") return [];
      const entry = this.parts.board().get(agentKey(event));
      return entry === undefined ? [] : [entry.job];
    });
    if (ended.length > 0) for (const waiter of this.waiting) waiter.resolve(ended);
  }

  /** The session can't answer any more (L6, L8). */
  failAll(error: Error): void {
    for (const waiter of this.waiting) waiter.reject(error);
  }

  private jobsOf(
    by: TurnRef | null,
    wait: (timeoutMs: number | string | undefined) => Promise<JobWaitAnswer>,
  ): Jobs {
    const mayUse = (tool: string): void => {
      if (by !== null) checkMayUse(this.state, by, tool);
    };
    return {
      send: (job, text) => owned(() => this.send(by, job, text)),
      list: () =>
        owned(async () => {
          mayUse("list_jobs");
          return this.entries(by).map(infoOf);
        }),
      stop: (job, reason) => owned(() => this.stop(by, job, reason)),
      wait: ({ timeoutMs } = {}) =>
        owned(async () => {
          mayUse("wait_jobs");
          const fault = timeoutFault(timeoutMs);
          if (fault !== null) throw new Refused(fault.rejection);
          if (!this.hasToWaitFor(by)) return { why: "idle", ended: [] };
          return wait(timeoutMs);
        }),
    };
  }

  private async send(by: TurnRef | null, job: string, given: string): Promise<JobSendAnswer> {
    const text = this.parts.redact(given);
    const answer = await this.ask({ kind: "send", by, target: job, text });
    const { path, waiting } = answer;
    return { job: this.idOf(path), text, waiting, waitingText: waitingWords(waiting) };
  }

  private async stop(by: TurnRef | null, job: string, reason?: string): Promise<{ job: JobId }> {
    const given = reason === undefined ? {} : { reason };
    const stop = { kind: "interrupt", by, target: job, job: true, ...given } as const;
    return { job: this.idOf((await this.ask(stop)).path) };
  }

  private ask<C extends CommandOf<"send" | "interrupt">>(command: C): Promise<Answers[C["kind"]]> {
    return this.parts.shell.ask(command);
  }

  private get state(): State {
    return this.parts.shell.loop.state;
  }

  private idOf(path: AgentPath): JobId {
    return `j${this.state.durable.agents.get(path)?.job ?? 0}`;
  }

  private entries(by: TurnRef | null): readonly JobEntry[] {
    return listJobs(this.parts.board()).filter((entry) => isOwner(this.state, by, entry));
  }

  /** A job that runs, or a report that its owner has not read. */
  private hasToWaitFor(by: TurnRef | null): boolean {
    if (this.entries(by).some(({ ended }) => ended === null)) return true;
    const unread = by === null ? undefined : this.state.durable.agents.get(by.path)?.unread;
    return unread?.toArray().some(({ mail }) => mail === "RESULT" || mail === "INPUT") ?? false;
  }

  private waitAsPerson(timeoutMs: number | string | undefined): Promise<JobWaitAnswer> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancel();
        this.waiting.delete(waiter);
      };
      const waiter: Waiter<readonly JobId[]> = {
        resolve: (ended) => {
          end();
          resolve({ why: "ended", ended });
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      const cancel = this.parts.ports.after(readTimeout(timeoutMs) ?? 0, () => {
        end();
        resolve({ why: "timeout", ended: [] });
      });
      this.waiting.add(waiter);
    });
  }
}

/** The host's redactor, where the preset has it applied; what is no text is the kernel's to refuse (J3). */
export function redactor(
  redact: ((text: string) => string) | undefined,
  preset: () => PresetName,
): (text: string) => string {
  return (text) => {
    const applies = policiesOf(preset()).admission.redacts && typeof text === "string";
    return applies && redact !== undefined ? redact(text) : text;
  };
}

const WHY: Readonly<Record<WaitEnd, JobWaitAnswer["why"]>> = {
  mail: "ended",
  input: "input",
  timeout: "timeout",
  interrupted: "interrupted",
  settled: "interrupted",
};

function infoOf({ job, path, ended, waiting }: JobEntry): JobInfo {
  const count = waiting.length;
  return { job, path, state: ended ?? "running", waiting: count, waitingText: waitingWords(count) };
}
