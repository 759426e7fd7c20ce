/**
 * Why something happened: the causal slice backwards, as a tree in words. Every event carries its cause, so the order of
 * causes needs no clock; what a mark waited for in between is read from the kernel's guards.
 */
import type { Cause, DovecoteEvent, EventOf } from "../events/events.js";
import { type Point, formatPoint } from "../events/point.js";
import { startGuard } from "../kernel/guards.js";
import { startWords } from "./guardWords.js";
import type { Trace } from "./trace.js";
import { describe } from "./words.js";

/** An event, in words, with what it happened because of. */
export interface Why {
  readonly at: Point;
  readonly event: DovecoteEvent;
  readonly text: string;
  /** What held it up: `held by capacity 2/2 from 14 to 27 (W6)`. */
  readonly notes: readonly string[];
  readonly because: readonly (Why | Outside)[];
}

/** A cause that came from outside, or one that the tree has told already. */
export interface Outside {
  readonly text: string;
}

/**
 * The causes of an event, back to what came from outside.
 *
 * @throws BadArgument when there is no event at that point
 * @example console.log(renderWhy(await why(trace, [212, 3])))
 */
export async function why(trace: Trace, at: Point): Promise<Why> {
  return slice(trace, at, new Set());
}

async function slice(trace: Trace, at: Point, told: Set<string>): Promise<Why> {
  told.add(formatPoint(at));
  const { event } = await trace.event(at);
  const because: (Why | Outside)[] = [];
  for (const cause of causesOf(event)) {
    if (typeof cause === "string") because.push({ text: outside(cause) });
    else if (told.has(formatPoint(cause))) {
      because.push({ text: `what is told above, at ${formatPoint(cause)}` });
    } else if (cause[0] <= trace.begin) {
      because.push({ text: `what was cut away, at ${formatPoint(cause)}` });
    } else because.push(await slice(trace, cause, told));
  }
  const notes = event.type === "turn.started" ? await delays(trace, event, at) : [];
  return { at, event, text: describe(event), notes, because };
}

/** What an event names as its cause, and the records that it could not have happened without. */
function causesOf(event: DovecoteEvent): readonly Cause[] {
  const more = event.type === "mail.delivered" ? event.records : [];
  const causes: Cause[] = [event.cause, ...more];
  const seen = new Set<string>();
  return causes.filter((cause) => {
    const key = typeof cause === "string" ? cause : formatPoint(cause);
    return !seen.has(key) && seen.add(key);
  });
}

const OUTSIDE: Readonly<Record<string, string>> = {
  host: "the host",
  person: "the person",
  clock: "the clock",
  work: "the work of a turn",
};

function outside(cause: string): string {
  const [who = "", what = ""] = cause.split(":");
  return `${OUTSIDE[who] ?? who}: ${what}`;
}

/** What stood between the mail and the start that it caused, commit by commit. */
async function delays(
  trace: Trace,
  event: EventOf<"turn.started">,
  at: Point,
): Promise<readonly string[]> {
  const { cause, path } = event;
  if (typeof cause === "string" || cause[0] >= at[0]) return [];
  const notes: string[] = [];
  let text: string | null = null;
  let from = 0;
  const close = (to: number): void => {
    if (text !== null) notes.push(`${text}, from ${from} to ${to}`);
  };
  for await (const { n, state } of trace.states(cause[0], at[0] - 1)) {
    const agent = state.durable.agents.get(path);
    const guard = agent === undefined ? null : startGuard(state, agent);
    const words = guard === null ? null : startWords(guard);
    const now = words === null ? null : `held up: ${words.text} (${words.rule})`;
    if (now === text) continue;
    close(n);
    text = now;
    from = n;
  }
  close(at[0]);
  return notes;
}

/**
 * The tree as text, the event itself first, causes below what they caused; several causes of one event are indented.
 *
 * @example console.log(renderWhy(await why(trace, at)))
 */
export function renderWhy(tree: Why): string {
  const lines: string[] = [];
  const put = (node: Why | Outside, depth: number, lead: string): void => {
    const indent = "  ".repeat(depth);
    const place = "at" in node ? `${formatPoint(node.at)}  ` : "";
    lines.push(`${indent}${lead}${place}${node.text}`);
    if (!("at" in node)) return;
    for (const note of node.notes) lines.push(`${indent}  (${note})`);
    // A chain stays in its column; only a fork indents.
    const deeper = node.because.length > 1 ? depth + 1 : depth;
    for (const cause of node.because) put(cause, deeper, "because ");
  };
  put(tree, 0, "");
  return lines.join("\n");
}

/** Whether neither of two events is among the causes of the other. */
export async function concurrent(trace: Trace, a: Point, b: Point): Promise<boolean> {
  return !(await isAmong(trace, a, b)) && !(await isAmong(trace, b, a));
}

async function isAmong(trace: Trace, wanted: Point, of: Point): Promise<boolean> {
  const seen = new Set<string>();
  const open: Point[] = [of];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at[0] === wanted[0] && at[1] === wanted[1]) return true;
    const key = formatPoint(at);
    // Causes come before what they cause, so nothing older than the wanted event leads to it.
    if (seen.has(key) || at[0] < wanted[0]) continue;
    seen.add(key);
    const { event } = await trace.event(at);
    for (const cause of causesOf(event)) if (typeof cause !== "string") open.push(cause);
  }
  return false;
}
