/**
 * Two runs compared by what caused what, not by where it stands: an event is the same in both when it says the same and
 * happened because of the same. So runs that differ in nothing but the order of unrelated things do not differ.
 */
import type { DovecoteEvent } from "../events/events.js";
import { type Point, formatPoint } from "../events/point.js";
import type { Placed } from "../kernel/loop.js";
import { sha256 } from "../log/sha256.js";
import { type AgentPath, comparePaths } from "../paths.js";
import type { Trace } from "./trace.js";
import { describe } from "./words.js";

/** An event of one of the two runs. */
export interface Side {
  readonly at: Point;
  readonly text: string;
}

/** Where an agent's two histories part; `null` on the side whose history ends there. */
export interface AgentDiff {
  readonly path: AgentPath;
  /** How many of its events, from its first on, are the same. */
  readonly same: number;
  readonly one: Side | null;
  readonly other: Side | null;
}

/** How two runs differ. */
export interface RunDiff {
  /** The first event of each that the other has not; all that caused it, both have. `null` where there is none. */
  readonly one: Side | null;
  readonly other: Side | null;
  readonly agents: readonly AgentDiff[];
}

/**
 * The first causal divergence of two runs, then agent by agent; `undefined` when they say the same.
 *
 * @example
 * const found = await diff(trace, await openTrace((await fork(trace, 7, { changes })).commits));
 * console.log(found?.one?.text, found?.other?.text);
 */
export async function diff(one: Trace, other: Trace): Promise<RunDiff | undefined> {
  const [a, b] = [await identify(one), await identify(other)];
  const agents = [...new Set([...a.agents.keys(), ...b.agents.keys()])]
    .sort(comparePaths)
    .flatMap((path) => agentDiff(path, a.agents.get(path) ?? [], b.agents.get(path) ?? []));
  const found = { one: firstMissing(a.all, b.ids), other: firstMissing(b.all, a.ids), agents };
  return found.one === null && found.other === null && agents.length === 0 ? undefined : found;
}

interface Known extends Side {
  readonly id: string;
}

interface Identified {
  readonly all: readonly Known[];
  readonly ids: ReadonlySet<string>;
  readonly agents: ReadonlyMap<AgentPath, readonly Known[]>;
}

async function identify(trace: Trace): Promise<Identified> {
  const all: Known[] = [];
  const ids = new Set<string>();
  const at = new Map<string, string>();
  const times = new Map<string, number>();
  const agents = new Map<AgentPath, Known[]>();
  for await (const placed of trace.events()) {
    const said = sha256(JSON.stringify(meaning(placed, at))).slice(0, 24);
    const time = (times.get(said) ?? 0) + 1;
    times.set(said, time);
    // The same said twice, because of the same: told apart by how often.
    const id = `${said}.${time}`;
    at.set(formatPoint(placed.at), id);
    ids.add(id);
    const known = { at: placed.at, text: describe(placed.event), id };
    all.push(known);
    if (!("path" in placed.event)) continue;
    const own = agents.get(placed.event.path);
    if (own === undefined) agents.set(placed.event.path, [known]);
    else own.push(known);
  }
  return { all, ids, agents };
}

/** Fields that hold the host's own data, in which two numbers are no point. */
const OPAQUE = new Set(["result", "entry", "usage"]);
/** Fields that say where, how manieth or by which name, and nothing of what happened. */
const PLACES = new Set(["reservation", "parent", "id"]);

function meaning({ event }: Placed, at: ReadonlyMap<string, string>): unknown {
  const entries = Object.entries(event satisfies DovecoteEvent)
    .filter(([key]) => event.type === "operation.planned" || !PLACES.has(key))
    .map(([key, value]) => [key, OPAQUE.has(key) ? value : placeless(value, at)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return entries;
}

function placeless(value: unknown, at: ReadonlyMap<string, string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.entries(value).map(([key, item]) => [key, placeless(item, at)]);
  }
  const items: readonly unknown[] = value;
  const [n, index] = items;
  const isPoint = items.length === 2 && typeof n === "number" && typeof index === "number";
  if (isPoint) return at.get(formatPoint([n, index])) ?? items;
  return items.map((item) => placeless(item, at));
}

function firstMissing(all: readonly Known[], ids: ReadonlySet<string>): Side | null {
  const found = all.find(({ id }) => !ids.has(id));
  return found === undefined ? null : sideOf(found);
}

function sideOf({ at, text }: Known): Side {
  return { at, text };
}

function agentDiff(
  path: AgentPath,
  one: readonly Known[],
  other: readonly Known[],
): readonly AgentDiff[] {
  let same = 0;
  while (one[same] !== undefined && one[same]?.id === other[same]?.id) same++;
  const [a, b] = [one[same], other[same]];
  if (a === undefined && b === undefined) return [];
  const [left, right] = [a, b].map((known) => (known === undefined ? null : sideOf(known)));
  return [{ path, same, one: left ?? null, other: right ?? null }];
}

/**
 * A difference of two runs as text.
 *
 * @example console.log(renderDiff(await diff(trace, other)))
 */
export function renderDiff(found: RunDiff | undefined): string {
  if (found === undefined) return "The two say the same.";
  const side = (one: Side | null): string =>
    one === null ? "nothing more" : `${formatPoint(one.at)}  ${one.text}`;
  const lines = [`one:   ${side(found.one)}`, `other: ${side(found.other)}`];
  for (const { path, same, one, other } of found.agents) {
    lines.push(`${path}: the same for ${same} events, then`);
    lines.push(`  one:   ${side(one)}`, `  other: ${side(other)}`);
  }
  return lines.join("\n");
}
