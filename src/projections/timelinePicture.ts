/**
 * Lanes and rows as characters: what stands in each lane, how lanes go on between rows, and arrows across them.
 * It knows nothing of what the rows tell.
 */
import type { Point } from "../events/point.js";
import type { AgentPath } from "../paths.js";

/** How a lane looks from a row on. */
export type LaneState = "idle" | "active" | "waiting";

/** One line of the picture. */
export interface TimelineRow {
  readonly at: Point;
  /** Where its arrow comes from; `null` when there is none. */
  readonly from: AgentPath | null;
  /** What stands in a lane at this row, and how the lane goes on. `arrow` lets the drawing choose the head. */
  readonly marks: ReadonlyMap<
    AgentPath,
    { readonly glyph: string; readonly next: LaneState | null }
  >;
  /** The text, in two parts: rows of equal `head` that follow each other are told as one, with a list of tails. */
  readonly head: string;
  readonly tails: readonly string[];
  /** Whether the next row of the same head may be told with this one. */
  readonly joins: boolean;
}

/** The sign of each thing that can stand in a lane. */
export const GLYPHS = {
  started: "●",
  waited: "○",
  released: "◉",
  completed: "✓",
  errored: "✗",
  interrupted: "⊘",
  arrow: "→",
} as const;

const STATES: Readonly<Record<LaneState, string>> = { idle: "·", active: "│", waiting: "┆" };

/** The lanes as they go down the page; a call draws the next row. */
export class Picture {
  private readonly lanes: readonly AgentPath[];
  private readonly states = new Map<AgentPath, LaneState>();

  constructor(lanes: readonly AgentPath[]) {
    this.lanes = lanes;
  }

  cells(row: TimelineRow): string {
    for (const [path, { next }] of row.marks) if (next !== null) this.states.set(path, next);
    const ends = [...row.marks.keys(), ...(row.from === null ? [] : [row.from])];
    const places = ends.map((path) => this.lanes.indexOf(path)).filter((place) => place >= 0);
    const arrow = row.from !== null && this.lanes.includes(row.from) && places.length > 1;
    const first = arrow ? Math.min(...places) : Number.POSITIVE_INFINITY;
    const last = arrow ? Math.max(...places) : Number.NEGATIVE_INFINITY;
    return this.lanes
      .map((path, i) => this.cell(path, row, i, first, last) + (i >= first && i < last ? "─" : " "))
      .join("");
  }

  private cell(path: AgentPath, row: TimelineRow, i: number, first: number, last: number): string {
    const glyph = row.marks.get(path)?.glyph;
    const origin = row.from === null ? -1 : this.lanes.indexOf(row.from);
    if (glyph === GLYPHS.arrow) return i < origin ? "◀" : "▶";
    if (glyph !== undefined) return glyph;
    const state = this.states.get(path);
    if (i < first || i > last) return state === undefined ? " " : STATES[state];
    if (i === first) return "├";
    if (i === last) return "┤";
    return state === undefined || state === "idle" ? "─" : "┼";
  }
}
