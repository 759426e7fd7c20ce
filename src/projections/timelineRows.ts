/**
 * From timeline entries to rows for the eye: what belongs together is told in one row (a RESULT and the wake it was, several
 * spawns in a row), and what the next row says anyway is left out.
 */
import type { OutcomeKind } from "../events/events.js";
import { type Point, formatPoint } from "../events/point.js";
import type { AgentPath } from "../paths.js";
import type {
  MailSent,
  ReleasedTurn,
  SettledTurn,
  StartedTurn,
  TimelineEntry,
} from "./timeline.js";
import { GLYPHS, type LaneState, type TimelineRow } from "./timelinePicture.js";

type Names = (path: AgentPath) => string;
type Effect = StartedTurn | ReleasedTurn;

/** The rows of a timeline, before neighbours are joined. */
export function rowsOf(entries: readonly TimelineEntry[], names: Names): readonly TimelineRow[] {
  const effects = effectsOf(entries);
  const told = new Set<TimelineEntry>();
  const rows: TimelineRow[] = [];
  for (const entry of entries) {
    if (told.has(entry)) continue;
    const effect = effects.get(keyOf(entry));
    if (effect !== undefined) told.add(effect);
    const row = rowOf(entry, effect, names);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** Starts and ends of waits that a record caused at once: they are told with that record. */
function effectsOf(entries: readonly TimelineEntry[]): ReadonlyMap<string, Effect> {
  const effects = new Map<string, Effect>();
  for (const entry of entries) {
    if (entry.kind !== "started" && entry.kind !== "released") continue;
    const { record } = entry.cause;
    if (record !== null && record[0] === entry.at[0]) effects.set(formatPoint(record), entry);
    // A wait that found its mail there is told in one row.
    const found = entry.kind === "released" && record === null && isBrief(entry);
    if (found) effects.set(formatPoint(entry.waitedSince), entry);
  }
  return effects;
}

function isBrief({ at, waitedSince, why }: ReleasedTurn): boolean {
  return (why === "mail" || why === "input") && waitedSince[0] === at[0];
}

function keyOf(entry: TimelineEntry): string {
  const at = entry.kind === "settled" ? (entry.record ?? entry.at) : entry.at;
  return formatPoint(at);
}

function rowOf(
  entry: TimelineEntry,
  effect: Effect | undefined,
  names: Names,
): TimelineRow | undefined {
  switch (entry.kind) {
    case "started":
      return startedRow(entry, names);
    case "waited":
      return waitedRow(entry.at, entry.path, effect !== undefined, names);
    case "released":
      return releasedRow(entry, names);
    case "settled":
      return settledRow(entry, effect, names);
    case "mailed":
      return mailedRow(entry, effect, names);
    case "interrupted": {
      const { by } = entry.cause;
      const tails = [names(entry.path) + (entry.found === "active" ? "" : ` (${entry.found})`)];
      const marks = new Map([[entry.path, { glyph: GLYPHS.arrow, next: null }]]);
      return row(entry.at, `${nameOf(by, names)} interrupts`, tails, marks, agentOf(by));
    }
    case "lost":
      return row(entry.at, `${names(entry.path)} does not start: ${entry.why}`, [], new Map());
    case "run":
      // That the first run was opened goes without saying; that one ends, its end says.
      if (entry.what === "closing" || (entry.what === "opened" && entry.run === 1))
        return undefined;
      return row(entry.at, `run ${entry.run} ${entry.what}`, [], new Map());
  }
}

type Marks = TimelineRow["marks"];

function row(
  at: Point,
  head: string,
  tails: readonly string[],
  marks: Marks,
  from: AgentPath | null = null,
  joins = false,
): TimelineRow {
  return { at, from, marks, head, tails, joins };
}

function nameOf(by: string, names: Names): string {
  const path = agentOf(by);
  return path === null ? by : names(path);
}

function agentOf(by: string): AgentPath | null {
  return by.startsWith("/") ? (by as AgentPath) : null;
}

function turnName({ path, turn }: { path: AgentPath; turn: number }, names: Names): string {
  return turn === 1 ? names(path) : `${names(path)}#${turn}`;
}

function startedRow(entry: StartedTurn, names: Names): TimelineRow {
  const { at, cause, start, path } = entry;
  const who = turnName(entry, names);
  const marks: Marks = new Map([[path, { glyph: GLYPHS.started, next: "active" }]]);
  if (start === "spawn" || start === "assignment") {
    const verb = start === "spawn" ? "spawns" : "assigns a task to";
    return row(at, `${nameOf(cause.by, names)} ${verb}`, [who], marks, agentOf(cause.by), true);
  }
  const { mail, record } = cause;
  const why = mail === null ? cause.by : `${mail} from ${nameOf(cause.by, names)}`;
  const where = record === null ? "" : ` at ${formatPoint(record)}`;
  return row(at, `${who} starts: ${why}${where}`, [], marks);
}

function waitedRow(at: Point, path: AgentPath, brief: boolean, names: Names): TimelineRow {
  if (!brief) {
    const marks: Marks = new Map([[path, { glyph: GLYPHS.waited, next: "waiting" }]]);
    return row(at, `${names(path)} waits`, [], marks);
  }
  const marks: Marks = new Map([[path, { glyph: GLYPHS.released, next: "active" }]]);
  return row(at, `${names(path)} need not wait: mail is there`, [], marks);
}

function releasedRow(entry: ReleasedTurn, names: Names): TimelineRow | undefined {
  const { at, path, why, cause } = entry;
  // The settlement that ended this wait is the next row.
  if (why === "settled" || why === "interrupted") return undefined;
  const { mail } = cause;
  const what = why === "timeout" ? "its time is up" : `${mail ?? "mail"} came`;
  const marks: Marks = new Map([[path, { glyph: GLYPHS.released, next: "active" }]]);
  return row(at, `${names(path)} goes on: ${what}`, [], marks);
}

function effectMark(effect: Effect | undefined): {
  readonly glyph: string;
  readonly next: LaneState | null;
} {
  if (effect === undefined) return { glyph: GLYPHS.arrow, next: null };
  return { glyph: GLYPHS[effect.kind], next: "active" };
}

const ENDED: Readonly<Record<OutcomeKind, string>> = {
  completed: "completed",
  errored: "errored",
  interrupted: "was interrupted",
};

function settledRow(entry: SettledTurn, effect: Effect | undefined, names: Names): TimelineRow {
  const { at, path, outcome, to } = entry;
  const said = `${turnName(entry, names)} ${ENDED[outcome]}`;
  const mark = { glyph: GLYPHS[outcome], next: "idle" } as const;
  if (to === null) return row(at, said, [], new Map([[path, mark]]));
  const marks: Marks = new Map([
    [path, mark],
    [to, effectMark(effect)],
  ]);
  const parent = names(to);
  if (effect === undefined) return row(at, `${said}; RESULT to ${parent}`, [], marks, path);
  const does =
    effect.kind === "started" ? `wakes ${turnName(effect, names)}` : `ends the wait of ${parent}`;
  return row(at, `${said}; RESULT ${does}`, [], marks, path);
}

function mailedRow(entry: MailSent, effect: Effect | undefined, names: Names): TimelineRow {
  const { at, from, to, mail } = entry;
  const marks: Marks = new Map([[to, effectMark(effect)]]);
  const who = nameOf(from, names);
  if (from === to) return row(at, `${who} mails itself`, [], marks);
  if (effect?.kind === "started") {
    const verb = mail === "INPUT" ? "prompts" : "mails and wakes";
    return row(at, `${who} ${verb}`, [turnName(effect, names)], marks, agentOf(from), true);
  }
  const ends = effect === undefined ? "" : ", ending its wait";
  const verb = mail === "INPUT" ? "writes to" : "mails";
  return row(at, `${who} ${verb}`, [`${names(to)}${ends}`], marks, agentOf(from), true);
}
