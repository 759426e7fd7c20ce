/**
 * What can stand in a transcript (M6). Every entry has its place `at` and, where it has a text, the event that holds it:
 * `textAt` is the task, the message, the result or the reason itself, never a copy.
 */
import type {
  AgentRef,
  InterruptFound,
  MailCount,
  MailType,
  OutcomeKind,
  Sender,
  StartKind,
  WaitEnd,
} from "../events/events.js";
import type { Point } from "../events/point.js";
import type { AgentPath } from "../paths.js";

/** What every entry has: the event that put it there, and the turn it belongs to. */
interface Entry<Kind extends string> {
  readonly kind: Kind;
  readonly at: Point;
  readonly turn: number;
}

/** What a turn was started with. `record` is the INPUT that it took, which is listed here and nowhere else (W8). */
export interface TaskEntry extends Entry<"task"> {
  readonly textAt: Point;
  readonly start: StartKind;
  readonly from: Sender | null;
  readonly record: Point | null;
}

/** One delivered record (M5). `attempt` is the sample that took it. */
export interface MailEntry extends Entry<"mail"> {
  readonly textAt: Point;
  readonly record: Point;
  readonly attempt: number;
  readonly mail: MailType;
  readonly from: Sender;
  readonly outcome: OutcomeKind | null;
}

/** A message that the agent sent. */
export interface SentEntry extends Entry<"sent"> {
  readonly textAt: Point;
  readonly to: AgentPath;
}

/** What a sample gave, or why it failed. */
export interface SampleEntry extends Entry<"sample"> {
  readonly textAt: Point;
  readonly attempt: number;
  readonly failed: boolean;
}

/**
 * How a turn ended (S1): the final response, or the reason with the useful partial text. `sample` says that the
 * response is the result of that sample, which `textAt` then names.
 */
export interface ResponseEntry extends Entry<"response"> {
  readonly textAt: Point;
  readonly outcome: OutcomeKind;
  readonly sample: boolean;
  readonly partial: readonly Point[];
}

/** An entry of the host's own. */
export interface RecordedEntry extends Entry<"recorded"> {
  readonly textAt: Point;
}

/** A child that the agent spawned; `textAt` holds its task. */
export interface SpawnedEntry extends Entry<"spawned"> {
  readonly textAt: Point;
  readonly child: AgentRef;
}

/** A wait, with its answer (V2). */
export interface WaitedEntry extends Entry<"waited"> {
  readonly why: WaitEnd;
  readonly unread: readonly MailCount[];
}

/** An interrupt that the agent asked for (I1). */
export interface InterruptedEntry extends Entry<"interrupted"> {
  readonly textAt: Point;
  readonly target: AgentRef;
  readonly found: InterruptFound;
}

/** A notice of the host's that a boundary of the root took (W7). */
export interface NoticeEntry extends Entry<"notice"> {
  readonly textAt: Point;
}

/** A question to the person, with its answer if it got one (T1); `textAt` holds the answer. */
export interface AskedEntry extends Entry<"asked"> {
  readonly textAt: Point;
  readonly token: number;
}

/** A command that the agent let run on (S5); `textAt` holds it. */
export interface YieldedEntry extends Entry<"yielded"> {
  readonly textAt: Point;
  readonly execution: number;
}

/** Stands for the entries that retention has cut, from the first on; `at` and `turn` are the last one's (S6). */
export interface CutEntry extends Entry<"cut"> {
  readonly count: number;
}

/** Anything that can stand in a transcript. */
export type TranscriptEntry =
  | CutEntry
  | TaskEntry
  | MailEntry
  | SentEntry
  | SampleEntry
  | ResponseEntry
  | RecordedEntry
  | SpawnedEntry
  | WaitedEntry
  | InterruptedEntry
  | NoticeEntry
  | AskedEntry
  | YieldedEntry;
