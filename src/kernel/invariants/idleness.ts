/**
 * Judges of moments between two events: whoever could start has been started, no spawn outlives its spawner, and nothing
 * is left behind once everybody has come to rest. They read the books alone.
 */
import type { Point } from "../../events/point.js";
import { comparePoints } from "../../events/point.js";
import type { Limits } from "../state.js";
import type { AgentPath } from "../../paths.js";
import type { Book } from "./book.js";
import type { Violation } from "./checkers.js";

/** A marked idle agent that nothing keeps from starting (W2, W4, W7, M7, T4); `null` when there is none. */
export function startable(book: Book, limits: Limits): string | null {
  if (book.marks.size === 0 || book.closing || book.trying !== null) return null;
  if (isLimited(book, limits)) return null;
  for (const path of book.marks.keys()) {
    if (isIdle(book, path) && hasRoom(book, path)) return `${path} is marked, and was not started`;
  }
  return null;
}

function isIdle(book: Book, path: AgentPath): boolean {
  return !book.isLive(path) && !book.isReserved(path) && book.endingOf(path) === undefined;
}

function hasRoom(book: Book, path: AgentPath): boolean {
  return path === "/root" ? book.holds.size === 0 : book.used < book.capacity;
}

/** A limit keeps every woken agent back: counted with the starts that are reserved (X2). */
export function isLimited(book: Book, { turns, wakes }: Limits): boolean {
  if (turns === null && wakes === null) return false;
  const reserved = [...book.reserved.values()];
  if (turns !== null && book.turns + reserved.length >= turns) return true;
  const waking = reserved.filter(({ start }) => start === "wake").length;
  return wakes !== null && book.wakes + waking >= wakes;
}

/** A spawn that is still under way though the turn that asked for it has ended (T3); `null` when there is none. */
export function outlivingSpawn(book: Book): string | null {
  for (const { path, start, by } of book.reserved.values()) {
    if (start !== "spawn" || by === null) continue;
    const spawner = book.turnOf(by);
    if (spawner === undefined || spawner.outcome !== null) {
      return `the spawn of ${path} outlives turn ${by.turn} of ${by.path}`;
    }
  }
  return null;
}

/**
 * What must not be left once nobody acts any more (W1, W4, W8, W6, S7, A5). Agents whose turns are live, for a behaviour
 * that does not end, are passed over. `at` is the newest point.
 */
export function leftAtRest(book: Book, limits: Limits, at: Point): readonly Violation[] {
  const found: Violation[] = [];
  const left = (rule: string, what: string): void => void found.push({ rule, at, what });
  if (book.trying !== null) left("S3", `the settlement of ${book.trying} does not end`);
  for (const top of book.ending) {
    const live = [...book.agents.keys()].some((path) => within(path, top) && book.isLive(path));
    if (!live) left("A5", `${top} is being ended for ever`);
  }
  for (const { path } of book.reserved.values()) left("T2", `${path} is being prepared for ever`);
  if (book.closing || isLimited(book, limits)) return found;
  const marked = startable(book, limits);
  if (marked !== null) left("W2", marked);
  for (const what of strandedMail(book)) left("W4", what);
  return found;
}

/** Waking mail at an idle agent that has nothing to wake it. */
function strandedMail(book: Book): readonly string[] {
  const found: string[] = [];
  for (const { to, gen, mail, from, at, muted, withheld, fresh } of book.mail.unread.values()) {
    const agent = book.agents.get(to);
    if (agent?.gen !== gen || agent.live !== null || book.marks.has(to)) continue;
    const name = `${mail} from ${from} to ${to}`;
    if (withheld) found.push(`${name} is withheld, and no turn awaits it`);
    const waking = (mail === "MAIL" || mail === "RESULT") && from !== to && !muted;
    if (!waking || !fresh || book.endingOf(to) !== undefined) continue;
    if (comparePoints(agent.excuse, at) < 0) found.push(`${name} wakes nobody`);
  }
  return found;
}

function within(path: AgentPath, top: AgentPath): boolean {
  return path === top || path.startsWith(`${top}/`);
}
