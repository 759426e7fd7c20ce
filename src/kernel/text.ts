/**
 * What counts as text, and how large it is once written. Pure functions over strings.
 */
import { type Verdict, reject } from "./verdict.js";

/** The largest command, in bytes of UTF-8 as JSON writes it (L2). */
export const MAX_COMMAND_BYTES = 64 * 1024 * 1024;

/** Refuses what is no plain text (M1); `null` when it is. */
export function textFault(text: unknown, what: string): Verdict<never> | null {
  if (typeof text !== "string") {
    return reject(
      "text-not-a-string",
      "M1",
      `The ${what} is not a string. Send plain text; put data in a file and refer to it.`,
    );
  }
  if (text.trim() === "") {
    return reject("text-empty", "M1", `The ${what} is empty or only white space. Say something.`);
  }
  if (!text.isWellFormed()) {
    return reject(
      "text-ill-formed",
      "M1",
      `The ${what} has a lone surrogate, so it is not well-formed Unicode. Use text.toWellFormed().`,
    );
  }
  if (isTooLarge(text)) {
    return reject(
      "too-large",
      "L2",
      `The ${what} takes more than 64 MiB in the log. Put it in a file and refer to it.`,
    );
  }
  return null;
}

/** Whether a text would take more than {@link MAX_COMMAND_BYTES} in the log. */
export function isTooLarge(text: string): boolean {
  // A code unit takes at most six bytes (`\\u0000`), so most texts need no count.
  if (text.length * 6 <= MAX_COMMAND_BYTES) return false;
  let bytes = 0;
  for (let i = 0; i < text.length && bytes <= MAX_COMMAND_BYTES; i++)
    bytes += bytesOf(text.charCodeAt(i));
  return bytes > MAX_COMMAND_BYTES;
}

/** `\b \t \n \f \r`: the control characters that JSON writes in two bytes. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

function bytesOf(unit: number): number {
  if (unit < 0x20) return SHORT_ESCAPES.has(unit) ? 2 : 6;
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  // Half of a surrogate pair: four bytes for the two.
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
}
