/**
 * What counts as text, and how large it is once written. Pure functions over strings.
 */
import type { Json } from "../events/events.js";
import { type Verdict, reject } from "./verdict.js";

/** The largest command, in bytes of UTF-8 as JSON writes it (L2). */
export const MAX_COMMAND_BYTES = 64 * 1024 * 1024;

/** Refuses what is no plain text (M1); `null` when it is. */
export function textFault(text: unknown, what: string): Verdict<never> | null {
  if (typeof text !== "string") return notText(what);
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
  return isTooLarge(text) ? tooLarge(what) : null;
}

/** Refuses what is no string, or too large; `null` for any other, the empty one too (L2). */
export function sizeFault(text: unknown, what: string): Verdict<never> | null {
  if (typeof text !== "string") return notText(what);
  return isTooLarge(text) ? tooLarge(what) : null;
}

function notText(what: string): Verdict<never> {
  return reject(
    "text-not-a-string",
    "M1",
    `The ${what} is not a string. Send plain text; put data in a file and refer to it.`,
  );
}

/** The refusal of what would take more than {@link MAX_COMMAND_BYTES} in the log (L2). */
export function tooLarge(what: string): Verdict<never> {
  return reject(
    "too-large",
    "L2",
    `The ${what} takes more than 64 MiB in the log. Put it in a file and refer to it.`,
  );
}

/** The longest reason that is kept, in UTF-16 code units: a reason is short (S1). */
const LONGEST_REASON_UNITS = 4_096;

/** A reason as it is kept: well-formed and short, with a count of what was left out (S1). */
export function shortReason(reason: unknown): string {
  const text = typeof reason === "string" ? reason.toWellFormed() : "no reason was given in words";
  if (text.length <= LONGEST_REASON_UNITS) return text;
  const left = text.length - LONGEST_REASON_UNITS;
  return `${text.slice(0, LONGEST_REASON_UNITS).toWellFormed()} [... ${left} more]`;
}

/** What a command printed can't be refused: made well-formed, and cut with a note where it is too large (S5, L2). */
export function fittingText(given: unknown): string {
  const text = typeof given === "string" ? given.toWellFormed() : "";
  if (!isTooLarge(text)) return text;
  // Leaves room for the note.
  const units = unitsWithin(text, MAX_COMMAND_BYTES - 256);
  return `${text.slice(0, units).toWellFormed()}\n[... cut: it took more than 64 MiB in the log (L2) ...]`;
}

/** Whether a text would take more than {@link MAX_COMMAND_BYTES} in the log. */
export function isTooLarge(text: string): boolean {
  // A code unit takes at most six bytes (`\\u0000`), so most texts need no count.
  if (text.length * 6 <= MAX_COMMAND_BYTES) return false;
  return unitsWithin(text, MAX_COMMAND_BYTES) < text.length;
}

/** How many code units of a text the log writes within so many bytes. */
function unitsWithin(text: string, mostBytes: number): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    bytes += bytesOf(text.charCodeAt(i));
    if (bytes > mostBytes) return i;
  }
  return text.length;
}

/** Whether data would take more than {@link MAX_COMMAND_BYTES} in the log. */
export function isJsonTooLarge(value: Json): boolean {
  // Most data is far from the bound, and needs no count of its characters.
  if (jsonBytes(value, (text) => text.length * 6) <= MAX_COMMAND_BYTES) return false;
  return jsonBytes(value, textBytes) > MAX_COMMAND_BYTES;
}

/** How much data takes in the log. Numbers are counted as their longest. */
function jsonBytes(value: Json, sizeOf: (text: string) => number): number {
  if (typeof value === "string") return sizeOf(value) + 2;
  if (typeof value !== "object" || value === null) return 24;
  let bytes = 2;
  for (const [key, item] of Object.entries<Json>(value)) {
    bytes += (Array.isArray(value) ? 1 : sizeOf(key) + 4) + jsonBytes(item, sizeOf);
  }
  return bytes;
}

function textBytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) bytes += bytesOf(text.charCodeAt(i));
  return bytes;
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
