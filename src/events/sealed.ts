/**
 * A sealed text: one JSON object whose first field is the hash of every byte that follows it.
 * All that is checked is checked on the text as it was stored; nothing is serialised again to compare it.
 * Commits, snapshots and watermarks are kept this way. A seal shows damage; it is no proof against a forger.
 */

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex. Handed in, because events know no Node built-in. */
export type Sha256 = (text: string) => string;

/** A text with its hash inside, and the hash. */
export interface Sealed {
  readonly text: string;
  readonly hash: string;
}

const START = '{"h":"';
const HASH_LENGTH = 64;
const HASH_END = START.length + HASH_LENGTH;

/** How long a seal is: what was sealed goes on after it. */
export const SEAL_LENGTH = HASH_END + '",'.length;

/**
 * Seals an object that has at least one field: its JSON, headed by the hash of that JSON (L3).
 *
 * @example seal({ n: 1 }, sha256).text // {"h":"...","n":1}
 */
export function seal(value: object, sha256: Sha256): Sealed {
  const rest = JSON.stringify(value).slice(1);
  const hash = sha256(rest);
  return { text: `${START}${hash}",${rest}`, hash };
}

/** The hash a sealed text bears, when it is the hash of the rest of it; else `undefined` (L3). */
export function checkSeal(text: string, sha256: Sha256): string | undefined {
  if (!text.startsWith(START) || !text.startsWith('",', HASH_END)) return undefined;
  const hash = text.slice(START.length, HASH_END);
  return sha256(text.slice(SEAL_LENGTH)) === hash ? hash : undefined;
}

/** The object in a sealed text, its hash field included; `undefined` when the seal is broken (L3). */
export function openSealed(
  text: string,
  sha256: Sha256,
): Readonly<Record<string, unknown>> | undefined {
  if (checkSeal(text, sha256) === undefined) return undefined;
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    // The hash was right, so this text was never one of ours; to a reader that is the same as damage.
    return undefined;
  }
}
