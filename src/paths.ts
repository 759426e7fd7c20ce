/**
 * Agent paths: their grammar, resolution against a caller, and the tree they spell.
 * Knows nothing of sessions: whether a well-formed path is taken is the kernel's question.
 */

/** The root's path: every session has exactly one. */
export const ROOT = "/root";

/** A canonical agent path: `/root`, or `/root` followed by `/segment`s (A1). */
export type AgentPath = typeof ROOT | `${typeof ROOT}/${string}`;

/** The most segments a path may have, the root's own included (A1). */
export const MAX_SEGMENTS = 16;

const SEGMENT = /^[a-z0-9_]{1,64}$/;
const PATH = new RegExp(`^${ROOT}(?:/[a-z0-9_]{1,64}){0,${MAX_SEGMENTS - 1}}$`);

/**
 * Whether a string is a canonical path (A1). No folding of case, slashes or Unicode forms.
 *
 * @example isAgentPath("/root/reviewer") // true
 */
export function isAgentPath(text: string): text is AgentPath {
  return text === ROOT || PATH.test(text);
}

/** Whether a new agent may bear this name: one segment, and not `root` (A1). */
export function isAgentName(name: string): boolean {
  return SEGMENT.test(name) && name !== "root";
}

/**
 * Reads a target as its caller means it: canonical when it starts with `/`, else below the caller (A3).
 * Answers `undefined` for everything malformed.
 *
 * @example resolvePath("/root/a", "child") // "/root/a/child"
 */
export function resolvePath(caller: AgentPath, target: string): AgentPath | undefined {
  const text = target.startsWith("/") ? target : `${caller}/${target}`;
  return isAgentPath(text) ? text : undefined;
}

/** The path one step up the tree; the root has none. */
export function parentPath(path: AgentPath): AgentPath | undefined {
  if (path === ROOT) return undefined;
  return path.slice(0, path.lastIndexOf("/")) as AgentPath;
}

/** Whether a path is `top` or below it. */
export function isWithin(path: AgentPath, top: AgentPath): boolean {
  return path === top || path.startsWith(`${top}/`);
}

/** How many segments a path has: 1 for the root. */
export function depthOf(path: AgentPath): number {
  let depth = 0;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) depth++;
  return depth;
}

/** The order of every listing: by UTF-16 code unit, the same in all locales (A8). */
export function comparePaths(a: AgentPath, b: AgentPath): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
