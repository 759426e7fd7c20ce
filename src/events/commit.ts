/**
 * A commit: the atomic group of events that one append writes (L2).
 */
import type { DovecoteEvent } from "./events.js";

/** The version of the commit layout and of the events in it that this code writes (L4). */
export const FORMAT_VERSION = 1;

/** What the kernel hands to a log: everything but the chain. */
export interface CommitDraft {
  /** Unique; tells after a reopen whether a commit of unknown outcome is there (M3). */
  readonly id: string;
  /** Its position: one more than the head it is appended to. */
  readonly n: number;
  /** Wall-clock time of the append, in milliseconds since 1970. For people; never an order. */
  readonly at: number;
  readonly events: readonly DovecoteEvent[];
  /** Idempotency keys of the requests that this commit carries out, each with what it was answered (M3). */
  readonly keys?: Readonly<Record<string, string>>;
}

/** A commit as a log gives it back, decoded, verified against the chain and upcast. */
export interface Commit extends CommitDraft {
  /** Which holder of the session's lease wrote it (L5). */
  readonly epoch: number;
  /** Hash of the commit before, `""` for the first. */
  readonly prev: string;
  /** Hash of this one, over `prev`, header and body. */
  readonly hash: string;
}
