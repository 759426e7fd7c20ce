/**
 * What users see of jobs: the handle, and its answers (section 10). Types only.
 */
import type { OutcomeKind } from "../events/events.js";
import type { JobId } from "../kernel/jobIds.js";
import type { AgentPath } from "../paths.js";

/** A job in a listing. */
export interface JobInfo {
  readonly job: JobId;
  readonly path: AgentPath;
  readonly state: "running" | OutcomeKind;
  /** Messages that no sample has taken (J5). */
  readonly waiting: number;
  /** The same in words: `2 messages waiting`. */
  readonly waitingText: string;
}

/** A message was accepted: the job sees it before its next request (J4). */
export interface JobSendAnswer {
  readonly job: JobId;
  /** What is stored, after the host's redactor. */
  readonly text: string;
  readonly waiting: number;
  readonly waitingText: string;
}

/** Why a wait for jobs ended, and which jobs had ended. `idle`: none of the caller's jobs runs. */
export interface JobWaitAnswer {
  readonly why: "ended" | "input" | "timeout" | "idle" | "interrupted";
  readonly ended: readonly JobId[];
}

/** The jobs of their owner: the person, or an agent in its turn (J2). */
export interface Jobs {
  /**
   * A message to a running job, read before its next sample (J1). It starts no turn and answers no approval.
   * @throws Refused `job-unknown`, `job-not-yours`, `job-self`, `job-ended`, `read-only`, `text-empty`,
   * `message-too-long`, `job-full` (J3): then nothing was written
   */
  send(job: string, text: string): Promise<JobSendAnswer>;
  /** The owner's jobs, in the order in which they were made; ended ones too. */
  list(): Promise<readonly JobInfo[]>;
  /** Stops a running job; it reports as interrupted (J6). */
  stop(job: string, reason?: string): Promise<{ readonly job: JobId }>;
  /** Waits until one of the owner's jobs has ended: 30,000 ms unless given, 10,000 to 3,600,000 (J1, V3). */
  wait(options?: { readonly timeoutMs?: number | string }): Promise<JobWaitAnswer>;
}
