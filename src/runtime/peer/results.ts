/**
 * How an operation went, as its caller hears it: one result for each recipient, never more than what is known (O6).
 */
import type { OperationPlanned } from "../../events/operations.js";
import type { OfPlan, RecipientResult } from "../../kernel/command.js";
import { messageText } from "../../kernel/messages.js";
import { Bug } from "../../errors.js";
import type {
  PeerMessage,
  PeerMessageResult,
  PeerPlace,
  PeerReceipt,
  PeerRecipientResult,
} from "./api.js";
import { identityOf, wordsOf } from "./parents.js";

/** The message for one recipient of a plan, as its inbox keeps it (O1). */
export function messageOf({ plan, recipient }: OfPlan): PeerMessage {
  const to = plan[recipient];
  if (to === undefined) throw new Bug(`the operation ${plan.operation} has no ${recipient}`);
  return {
    id: plan.messages[recipient],
    operationId: plan.operation,
    from: plan.from,
    to: identityOf(to),
    text: messageText(plan, recipient),
    ...(recipient === "parent" ? { copyOf: identityOf(plan.child) } : {}),
  };
}

/** Whether an inbox holds just what was planned (O5). */
export function sameMessage(one: PeerMessage, other: PeerMessage): boolean {
  const parts = ({ from, to, text, copyOf }: PeerMessage): readonly unknown[] => [
    from,
    to.path,
    to.generation,
    text,
    copyOf?.path,
    copyOf?.generation,
  ];
  const expected = parts(other);
  return parts(one).every((part, index) => part === expected[index]);
}

/** It has the message. */
export function receiptOf(
  of: OfPlan,
  receipt: PeerReceipt,
  place?: PeerPlace,
): PeerRecipientResult {
  const where = place === undefined ? {} : { place };
  return { ...about(of), outcome: "sent", receipt, ...where };
}

/** What the log says of one recipient that does not have the message, or may not have it. */
export function endOf(
  of: OfPlan,
  { end, code, rule, reason }: RecipientResult,
): PeerRecipientResult {
  const why = {
    ...(code === undefined ? {} : { code }),
    ...(rule === undefined ? {} : { rule }),
    ...(reason === undefined ? {} : { reason }),
  };
  if (end === "unknown") return { ...about(of), outcome: "unknown", receipt: "unknown", ...why };
  return { ...about(of), outcome: end === "skipped" ? "skipped" : "failed", ...why };
}

/** It can't be told whether it has the message: a repeat may tell. */
export function untold(of: OfPlan, reason: string): PeerRecipientResult {
  return endOf(of, { end: "unknown", code: "not-told", rule: "O6", reason });
}

/** The session was closed before this recipient's turn came to its end (L8). */
export function closedFirst(of: OfPlan): PeerRecipientResult {
  return untold(of, "the session was closed first; repeat the operation once it is open again");
}

/** `replayOnly` does not begin to send (O5). */
export function notAttempted(of: OfPlan): PeerRecipientResult {
  const reason = "sending to it had not begun, and a replay appends nothing";
  return { ...about(of), outcome: "not-attempted", code: "replay-only", rule: "O5", reason };
}

/** There is no verified parent, so no copy: a stated skip (O4). */
export function nobodyToCopyTo({ child, evidence }: OperationPlanned): PeerRecipientResult {
  const reason = wordsOf(child, evidence);
  if (evidence.answer === "verified") {
    return { outcome: "skipped", code: "parent-is-sender", rule: "O3", reason };
  }
  return { outcome: "skipped", code: `parent-${evidence.answer}`, rule: "O4", reason };
}

/** The plan itself has been cut from the history: nothing is known, and nothing is sent (O5). */
export function pruned(operationId: string): PeerMessageResult {
  const unknown: PeerRecipientResult = {
    outcome: "unknown",
    receipt: "unknown",
    code: "history-pruned",
    rule: "O5",
    reason: "the plan of the operation has been cut from the history; it is not sent again",
  };
  return { operationId, ok: false, sentTo: [], child: unknown, parent: unknown };
}

/** Both recipients together: a partial failure is a failure (O6). */
export function resultOf(
  plan: OperationPlanned,
  child: PeerRecipientResult,
  parent: PeerRecipientResult,
): PeerMessageResult {
  const ok =
    child.outcome === "sent" && (parent.outcome === "sent" || parent.outcome === "skipped");
  const sentTo = [child, parent].flatMap(({ outcome, recipient }) =>
    outcome === "sent" && recipient !== undefined ? [recipient] : [],
  );
  return { operationId: plan.operation, ok, sentTo, child, parent };
}

function about({ plan, recipient }: OfPlan): Pick<PeerRecipientResult, "recipient" | "messageId"> {
  const to = plan[recipient];
  return {
    messageId: plan.messages[recipient],
    ...(to === undefined ? {} : { recipient: identityOf(to) }),
  };
}
