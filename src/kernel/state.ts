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
}

/** A turn that has begun to settle. */
export interface Settling {
  readonly outcome: OutcomeKind;
  readonly began: Point;
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
  readonly executions: readonly number[];
  readonly settling: Settling | null;
}

/** The newest settled turn of an agent. */
export interface Settled {
  readonly turn: number;
  readonly outcome: OutcomeKind;
  /** The `settlement.began` that holds the payload. */
  readonly began: Point;
}

/** A retained identity. */
export interface Agent {
  readonly path: AgentPath;
  readonly gen: number;
  /** The spawn parent, who gets its RESULTs (S1); `null` for the root. */
  readonly parent: AgentRef | null;
  readonly behavior: string;
  readonly role: Role;
  readonly phase: Phase;
  /** How many turns have started. */
  readonly turns: number;
  readonly turn: Turn | null;
  /** How many executions have been yielded. */
  readonly executions: number;
  readonly unread: Row<Unread>;
  readonly last: Settled | null;
}

/** The fold of the log. */
export interface Durable {
  readonly id: string;
  readonly capacity: number;
  /** How often the session has been opened. */
  readonly run: number;
  readonly agents: PersistentMap<AgentPath, Agent>;
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
  /** Prepared: it starts as soon as no settlement runs (T7). */
  readonly ready: boolean;
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
  closing: false,
  closed: false,
};

/** The durable state before the first event. */
export const EMPTY_DURABLE: Durable = {
  id: "",
  capacity: 0,
  run: 0,
  agents: emptyMap(),
  active: 0,
  settling: emptyRow(),
  trying: null,
};

/** The state of a session whose log is empty. */
export function emptyState(host: Host): State {
  return { host, durable: EMPTY_DURABLE, volatile: FRESH_VOLATILE, next: [1, 0] };
}
