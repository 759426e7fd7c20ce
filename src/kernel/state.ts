/**
 * The two states of a session (design: durable = the fold of the log, volatile = what one run alone knows).
 * Both are persistent values; payloads stay out of them, they hold order points instead.
 */
import type {
  AgentRef,
  MailType,
  OutcomeKind,
  Role,
  Sender,
  StartKind,
  TurnRef,
} from "../events/events.js";
import type { Point } from "../events/point.js";
import type { AgentPath } from "../paths.js";
import { type PersistentMap, type Row, emptyMap, emptyRow } from "./persistent.js";
import type { Phase } from "./phases.js";
import type { PresetName } from "./presets.js";

/** An accepted record that no sample has taken yet. `at` is its place in the queue, `textAt` the event with its text. */
export interface Unread {
  readonly at: Point;
  readonly textAt: Point;
  readonly mail: MailType;
  readonly from: Sender;
  /** UTF-16 code units of the inline text; 0 where the text is a settlement's. */
  readonly size: number;
  /** The owner's number of the execution this reports (EXECUTION only). */
  readonly execution: number | null;
  /** A handler has it: kept from delivery, waits and marks until it is consumed or returned (S7). */
  readonly withheld: boolean;
  /** Why a handler gave it back (S7). */
  readonly warning: string | null;
}

/** Something that a turn waits for from outside: an approval, a question to the person (T1). */
export interface Blocker {
  readonly token: number;
  readonly label: string;
  readonly since: Point;
}

/** A turn that has begun to settle. */
export interface Settling {
  readonly outcome: OutcomeKind;
  readonly began: Point;
  /** How many tries at it have failed (S3). */
  readonly failures: number;
  /** Between two tries: starts and other settlements go on (W3). */
  readonly paused: boolean;
}

/** The live turn of an agent. */
export interface Turn {
  readonly turn: number;
  readonly start: StartKind;
  readonly started: Point;
  /** The event that holds the task's text; `null` for a wake. */
  readonly task: Point | null;
  /** The newest event that the behaviour has been told of: what its calls are caused by. */
  readonly told: Point;
  /** Counter over samples, waits and settlement tries (T1). */
  readonly attempts: number;
  /** The attempt of the open sample or wait. */
  readonly open: number | null;
  /** The newest sample that ended with a result. */
  readonly lastResult: Point | null;
  /** Text of samples that have not ended. */
  readonly partials: Row<Point>;
  /** Executions that still run, by number. */
  readonly executions: PersistentMap<`${number}`, number>;
  /** What it is blocked by, oldest first. */
  readonly blockers: readonly Blocker[];
  /** It waits, or last waited, for an end of its own jobs and nothing else (J1). */
  readonly forJobs: boolean;
  /** Where its behaviour was last called again for late mail (J6). */
  readonly extended: Point | null;
  /** How many blockers it has had. */
  readonly blocked: number;
  /** Its RESULT marks nobody: it ends with its whole subtree (I6, A5). */
  readonly muted: boolean;
  readonly settling: Settling | null;
}

/** The newest settled turn of an agent. */
export interface Settled {
  readonly turn: number;
  readonly outcome: OutcomeKind;
  /** The `settlement.began` that holds the payload. */
  readonly began: Point;
  /** The `turn.settled`: it names the cause where ending the turn failed (S3). */
  readonly settled: Point;
}

/** A retained identity. */
export interface Agent {
  readonly path: AgentPath;
  readonly gen: number;
  /** The spawn parent, who gets its RESULTs (S1); `null` for the root. */
  readonly parent: AgentRef | null;
  readonly behavior: string;
  readonly role: Role;
  /** Its number, where it is a job (J1). */
  readonly job: number | null;
  readonly phase: Phase;
  /** How many turns have started. */
  readonly turns: number;
  readonly turn: Turn | null;
  /** How many executions have been yielded. */
  readonly executions: number;
  readonly unread: Row<Unread>;
  readonly last: Settled | null;
}

/** What is remembered of an identity that has ended (A5). */
export interface Retired {
  readonly gen: number;
  /** Its spawn parent. */
  readonly parent: AgentRef;
  /** How much MAIL stands in its queue, where nobody reads it. */
  readonly expired: number;
}

/** The fold of the log. */
export interface Durable {
  readonly id: string;
  /** The way of working that the session was made with (section 12). */
  readonly preset: PresetName;
  readonly capacity: number;
  /** How often the session has been opened. */
  readonly run: number;
  /** The sticky read-only switch (P1). */
  readonly plan: boolean;
  readonly agents: PersistentMap<AgentPath, Agent>;
  /** The newest generation of paths whose agents have been ended (A5). */
  readonly retired: PersistentMap<AgentPath, Retired>;
  /** All jobs there have been, by number: ids are never used twice (J1). */
  readonly jobs: PersistentMap<`${number}`, AgentRef>;
  /** Tops of subtrees that are being ended (A5). */
  readonly endings: readonly AgentPath[];
  /** How many turns have started in all (X2). */
  readonly turns: number;
  /** Turns of non-root agents that are running, waiting or settling: each holds a slot (W6). */
  readonly active: number;
  /** Agents that are settling, in the order they began. */
  readonly settling: Row<AgentPath>;
  /** The one whose settlement runs (W3). */
  readonly trying: AgentPath | null;
}

/** A slot taken for a start that is not yet a turn (T2). */
export interface Reservation extends AgentRef {
  readonly reservation: number;
  readonly start: StartKind;
  readonly behavior: string;
  readonly role: Role;
  /** The `start.reserved` event: it holds the task, if there is one. */
  readonly at: Point;
  readonly task: Point | null;
  readonly from: Sender | null;
  readonly by: TurnRef | null;
  /** Its task came under Plan, or from a read-only turn (P2). */
  readonly stamped: boolean;
  /** The mark that it took (T4). */
  readonly mark: Point | null;
  /** Prepared: it starts as soon as no settlement runs (T7). */
  readonly ready: boolean;
}

/** A handler that waits for a child's RESULT, or works on it (S7). */
export interface Handler {
  /** The awaiting turn. */
  readonly turn: TurnRef;
  readonly child: AgentRef;
  /** The RESULT it has been given. */
  readonly record: Point | null;
}

/** A hold on the root queue, counted per name (W7). */
export interface Hold {
  readonly name: string;
  readonly count: number;
}

/** What belongs to one run of the session and is gone with it (W9). */
export interface Volatile {
  /** The order point of the mail that marked each marked agent (W1). */
  readonly marks: PersistentMap<AgentPath, Point>;
  /** Marks in order, oldest first. An entry that `marks` no longer confirms is stale and passed over. */
  readonly markOrder: Row<{ readonly path: AgentPath; readonly record: Point }>;
  readonly reservations: readonly Reservation[];
  /** How many reservations this run has made. */
  readonly reserved: number;
  /** INPUT of this run that no turn has read yet: it starts an idle root (W8, W9). */
  readonly inputs: readonly Point[];
  /** Notices of the host that the root has not been given, oldest first (W7). */
  readonly notices: Row<Point>;
  readonly holds: readonly Hold[];
  readonly handlers: readonly Handler[];
  /** Stamped records that are unread, per recipient (P2). */
  readonly stamps: PersistentMap<AgentPath, readonly Point[]>;
  /** Agents whose live turn is read-only whatever the switch says (P2). */
  readonly readOnly: readonly AgentPath[];
  /** Wakes in a row since the person last wrote (X2). */
  readonly wakes: number;
  /** The limit on wakes has been reached and recorded (X2). */
  readonly limited: boolean;
  readonly closing: boolean;
  readonly closed: boolean;
}

/** What the embedding program brings: fixed for a run, known before its first input. */
export interface Host {
  /** Names of the behaviours that can be started. */
  readonly behaviors: ReadonlySet<string>;
  /** Whether starts are prepared by a hook (T2). */
  readonly prepares: boolean;
  readonly prepareTimeoutMs: number;
  /** Whether settlements run finalisers (S3). */
  readonly finalises: boolean;
  /** How long one settlement try, or one handler, may take, in milliseconds (S3, S7). */
  readonly settleTimeoutMs: number;
  /** How long a turn may take, in milliseconds (X1). */
  readonly turnTimeoutMs: number | null;
  readonly limits: Limits;
}

/** Bounds of a session; `null` is none (X2). */
export interface Limits {
  /** Turns in all. */
  readonly turns: number | null;
  /** Retained agents, the root apart. */
  readonly agents: number | null;
  /** Wakes in a row without the person. */
  readonly wakes: number | null;
  /** Unread MAIL of one recipient. */
  readonly unread: number | null;
}

/** The bounds that hold unless others are given (X2). */
export const DEFAULT_LIMITS: Limits = { turns: null, agents: null, wakes: null, unread: 10_000 };

/** What a host brings that gives nothing but behaviours: the defaults of T2, S3, X1 and X2. */
export function plainHost(behaviors: Iterable<string>, given: Partial<Host> = {}): Host {
  return {
    behaviors: new Set(behaviors),
    prepares: false,
    prepareTimeoutMs: 30_000,
    finalises: false,
    settleTimeoutMs: 30_000,
    turnTimeoutMs: null,
    limits: DEFAULT_LIMITS,
    ...given,
  };
}

/** All that a decision looks at. */
export interface State {
  readonly host: Host;
  readonly durable: Durable;
  readonly volatile: Volatile;
  /** Where the next event will stand. */
  readonly next: Point;
}

/** The volatile state at the start of every run. */
export const FRESH_VOLATILE: Volatile = {
  marks: emptyMap(),
  markOrder: emptyRow(),
  reservations: [],
  reserved: 0,
  inputs: [],
  notices: emptyRow(),
  holds: [],
  handlers: [],
  stamps: emptyMap(),
  readOnly: [],
  wakes: 0,
  limited: false,
  closing: false,
  closed: false,
};

/** The durable state before the first event. */
export const EMPTY_DURABLE: Durable = {
  id: "",
  preset: "tree",
  capacity: 0,
  run: 0,
  plan: false,
  agents: emptyMap(),
  retired: emptyMap(),
  jobs: emptyMap(),
  endings: [],
  turns: 0,
  active: 0,
  settling: emptyRow(),
  trying: null,
};

/** The state of a session whose log is empty. */
export function emptyState(host: Host): State {
  return { host, durable: EMPTY_DURABLE, volatile: FRESH_VOLATILE, next: [1, 0] };
}
