/**
 * Pictures of a range of a session: swimlanes as text, and a sequence diagram for Mermaid.
 */
import type { DovecoteEvent } from "../events/events.js";
import { formatPoint } from "../events/point.js";
import type { Placed } from "../kernel/loop.js";
import { type AgentPath, comparePaths } from "../paths.js";
import { buildTimeline } from "../projections/timeline.js";
import { renderTimeline } from "../projections/timelineText.js";
import { type Position, type Trace } from "./trace.js";
import { count } from "./words.js";

/** Which part of a session to draw, both ends included; all of it unless given. */
export interface PictureRange {
  readonly from?: Position;
  readonly to?: Position;
}

/**
 * Swimlanes as plain text: a lane for each agent, time going down.
 *
 * @param options `width` in characters, 100 unless given
 * @example console.log(await toSwimlanes(trace, { from: 200, to: 212 }))
 */
export async function toSwimlanes(
  trace: Trace,
  options: PictureRange & { readonly width?: number } = {},
): Promise<string> {
  const { width = 100, ...range } = options;
  const from = await trace.pointOf(range.from ?? Math.min(trace.begin + 1, trace.length), "first");
  // What the range refers to lies before it, so all up to its end is told, and the range is shown.
  const to = range.to === undefined ? {} : { to: range.to };
  const placed: Placed[] = [];
  for await (const one of trace.events(to)) placed.push(one);
  const entries = buildTimeline(placed).filter(
    ({ at }) => at[0] > from[0] || (at[0] === from[0] && at[1] >= from[1]),
  );
  return renderTimeline(entries, { width });
}

/**
 * A sequence diagram in Mermaid's words: mail as arrows, starts and ends of turns as activations.
 *
 * @example await writeFile("session.mmd", await toMermaid(trace, { from: 200, to: 212 }))
 */
export async function toMermaid(trace: Trace, range: PictureRange = {}): Promise<string> {
  const lines: string[] = [];
  const seen = new Set<string>();
  const active = new Set<AgentPath>();
  for await (const { event, at } of trace.events(range)) {
    for (const line of linesOf(event, active)) {
      lines.push(`  ${line} %% ${formatPoint(at)}`);
      for (const name of namesIn(event)) seen.add(name);
    }
  }
  const agents = [...seen].filter((name): name is AgentPath => name !== "person");
  const order = [...(seen.has("person") ? ["person"] : []), ...agents.sort(comparePaths)];
  const declared = order.map((name) => `  participant ${idOf(name)} as ${name}`);
  return ["sequenceDiagram", ...declared, ...lines].join("\n");
}

/** A name that Mermaid takes: slashes are none. */
function idOf(name: string): string {
  return name === "person" ? name : name.slice(1).replaceAll("/", "__");
}

function namesIn(event: DovecoteEvent): readonly string[] {
  const path = "path" in event ? [event.path] : [];
  return event.type === "mail.queued" ? [event.from, ...path] : path;
}

function linesOf(event: DovecoteEvent, active: Set<AgentPath>): readonly string[] {
  switch (event.type) {
    case "mail.queued": {
      const { mail, from, path, outcome, text } = event;
      const size = text === undefined ? "" : `, ${count(text.length, "character")}`;
      const what = outcome === undefined ? `${mail}${size}` : `${mail} ${outcome}`;
      return [`${idOf(from)}${mail === "RESULT" ? "-->>" : "->>"}${idOf(path)}: ${what}`];
    }
    case "turn.started":
      active.add(event.path);
      return [
        `activate ${idOf(event.path)}`,
        `Note over ${idOf(event.path)}: turn ${event.turn} (${event.start})`,
      ];
    case "turn.settled": {
      const note = `Note over ${idOf(event.path)}: ${event.outcome}`;
      // A turn that started before the range has no activation to end.
      return active.delete(event.path) ? [note, `deactivate ${idOf(event.path)}`] : [note];
    }
    case "mail.delivered":
      return [`Note over ${idOf(event.path)}: reads ${count(event.records.length, "record")}`];
    case "wait.began":
      return [`Note over ${idOf(event.path)}: waits`];
    case "wait.ended":
      return [`Note over ${idOf(event.path)}: wait over (${event.why})`];
    default:
      return [];
  }
}
