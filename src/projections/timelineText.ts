/**
 * Draws a timeline as plain text: a lane for each agent, side by side in the order of the tree, time going down, arrows from
 * whoever caused something to whom it happened to. Where the lanes do not fit, lines are indented instead. No colours.
 */
import { formatPoint } from "../events/point.js";
import { type AgentPath, ROOT, comparePaths, depthOf } from "../paths.js";
import { type StartedTurn, type TimelineEntry, causeChain } from "./timeline.js";
import { GLYPHS, Picture, type TimelineRow } from "./timelinePicture.js";
import { rowsOf } from "./timelineRows.js";

/** The least room for a row's text: with less, lanes give way to indentation. */
const LEAST_TEXT = 36;

/**
 * The picture of a timeline, lines joined by newlines; no line is longer than `width` characters.
 *
 * @example console.log(renderTimeline(buildTimeline(events), { width: 100 }))
 */
export function renderTimeline(
  entries: readonly TimelineEntry[],
  options: { readonly width: number },
): string {
  const lanes = lanesOf(entries);
  const names = namesOf(entries);
  const name = (path: AgentPath): string => names.get(path) ?? path;
  const gutter = Math.max(0, ...entries.map(({ at }) => formatPoint(at).length));
  const room = options.width - gutter - 2;
  const textRoom = room - lanes.length * 2 - 1;
  const drawn = textRoom >= LEAST_TEXT;
  const rows = joined(rowsOf(entries, name), drawn ? textRoom : room - 6);
  const picture = new Picture(lanes);
  const lines = rows.map((row) => {
    const cells = drawn ? picture.cells(row) : indent(row);
    const text = clip(`${cells} ${textOf(row)}`, room);
    return `${formatPoint(row.at).padStart(gutter)}  ${text}`.trimEnd();
  });
  const legend = legendOf(rows);
  return [...lines, ...(legend === "" ? [] : ["", clip(legend, options.width)])].join("\n");
}

/**
 * Why a turn started, back to the person or the host, in one line.
 *
 * @example explainStart(entries, start) // "MAIL from /root/a at 4.2, in a turn started by spawn from /root, ..."
 */
export function explainStart(entries: readonly TimelineEntry[], start: StartedTurn): string {
  const links = [start, ...causeChain(entries, start)].map(({ start: kind, cause }) => {
    const { mail, record, by } = cause;
    if (mail === null || record === null) return `${kind} by ${by}`;
    return `${kind} by ${mail} from ${by} at ${formatPoint(record)}`;
  });
  return links.join(" < ");
}

/** Agents that do something, parents before their children, siblings in the order they came. */
function lanesOf(entries: readonly TimelineEntry[]): readonly AgentPath[] {
  const order = new Map<AgentPath, number>([[ROOT, 0]]);
  for (const entry of entries) {
    if (entry.kind === "started" && !order.has(entry.path)) order.set(entry.path, order.size);
  }
  const place = (path: string): number => order.get(path as AgentPath) ?? Number.MAX_SAFE_INTEGER;
  return [...order.keys()].sort((a, b) => {
    const [up, down] = [a.split("/"), b.split("/")];
    const fork = up.findIndex((segment, i) => segment !== down[i]);
    if (fork === -1 || fork >= down.length) return up.length - down.length;
    const [left, right] = [up.slice(0, fork + 1).join("/"), down.slice(0, fork + 1).join("/")];
    return place(left) - place(right) || comparePaths(a, b);
  });
}

/** The last segment where it names one agent alone, else what stands below the root. */
function namesOf(entries: readonly TimelineEntry[]): ReadonlyMap<AgentPath, string> {
  const paths = new Set<AgentPath>([ROOT]);
  for (const entry of entries) if ("path" in entry) paths.add(entry.path);
  const counts = new Map<string, number>();
  const lastOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
  for (const path of paths) counts.set(lastOf(path), (counts.get(lastOf(path)) ?? 0) + 1);
  const short = (path: AgentPath): string =>
    counts.get(lastOf(path)) === 1 ? lastOf(path) : path.slice(ROOT.length + 1);
  return new Map([...paths].map((path) => [path, short(path)]));
}

/** Neighbours that say the same of different agents become one row, as long as its text fits. */
function joined(rows: readonly TimelineRow[], room: number): readonly TimelineRow[] {
  const out: TimelineRow[] = [];
  for (const row of rows) {
    const last = out.at(-1);
    const both =
      last?.joins === true && row.joins && last.head === row.head && !overlap(last, row)
        ? {
            ...last,
            marks: new Map([...last.marks, ...row.marks]),
            tails: [...last.tails, ...row.tails],
          }
        : undefined;
    if (both !== undefined && textOf(both).length <= room) out[out.length - 1] = both;
    else out.push(row);
  }
  return out;
}

function overlap(a: TimelineRow, b: TimelineRow): boolean {
  return [...b.marks.keys()].some((path) => a.marks.has(path));
}

function textOf({ head, tails }: TimelineRow): string {
  return tails.length === 0 ? head : `${head} ${tails.join(", ")}`;
}

function clip(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`;
}

/** Without lanes: the sign of what happened, as deep as its agent stands in the tree. */
function indent(row: TimelineRow): string {
  const [path, mark] = [...row.marks][0] ?? [ROOT, { glyph: " " }];
  return `${"  ".repeat(depthOf(path) - 1)}${mark.glyph}`;
}

function legendOf(rows: readonly TimelineRow[]): string {
  const used = new Set(rows.flatMap(({ marks }) => [...marks.values()].map(({ glyph }) => glyph)));
  const words = {
    started: "starts",
    waited: "waits",
    released: "goes on",
    completed: "completed",
    errored: "errored",
    interrupted: "interrupted",
  } as const;
  return (Object.keys(words) as (keyof typeof words)[])
    .filter((kind) => used.has(GLYPHS[kind]))
    .map((kind) => `${GLYPHS[kind]} ${words[kind]}`)
    .join("  ");
}
