/**
 * What can happen in a session: the union of all events, in the past tense.
 * An event says what changed and what caused it; it never copies what an earlier event holds (L9),
 * it points there. Nothing here decides anything.
 */
import type { OperationAttempted, OperationPlanned, OperationResulted } from "./operations.js";
import type { Point } from "./point.js";
import type { AgentRef, AttemptRef, Event, Sender, TurnRef } from "./refs.js";

export type { AgentRef, AttemptRef, Cause, Sender, TurnRef } from "./refs.js";

/** The kinds of mail (M2). */
export type MailType = "MAIL" | "RESULT" | "EXECUTION" | "INPUT";

/** How a turn ended (S1). */
export type OutcomeKind = "completed" | "errored" | "interrupted";

/** What an agent may do (A7). */
export type Role = "delegator" | "communicator";

/** Why a turn started (W2). */
export type StartKind = "spawn" | "wake" | "assignment" | "prompt";

/** Text of an event, or the earlier event that holds it. */
export type TextSource = { readonly text: string } | { readonly at: Point };

/** Data that JSON can carry: the host's own transcript entries and sample results. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/**
 * What a settled turn says to its parent (S1). `completed` has the final response, the others a short reason;
 * `partial` names the events whose text, joined, is the useful part of what had been said.
 * `repaired` says that ill-formed text was made well-formed (S6).
 */
export interface Outcome {
  readonly kind: OutcomeKind;
  readonly response?: TextSource;
  readonly reason?: string;
  readonly partial?: readonly Point[];
  readonly repaired?: true;
}

/** How many unread records of one type one sender had when a wait ended (V2). */
export interface MailCount {
  readonly mail: MailType;
  readonly from: Sender;
  readonly count: number;
}

/** What a sample used, by kind: tokens, cost, whatever the host counts (X3). */
export type Usage = Readonly<Record<string, number>>;

/** Why a wait ended (V1, V5). */
export type WaitEnd = "mail" | "input" | "timeout" | "interrupted" | "settled";

/** What an interrupt met (I2-I4). */
export type InterruptFound = "idle" | "preparing" | "active" | "settling";

/** Where a session was forked from: another session's log, up to and with an event, and what was changed from there on. */
export interface ForkedFrom {
  readonly session: string;
  readonly at: Point;
  /** Hash of the commit that holds that event; `""` where the parent was on no log. */
  readonly hash: string;
  /** The changes, in words. */
  readonly changes: readonly string[];
}
/** The session was made, with its capacity (W6). Heads the first commit. A fork names its parent. */
export type SessionCreated = Event<
  "session.created",
  {
    readonly id: string;
    readonly capacity: number;
    /** The way of working, where it is not `tree` (section 12). */
    readonly preset?: "jobs" | "peer";
    readonly parent?: ForkedFrom;
  }
>;
/** A run of the session began. Heads that run's first commit, never written alone (R2). */
export type SessionOpened = Event<"session.opened", { readonly run: number }>;
/** Turns that had been live when the process died were settled (R2). */
export type SessionRecovered = Event<
  "session.recovered",
  { readonly turns: number; readonly unread: number }
>;
/** The host asked the run to end: nothing starts any more (L8). */
export type SessionClosing = Event<"session.closing", { readonly run: number }>;
/** The run ended in good order (L8). */
export type SessionClosed = Event<"session.closed", { readonly run: number }>;
/** The capacity became another (W6). */
export type CapacityChanged = Event<
  "capacity.changed",
  { readonly from: number; readonly to: number }
>;

/** An identity came into being; `by` is the turn that asked, absent for the host (T3). */
export type AgentSpawned = Event<
  "agent.spawned",
  AgentRef & {
    readonly behavior: string;
    readonly role: Role;
    readonly by?: TurnRef;
    /** Its number, where it is a job (J1). */
    readonly job?: number;
  }
>;
/** The host asked to end an agent and all below it (A5). From here on nothing of it starts. */
export type AgentEnding = Event<"agent.ending", AgentRef>;
/** Ended agents are retained no more; their paths may be used again, by the next generation (A5). */
export type AgentRetired = Event<
  "agent.retired",
  AgentRef & { readonly members: readonly AgentRef[] }
>;
/** Plan, the read-only switch, was turned (P1). */
export type PlanSwitched = Event<"plan.switched", { readonly on: boolean }>;
/** An interrupt was asked for (I1-I4). `turn` is the live turn, if any; its RESULT marks nobody where `muted` (I6). */
export type AgentInterrupted = Event<
  "agent.interrupted",
  AgentRef & {
    readonly found: InterruptFound;
    readonly reason: string;
    readonly turn?: number;
    readonly by?: TurnRef;
    readonly muted?: true;
  }
>;

/** A slot was reserved for a start that is being prepared, or waits for a settlement to end (T2, T7). */
export type StartReserved = Event<
  "start.reserved",
  AgentRef & {
    readonly start: StartKind;
    readonly reservation: number;
    readonly behavior: string;
    readonly role: Role;
    readonly task?: TextSource;
    readonly from?: Sender;
    readonly by?: TurnRef;
    readonly stamped?: true;
    /** The mark that the reservation took (T4). */
    readonly mark?: Point;
  }
>;
/** The person's INPUT took over a root start that was being prepared (W8). */
export type StartClaimed = Event<
  "start.claimed",
  AgentRef & { readonly reservation: number; readonly input: Point }
>;
/** The host's preparation of a start is done (T2). */
export type StartPrepared = Event<"start.prepared", AgentRef & { readonly reservation: number }>;
/** A reservation was given up before its start; `failed` when its preparation failed or ran out of time (T4). */
export type StartReleased = Event<
  "start.released",
  AgentRef & {
    readonly reservation: number;
    readonly why:
      | "failed"
      | "timeout"
      | "interrupted"
      | "spawner settled"
      | "held"
      | "ended"
      | "closed";
    readonly reason?: string;
  }
>;

/** A turn started. Its task, if it has one, is here, in its reservation, or in the INPUT that it reads (W8). */
export type TurnStarted = Event<
  "turn.started",
  TurnRef & {
    readonly start: StartKind;
    readonly reservation?: number;
    readonly task?: TextSource;
    readonly from?: Sender;
    readonly stamped?: true;
  }
>;
/** A turn had its answer, but not all of its mail: its behaviour is called again (J6). `response` is that answer. */
export type TurnExtended = Event<"turn.extended", TurnRef & { readonly response: TextSource }>;
/** A turn ended: its agent is idle, its slot free (S2). */
export type TurnSettled = Event<
  "turn.settled",
  TurnRef & {
    readonly outcome: OutcomeKind;
    /** Why ending the turn failed for good: it then counts as errored, its response stays readable (S3). */
    readonly failed?: string;
  }
>;

/** A sample began: the boundary is past (M5). */
export type SampleBegan = Event<"sample.began", AttemptRef>;
/** A sample ended, with its result or the reason it failed. */
export type SampleEnded = Event<
  "sample.ended",
  AttemptRef & {
    readonly result?: Json;
    readonly opaque?: true;
    readonly failed?: string;
    readonly usage?: Usage;
  }
>;
/** A piece of text that an open sample has produced so far. */
export type PartialRecorded = Event<"partial.recorded", AttemptRef & { readonly text: string }>;
/** An entry of the host's own in an agent's transcript (M6). */
export type TranscriptRecorded = Event<"transcript.recorded", TurnRef & { readonly entry: Json }>;

/**
 * A record was accepted for `path` (M3). Its text is here or at `source`: a RESULT's is the outcome of the
 * `settlement.began` it points to.
 */
export type MailQueued = Event<
  "mail.queued",
  AgentRef & {
    readonly mail: MailType;
    readonly from: Sender;
    readonly text?: string;
    readonly source?: Point;
    readonly outcome?: OutcomeKind;
    readonly execution?: number;
    readonly by?: TurnRef;
    /** Sent under Plan, or by a read-only turn (P2). */
    readonly stamped?: true;
    /** Kept for a handler (S7). */
    readonly withheld?: true;
    /** Why ending the turn that a RESULT reports failed for good (S3). */
    readonly failed?: string;
    /** Its id in the operation layer: it marks nobody, and its text is its plan's, at `source` (O1, O6). */
    readonly message?: string;
    /** The original recipient, where this is the copy for its parent (O3). */
    readonly copyOf?: AgentRef;
  }
>;
/** A boundary took unread records, oldest first, into the sample it names; attempt 0 takes a turn's INPUT as its task (M5, W8). */
export type MailDelivered = Event<
  "mail.delivered",
  AttemptRef & { readonly records: readonly Point[] }
>;
/** An unread EXECUTION went to the spawn parent when its owner settled (S5). It takes this event's point. */
export type MailMoved = Event<
  "mail.moved",
  AgentRef & { readonly record: Point; readonly from: AgentRef }
>;

/** A handler has dealt with a RESULT: it wakes nobody and is given to nobody (S7). */
export type MailConsumed = Event<"mail.consumed", AgentRef & { readonly record: Point }>;
/** A withheld RESULT became ordinary unread mail, in its old place, with a warning (S7). */
export type MailReturned = Event<
  "mail.returned",
  AgentRef & { readonly record: Point; readonly warning: string }
>;
/** A turn will take a child's RESULT through a handler (S7). */
export type HandlerRegistered = Event<"handler.registered", TurnRef & { readonly child: AgentRef }>;

/** A notice of the host's for the root was queued (W7). */
export type NoticeQueued = Event<"notice.queued", AgentRef & { readonly text: string }>;
/** A boundary of the root took notices (W7). */
export type NoticeDelivered = Event<
  "notice.delivered",
  AttemptRef & { readonly notices: readonly Point[] }
>;
/** A hold stops the root queue (W7). */
export type HoldTaken = Event<"hold.taken", { readonly name: string }>;
/** A hold was released (W7). */
export type HoldReleased = Event<"hold.released", { readonly name: string }>;
/** The limit on wakes in a row kept an agent from starting; its mark stays (X2). */
export type WakeLimited = Event<"wake.limited", AgentRef & { readonly limit: number }>;

/** A turn is blocked: by an approval, a question to the person (T1). */
export type BlockerAdded = Event<
  "blocker.added",
  TurnRef & { readonly token: number; readonly label: string }
>;
/** A blocker went, with its answer where there is one. `left` are those that remain. */
export type BlockerReleased = Event<
  "blocker.released",
  TurnRef & { readonly token: number; readonly left: number; readonly answer?: string }
>;

/** Mail marked its recipient: it is to be woken once idle (W1). Carries the point of that mail. */
export type WakeMarked = Event<"wake.marked", AgentRef & { readonly record: Point }>;
/** A mark went (W1, W5, T4, I2). */
export type WakeCleared = Event<
  "wake.cleared",
  AgentRef & { readonly why: "delivered" | "started" | "errored" | "interrupted" | "ended" }
>;

/** A turn began to wait for mail (V1). */
export type WaitBegan = Event<
  "wait.began",
  AttemptRef & { readonly timeoutMs: number; readonly for?: "jobs" }
>;
/** A wait ended; its answer is `why` and `unread`, never text (V2). */
export type WaitEnded = Event<
  "wait.ended",
  AttemptRef & { readonly why: WaitEnd; readonly unread: readonly MailCount[] }
>;

/** A turn let a command run on while it works (S5). */
export type ExecutionYielded = Event<
  "execution.yielded",
  TurnRef & { readonly execution: number; readonly command: string }
>;
/** A yielded command ended by itself, or was stopped; its EXECUTION mail follows (S5). */
export type ExecutionCompleted = Event<
  "execution.completed",
  TurnRef & { readonly execution: number; readonly stopped?: true }
>;

/** A turn reached its end: the outcome is fixed, with its full payload (S2). */
export type SettlementBegan = Event<"settlement.began", TurnRef & { readonly outcome: Outcome }>;
/** One try at ending what the turn owns and running finalisers began (S2, S3). */
export type SettlementAttempted = Event<"settlement.attempted", AttemptRef>;

/** A settlement try failed: nothing is published, and it is tried again, or not (S3). */
export type SettlementFailed = Event<"settlement.failed", AttemptRef & { readonly reason: string }>;

/** The pause after a failed try is over: the settlement may be tried again (S3). */
export type SettlementResumed = Event<"settlement.resumed", TurnRef>;

/** Everything that can stand in a commit. */
export type DovecoteEvent =
  | SessionCreated
  | SessionOpened
  | SessionRecovered
  | SessionClosing
  | SessionClosed
  | CapacityChanged
  | AgentSpawned
  | AgentInterrupted
  | AgentEnding
  | AgentRetired
  | PlanSwitched
  | StartReserved
  | StartPrepared
  | StartReleased
  | StartClaimed
  | TurnStarted
  | TurnExtended
  | TurnSettled
  | SampleBegan
  | SampleEnded
  | PartialRecorded
  | TranscriptRecorded
  | MailQueued
  | MailDelivered
  | MailMoved
  | MailConsumed
  | MailReturned
  | HandlerRegistered
  | NoticeQueued
  | NoticeDelivered
  | HoldTaken
  | HoldReleased
  | WakeLimited
  | BlockerAdded
  | BlockerReleased
  | WakeMarked
  | WakeCleared
  | WaitBegan
  | WaitEnded
  | ExecutionYielded
  | ExecutionCompleted
  | SettlementBegan
  | SettlementAttempted
  | SettlementFailed
  | SettlementResumed
  | OperationPlanned
  | OperationAttempted
  | OperationResulted;

/** The name of an event. */
export type EventType = DovecoteEvent["type"];

/** The event of one name. */
export type EventOf<Type extends EventType> = Extract<DovecoteEvent, { readonly type: Type }>;
