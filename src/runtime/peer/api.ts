/**
 * What users see of the operation layer: messages with a copy for the parent, their receipts, evidence about parents, and
 * the port to inboxes that a host keeps (section 11). Types only.
 */
import type { Sender } from "../../events/refs.js";
import type { AgentPath } from "../../paths.js";

/** One agent for good: its path, and how often that path had been used before (A5). */
export interface AgentIdentity {
  readonly path: AgentPath;
  readonly generation: number;
}

/** What is known of an agent's parent (O2). */
export interface AgentParentReference {
  readonly agent: AgentIdentity;
  /**
   * `verified`: a source names it, and where both speak they agree. `absent`: it has none. `conflict`: the sources
   * disagree. `uncertain`: neither knows, or the host's report is past its bounds.
   */
  readonly answer: "verified" | "absent" | "uncertain" | "conflict";
  /** Who verified it. */
  readonly source?: "session" | "host" | "both";
  /** The verified parent. */
  readonly parent?: AgentIdentity;
  /** Whether that exact generation is the one that mail to its path would reach now. */
  readonly addressable: boolean;
  /** The answer in words. */
  readonly reason: string;
}

/** How a message is sent (O4, O5). */
export interface PeerMessageOptions {
  /**
   * 1 to 256 characters of the caller's choice. Repeating it with the same message sends to nobody twice, also after a
   * crash; with another message it is refused. The library makes one where none is given.
   */
  readonly operationId?: string;
  /** Sends nothing: it needs the plan of `operationId`, and settles what a crash has left open (O5). */
  readonly replayOnly?: boolean;
  /** Refuses agents that have ended, instead of recording the message in their queue (O4). */
  readonly requireLive?: boolean;
}

/** Where a recorded message is: unread, taken by a sample, or in the queue of an agent that has ended. */
export type PeerPlace = "pending" | "delivered" | "expired";

/**
 * What is known of a message (O6). `published`: this call appended it. `duplicate`: this call found it appended by an
 * earlier one that had not come to its end. `unknown`: it can't be told. Else where a message is now that an earlier call
 * recorded. None of them says that anybody took notice.
 */
export type PeerReceipt = "published" | "duplicate" | "unknown" | PeerPlace;

/** How it went for one recipient (O6). */
export interface PeerRecipientResult {
  /** Absent where there is no verified parent. */
  readonly recipient?: AgentIdentity;
  /**
   * `skipped`: there was nobody to copy to, or not safely. `not-attempted`: `replayOnly` leaves it. `unknown`: the message
   * may or may not be in the inbox, and is not sent again.
   */
  readonly outcome: "sent" | "failed" | "skipped" | "unknown" | "not-attempted";
  readonly messageId?: string;
  readonly receipt?: PeerReceipt;
  /** Where the message is now, as far as its inbox says. */
  readonly place?: PeerPlace;
  /** A stable code, where it was not sent. */
  readonly code?: string;
  /** The rule behind it. */
  readonly rule?: string;
  readonly reason?: string;
}

/** Both recipients of a message (O6). */
export interface PeerMessageResult {
  /** Repeats the operation. */
  readonly operationId: string;
  /** The child has it, and so has the parent, or its copy was skipped. A partial failure is a failure. */
  readonly ok: boolean;
  /** The recipients that have the message, and nobody else. */
  readonly sentTo: readonly AgentIdentity[];
  readonly child: PeerRecipientResult;
  readonly parent: PeerRecipientResult;
}

/** One message as an inbox keeps it. */
export interface PeerMessage {
  /** Unique among the messages of all sessions with different ids. */
  readonly id: string;
  /** The operation that it belongs to. */
  readonly operationId: string;
  readonly from: Sender;
  readonly to: AgentIdentity;
  /** What the recipient reads; a copy begins with its marker. */
  readonly text: string;
  /** The original recipient, where this is the copy for its parent. */
  readonly copyOf?: AgentIdentity;
}

/** What became of appending a message. Throw, or reject, when that can't be told. */
export type InboxAppend =
  | { readonly kind: "appended"; readonly place?: PeerPlace }
  /** The same message is there already: nothing was appended. */
  | { readonly kind: "present"; readonly place: PeerPlace }
  /** Another message has its id: nothing was appended. */
  | { readonly kind: "conflict" }
  /** Nothing was appended: the inbox is full, say. */
  | {
      readonly kind: "refused";
      readonly reason: string;
      readonly code?: string;
      readonly rule?: string;
    };

/** What an inbox knows of a message. `pruned`: what it held then is gone, so it can't be told. */
export type InboxLookup =
  | { readonly kind: "found"; readonly message: PeerMessage; readonly place: PeerPlace }
  | { readonly kind: "missing" }
  | { readonly kind: "pruned" };

/** Where the messages of this layer are kept: the session's own log, unless a host brings another place (O6). */
export interface PeerInbox {
  /** Appends a message, once for each id. `signal` aborts when nobody waits any longer. */
  append(message: PeerMessage, signal: AbortSignal): Promise<InboxAppend> | InboxAppend;
  /** Looks a message up by its id, and appends nothing. */
  lookup(to: AgentIdentity, id: string, signal: AbortSignal): Promise<InboxLookup> | InboxLookup;
}

/** What a host knows of an agent's parent: which it is, `null` for none, `undefined` when it knows nothing (O2). */
export type ReportParent = (
  agent: AgentIdentity,
  signal: AbortSignal,
) => Promise<AgentIdentity | null | undefined> | AgentIdentity | null | undefined;

/** What a host brings to the operation layer. */
export interface PeerOptions {
  /** Keeps the messages instead of the session's own log. */
  readonly inbox?: PeerInbox;
  /** The second source about parents; at most 4,096 bytes a report (O2). */
  readonly reportParent?: ReportParent;
  /** How long either may take, in milliseconds: 5,000 unless given. */
  readonly timeoutMs?: number;
}
