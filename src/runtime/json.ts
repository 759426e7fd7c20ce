/**
 * Values of users as the log keeps them: text and JSON data whole, anything else as a mark that it was there.
 */
import { Refused } from "../errors.js";
import type { Json } from "../events/events.js";

/** What of a value can be kept; `opaque` says that there was one which JSON can't carry. */
export interface Kept {
  readonly result?: Json;
  readonly opaque?: true;
}

/** Reads a value once, by JSON's own rules; what throws there (a cycle, a bigint) is opaque. */
export function readJson(value: unknown): Kept {
  if (value === undefined) return {};
  if (typeof value === "string") return { result: value.toWellFormed() };
  try {
    const text = JSON.stringify(value);
    return text === undefined ? { opaque: true } : { result: JSON.parse(text) as Json };
  } catch {
    return { opaque: true };
  }
}

/** Refuses an entry that JSON can't carry (M6). */
export function notJson(): Refused {
  return new Refused({
    code: "value-not-json",
    rule: "M6",
    message: "A transcript entry is data that JSON can carry. Convert it, then record it again.",
  });
}
