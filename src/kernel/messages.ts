/**
 * The texts of the operation layer: how long they may be, how a copy is marked, what their ids are (O1, O3, O4).
 */
import type { OperationPlanned, Recipient } from "../events/operations.js";
import type { AgentRef } from "../events/refs.js";
import { policiesOf } from "./presets.js";

/** The longest body, and the longest copy with its marker, in bytes of UTF-8 (O4). */
export const MAX_MESSAGE_BYTES = policiesOf("peer").admission.bytes ?? Infinity;

/** The ids of an operation's two messages; no other session's operation has the same (O1). */
export function messageIds(
  session: string,
  operation: string,
): Readonly<Record<Recipient, string>> {
  const start = `${encodeURIComponent(session)}/${encodeURIComponent(operation)}`;
  return { child: `${start}/child`, parent: `${start}/parent` };
}

/** What a copy begins with: whom the original went to (O3). */
export function copyMarker({ path, gen }: AgentRef): string {
  return `[copy of a message to ${path}, generation ${gen}]\n`;
}

/** The text that a recipient gets: the body as it is, after the marker where it is a copy (O3, O4). */
export function messageText(plan: OperationPlanned, recipient: Recipient): string {
  return recipient === "child" ? plan.text : copyMarker(plan.child) + plan.text;
}

/** How many bytes a well-formed text takes as UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    // Half of a surrogate pair: four bytes for the two.
    else bytes += unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
  }
  return bytes;
}
