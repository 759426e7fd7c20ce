/**
 * Names of things in an ordered store: the layout of docs/log.md, in one place. Positions are written with 16 digits,
 * so that the order of keys is the order of commits. Session ids are percent-encoded, so that no id can reach into
 * another's keys.
 */
import { BadArgument } from "../errors.js";

/** Version of the layout (L4). */
export const FORMAT_KEY = "m/format";

const MAX_ID_LENGTH = 256;
const DIGITS = 16;

/** Half-open ranges that hold every key this layout does not know: a key in one of them is damage (L3). */
export const UNKNOWN_RANGES: readonly { readonly gte: string; readonly lt: string }[] = [
  { gte: "", lt: "b/" },
  { gte: "b0", lt: "c/" },
  { gte: "c0", lt: "h/" },
  { gte: "h0", lt: FORMAT_KEY },
  { gte: `${FORMAT_KEY}\0`, lt: "s/" },
  { gte: "s0", lt: "x/" },
  { gte: "x0", lt: "\u{10ffff}" },
];

/** Refuses what can't name a session: an empty, very long or ill-formed text. */
export function checkSessionId(session: unknown): asserts session is string {
  if (typeof session !== "string" || session === "" || session.length > MAX_ID_LENGTH) {
    throw new BadArgument(`A session id is a text of 1 to ${MAX_ID_LENGTH} characters.`);
  }
  try {
    encodeURIComponent(session);
  } catch {
    throw new BadArgument(
      "A session id must be well-formed Unicode; this one has a lone surrogate.",
    );
  }
}

/** Key of a session's head. */
export function headKey(session: string): string {
  return `h/${encodeURIComponent(session)}`;
}

/** Key of the anchor of a session that was cut. */
export function anchorKey(session: string): string {
  return `b/${encodeURIComponent(session)}`;
}

/** Key of one commit, or of one snapshot, of the session whose keys start so. */
export function keyAt(prefix: string, position: number): string {
  return prefix + String(position).padStart(DIGITS, "0");
}

/** How the keys of a session's commits, or of its snapshots, start. */
export function prefixOf(kind: "c" | "s" | "x", session: string): string {
  return `${kind}/${encodeURIComponent(session)}/`;
}

/** Key of one commit. */
export function commitKey(session: string, position: number): string {
  return keyAt(prefixOf("c", session), position);
}

/** Key of one snapshot. */
export function snapshotKey(session: string, position: number): string {
  return keyAt(prefixOf("s", session), position);
}

/** What stands in a head's place while a session is restored: until it is whole there is no such session. */
export const UNFINISHED_HEAD = '{"restoring":true}';

/** All commits. */
export const COMMITS = { gte: "c/", lt: "c0" } as const;

/** Key of the place where an idempotency key is found: it holds the position of its commit (M3). */
export function requestKey(session: string, key: string): string {
  return `x/${encodeURIComponent(session)}/${encodeURIComponent(key)}`;
}

/** All heads. */
export const HEADS = { gte: "h/", lt: "h0" } as const;

/** The idempotency key that such a key of the store was made from. */
export function requestOf(key: string): string {
  return decodeURIComponent(key.slice(key.lastIndexOf("/") + 1));
}

/** All commits of a session, its snapshots, or its idempotency keys. */
export function rangeOf(kind: "c" | "s" | "x", session: string): { gte: string; lt: string } {
  // "0" is the character after "/".
  const start = `${kind}/${encodeURIComponent(session)}`;
  return { gte: `${start}/`, lt: `${start}0` };
}

/** The session that a head's or a commit's key names; `undefined` when no session could have that key. */
export function sessionOf(key: string): string | undefined {
  const [, name = "", ...rest] = key.split("/");
  if (rest.length !== (key.startsWith("h/") ? 0 : 1)) return undefined;
  try {
    const session = decodeURIComponent(name);
    return session !== "" && encodeURIComponent(session) === name ? session : undefined;
  } catch {
    return undefined;
  }
}

/** The position at the end of a commit's or snapshot's key; `undefined` when it isn't one. */
export function positionOf(key: string): number | undefined {
  const text = key.slice(key.lastIndexOf("/") + 1);
  if (!/^[0-9]{16}$/.test(text)) return undefined;
  const position = Number(text);
  return position > 0 && Number.isSafeInteger(position) ? position : undefined;
}
