/**
 * What users see of a session: the types of behaviours, of the handle they hold, and of what they are given.
 */
import type {
  InterruptFound,
  Json,
  MailCount,
  MailType,
  OutcomeKind,
  Role,
  Sender,
  Usage,
  WaitEnd,
} from "../events/events.js";
import type { Point } from "../events/point.js";
import type { AgentPath } from "../paths.js";
import type { Jobs } from "./jobsApi.js";
import type { PeerMessageOptions, PeerMessageResult } from "./peer/api.js";

/** The task of a turn, and who gave it. A woken turn has none. */
export interface Task {
  readonly text: string;
  readonly from: Sender;
}

/**
 * One record of mail as a sample sees it (M2), or a notice of the host's to the root (W7). A long RESULT or EXECUTION
 * is a preview (S6).
 */
export interface MailRecord {
  readonly type: MailType | "NOTICE";
  readonly from: Sender | "host";
  readonly text: string;
  /** On a RESULT: how the sender's turn ended. */
  readonly outcome?: OutcomeKind;
  /** Why a handler gave it back (S7). */
  readonly warning?: string;
  /** Tells a message to a job from all others; it has no other use (J5). */
  readonly mark?: string;
}

/** A child's RESULT as a handler gets it: whole (S7). Handlers run at least once; (path, turn) is their key. */
export interface TakenResult extends TurnOutcome {
  /** Aborts when the handler's time is up or its turn ends. */
  readonly signal: AbortSignal;
}

/** What a finaliser holds: it can send and record, and no more (T1, S3). */
export interface Finalisation {
  readonly path: AgentPath;
  readonly turn: number;
  readonly outcome: OutcomeKind;
  /** Aborts when the try's time is up. */
  readonly signal: AbortSignal;
  send(target: string, text: string): Promise<SendAnswer>;
  record(entry: Json): Promise<void>;
}

/** Ends something that a turn owned outside the library. One that succeeded is not run again when another fails (S3). */
export type Finaliser = (turn: Finalisation) => Promise<void> | void;

/** What stands in a turn's way from outside: an approval, a question to the person (T1). */
export interface Blocked {
  readonly token: number;
  readonly question: string;
  readonly since: Point;
}

/** Sums of what samples reported, by kind (X3). */
export interface UsageReport {
  readonly total: Usage;
  readonly agents: Readonly<Record<string, Usage>>;
}

/** Releases a hold; a second time does nothing (W7). */
export type ReleaseHold = () => Promise<void>;

/** How a turn ended (S1), with its text whole: the final response, or the reason and what had been said. */
export interface TurnOutcome {
  readonly kind: OutcomeKind;
  readonly path: AgentPath;
  readonly turn: number;
  readonly text: string;
  /** Why it did not complete. */
  readonly reason?: string;
  /** The final response had ill-formed Unicode, which was made well-formed (S6). */
  readonly repaired?: true;
}

/** One entry of an agent's transcript, with its text whole (M6). */
export interface TranscriptItem {
  readonly kind:
    | "task"
    | "mail"
    | "sent"
    | "sample"
    | "response"
    | "recorded"
    | "spawned"
    | "waited"
    | "interrupted"
    | "yielded"
    | "notice"
    | "asked"
    | "cut";
  readonly at: Point;
  readonly turn: number;
  readonly text: string;
  /** The record's type (`mail`). */
  readonly type?: MailType;
  /** Who wrote it (`mail`, `task`). */
  readonly from?: Sender;
  /** To whom it went (`sent`), or whom it made (`spawned`). */
  readonly to?: AgentPath;
  readonly outcome?: OutcomeKind;
  /**
   * Retention has cut it, and the text is empty: of one entry, or, as kind `cut`, of that many at the beginning (S6).
   */
  readonly cut?: number;
  /** The host's own data (`recorded`), or a sample's result that is no text. */
  readonly data?: Json;
}

/** An agent's transcript, read from the log when asked: it may be far larger than memory. */
export interface Transcript {
  /** How many entries it has. */
  readonly length: number;
  /** Entries `from` to `to` (exclusive), all of them unless given; negative numbers count from the end. */
  read(from?: number, to?: number): Promise<readonly TranscriptItem[]>;
}

/** What a sample is given at its boundary (M5, M6). */
export interface SampleInput {
  /** The turn's task, if it has one. */
  readonly task: Task | undefined;
  /** The mail that this boundary delivers, oldest first; it is in the transcript too. */
  readonly mail: readonly MailRecord[];
  readonly transcript: Transcript;
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
  /** Reports what this sample uses: tokens, cost; several reports are added up (X3). */
  readonly usage: (used: Usage) => void;
}

/** Why a wait ended, and what is unread now, by type and sender; never its text (V2). */
export interface WaitAnswer {
  readonly why: WaitEnd;
  readonly unread: readonly MailCount[];
}

/** The success of a send: empty but in one case (M7). */
export interface SendAnswer {
  /** Capacity alone keeps the idle recipient from starting: it starts when a slot frees. */
  readonly startsWhenSlotFrees?: true;
}

/** What an interrupt met (I2-I4). */
export interface InterruptAnswer {
  readonly path: AgentPath;
  readonly found: InterruptFound;
}

/** What a new agent is made of (T3). */
export interface SpawnOptions<Name extends string = string> {
  /** One segment of `a-z 0-9 _`, below the caller (A1). */
  readonly name: string;
  readonly behavior: Name;
  readonly task: string;
  /** `delegator` unless given (A7). */
  readonly role?: Role;
}

/** A host's spawn: below `/root` unless a parent is given (A3). */
export interface HostSpawnOptions<Name extends string> extends SpawnOptions<Name> {
  readonly parent?: string;
}

/** A command that runs on while its turn works (S5). */
export interface ExecutionOptions {
  /** What runs, for people and for the transcript. */
  readonly command: string;
  /**
   * Does the work. What it returns, or else what it printed, becomes EXECUTION mail to the agent itself.
   * When `signal` aborts it should end; what it had printed counts.
   */
  readonly run: (io: {
    readonly signal: AbortSignal;
    readonly print: (text: string) => void;
  }) => Promise<string | void>;
}

/** A live turn, as its behaviour holds it. Once the turn has begun to settle, every call is refused (T1). */
export interface Turn<Name extends string = string> {
  readonly path: AgentPath;
  /** How many turns this agent has had, this one included. */
  readonly number: number;
  readonly task: Task | undefined;
  /** Aborts when the turn is interrupted or the session ends. */
  readonly signal: AbortSignal;
  /**
   * One sample: takes all unread mail, then calls `take` once (M5). Its value goes into the transcript as text or JSON.
   * @throws Refused `turn-busy`, `turn-over`; whatever `take` throws
   */
  sample<T>(take: (input: SampleInput) => Promise<T> | T): Promise<T>;
  /** Adds text that the open sample has produced so far; an interrupt's RESULT carries it (S1). */
  partial(text: string): Promise<void>;
  /** SendMessage (M1, M3, M7): resolves when the mail is durable. */
  send(target: string, text: string): Promise<SendAnswer>;
  /**
   * A message that wakes nobody, with a copy for the recipient's parent where that is verified, unless this agent is that
   * parent (O1-O6). The same as `session.sendPeerMessage`, with this agent as the sender.
   */
  sendPeerMessage(
    target: string,
    text: string,
    options?: PeerMessageOptions,
  ): Promise<PeerMessageResult>;
  /** WaitAgent (V1): until there is unread mail, or the time is up, 30 s unless given (V3). */
  wait(options?: { readonly timeoutMs?: number | string }): Promise<WaitAnswer>;
  /** This turn's own jobs, in a session of the preset `jobs` (J1-J6). */
  readonly jobs: Jobs;
  /** Spawns a child and starts its first turn (T3). Refused at capacity. */
  spawn(options: SpawnOptions<Name>): Promise<AgentPath>;
  /** Stops another agent (I1). */
  interrupt(target: string, reason?: string): Promise<InterruptAnswer>;
  /** Everybody who can be addressed, sorted by path (A8). */
  list(): Promise<readonly AgentInfo[]>;
  /** Lets a command run on; its number among this agent's executions (S5). */
  yieldExecution(options: ExecutionOptions): Promise<number>;
  /** Adds an entry of the host's own to the transcript (M6). */
  record(entry: Json): Promise<void>;
  /** Whether this turn may change nothing, now: Plan, or stamped mail or task (P1, P2). It can change while the turn runs. */
  readonly readOnly: boolean;
  /** Asks the person, or for an approval; the host answers with `session.answer` (T1). */
  ask(question: string): Promise<string>;
  /**
   * Takes a child's next RESULT through a handler: nobody is woken by it, and it is not delivered, unless the handler
   * fails (S7). Resolves when the handler is registered; one a child.
   */
  takeResult(child: string, handler: (result: TakenResult) => Promise<void> | void): Promise<void>;
  /**
   * Makes a call of the behaviour's own, and answers with what it answers; nothing of it is recorded. Under `dovecote/fuzz`
   * the moment in which it answers is a step with this name, so that races with it are found.
   *
   * @throws Refused `turn-over` (T1); whatever `call` throws
   * @example const page = await turn.effect("fetch", () => fetchPage(url, turn.signal));
   */
  effect<T>(name: string, call: () => Promise<T> | T): Promise<T>;
  /** Any retained agent's transcript; a delegator's right (A7). */
  history(target: string): Transcript;
  /** How any retained agent's newest turn ended; a delegator's right (A7). */
  result(target: string): Promise<TurnOutcome | undefined>;
}

/** What an agent does with a turn. What it returns is the final response; what it throws, the reason (S1). */
export type Behavior<Name extends string = string> = (
  turn: Turn<Name>,
) => Promise<string | void> | string | void;

/** A line of a listing (A8). */
export interface AgentInfo {
  readonly path: AgentPath;
  readonly generation: number;
  readonly phase: "idle" | "running" | "waiting" | "settling";
  /** A start of it is being prepared (T2). */
  readonly preparing: boolean;
  /** It is to be woken once idle and a slot is free (W1). */
  readonly marked: boolean;
  readonly unread: number;
  readonly role: Role;
  readonly behavior: string;
  readonly turns: number;
  readonly lastOutcome?: OutcomeKind;
  /** What blocks its live turn: the newest of them (T1). */
  readonly blocked?: Blocked;
  /** The turn that runs may change nothing (P1, P2). */
  readonly readOnly: boolean;
}

/** What a start is prepared for (T2). */
export interface Preparation {
  readonly path: AgentPath;
  readonly behavior: string;
  readonly start: "spawn" | "wake" | "assignment" | "prompt";
  /** Aborts when the reservation is released or its time is up. */
  readonly signal: AbortSignal;
}

/** What opening a session found and did (R1, R2). */
export interface Opening {
  /** 1 for a new session. */
  readonly run: number;
  /** Turns that had been live when the last process died, settled now as interrupted. */
  readonly recovered: readonly { readonly path: AgentPath; readonly turn: number }[];
  /** Unread records in all mailboxes. */
  readonly unread: number;
}

/** What still goes on in a quiet session: listed, not awaited (Q2). */
export interface Quiet {
  readonly running: readonly AgentPath[];
  readonly waiting: readonly AgentPath[];
}
