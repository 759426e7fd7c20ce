/** The hash of the logs: the one place where it meets Node. */
import { hash } from "node:crypto";

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex (L3). */
export function sha256(text: string): string {
  return hash("sha256", text);
}
