/**
 * The events of the operation layer: a message to an agent with a copy for its parent, planned, attempted and settled
 * for each recipient (O1, O5). They say what was done; whether it may be done is decided elsewhere.
 */
import type { Point } from "./point.js";
import type { AgentRef, Event, Sender, TurnRef } from "./refs.js";

/** The two that an operation can reach: the original recipient, and its direct parent (O3). */
export type Recipient = "child" | "parent";

/** What the two sources say of an agent's parent (O2). A source that is silent is left out; `null` says that there is none. */
export interface ParentEvidence {
  readonly answer: "verified" | "absent" | "uncertain" | "conflict";
  /** What the session's own record names. */
  readonly session?: AgentRef | null;
  /** What the host's adapter reported. */
  readonly host?: AgentRef | null;
  /** Why the adapter's report counts for nothing: late, too large, malformed, failed. */
  readonly unusable?: string;
}

/** Everything about a message was fixed, and nothing was sent yet (O1). It holds the body; what follows points here. */
export type OperationPlanned = Event<
  "operation.planned",
  {
    readonly operation: string;
    readonly from: Sender;
    /** The sending turn; absent for the host. */
    readonly by?: TurnRef;
    readonly text: string;
    readonly child: AgentRef;
    /** Where a copy goes, if the parent is verified. */
    readonly parent?: AgentRef;
    readonly evidence: ParentEvidence;
    /** The ids of the two messages. */
    readonly messages: Readonly<Record<Recipient, string>>;
    /** Ended agents are refused (O4). */
    readonly requireLive?: true;
    /** It was planned under Plan, or by a read-only turn (P2). */
    readonly stamped?: true;
  }
>;

/** The start marker of one recipient: from here on its message may have been appended (O5). */
export type OperationAttempted = Event<
  "operation.attempted",
  { readonly operation: string; readonly plan: Point; readonly recipient: Recipient }
>;

/** How an operation ended for one recipient. `replayed`: its message was found, and not appended again (O5). */
export type RecipientEnd = "published" | "replayed" | "refused" | "skipped" | "unknown";

/** One recipient is done with, for good: it is not sent to again (O5). */
export type OperationResulted = Event<
  "operation.resulted",
  {
    readonly operation: string;
    readonly plan: Point;
    readonly recipient: Recipient;
    readonly end: RecipientEnd;
    /** The recipient, where the message is known to be in its inbox (O6). */
    readonly to?: AgentRef;
    /** The sending turn, whose transcript names whom it reached (O6). */
    readonly by?: TurnRef;
    /** Why it was refused, skipped or can't be told: a code, the rule, and words. */
    readonly code?: string;
    readonly rule?: string;
    readonly reason?: string;
  }
>;
