/**
 * What changed between two states, in words, agent by agent.
 */
import type { Agent, State } from "../kernel/state.js";
import { type AgentPath, comparePaths } from "../paths.js";
import type { Position, Trace } from "./trace.js";
import { count } from "./words.js";

/** One change: of an agent, or of the session where there is no path. */
export interface Change {
  readonly path: AgentPath | null;
  readonly text: string;
}

/**
 * The changes of state from one position to another.
 *
 * @example for (const { path, text } of await changes(trace, 100, 120)) console.log(path, text)
 */
export async function changes(trace: Trace, a: Position, b: Position): Promise<readonly Change[]> {
  const { position } = trace;
  const before = (await trace.at(a)).whole;
  const after = (await trace.at(b)).whole;
  await trace.at(position);
  return stateChanges(before, after);
}

/** The changes from one state to another. */
export function stateChanges(before: State, after: State): readonly Change[] {
  const paths = new Set<AgentPath>();
  for (const { path } of before.durable.agents.values()) paths.add(path);
  for (const { path } of after.durable.agents.values()) paths.add(path);
  const ofAgents = [...paths]
    .sort(comparePaths)
    .flatMap((path) =>
      agentChanges(
        { state: before, agent: before.durable.agents.get(path) },
        { state: after, agent: after.durable.agents.get(path) },
      ).map((text) => ({ path, text })),
    );
  return [...sessionChanges(before, after).map((text) => ({ path: null, text })), ...ofAgents];
}

function sessionChanges(
  { durable: a, volatile: v }: State,
  { durable: b, volatile: w }: State,
): string[] {
  const held = (holds: typeof v.holds): string =>
    holds.map(({ name, count: times }) => `${name} (${times})`).join(", ") || "none";
  return [
    moved("run", a.run, b.run),
    moved("capacity", a.capacity, b.capacity),
    moved("Plan", a.plan ? "on" : "off", b.plan ? "on" : "off"),
    moved("slots in use by turns", a.active, b.active),
    moved("settlement that runs", a.trying ?? "none", b.trying ?? "none"),
    moved("holds", held(v.holds), held(w.holds)),
    moved("notices", v.notices.length, w.notices.length),
  ].filter((text) => text !== "");
}

function moved(what: string, from: string | number, to: string | number): string {
  return from === to ? "" : `${what}: ${from} -> ${to}`;
}

interface Side {
  readonly state: State;
  readonly agent: Agent | undefined;
}

function agentChanges(before: Side, after: Side): string[] {
  const [a, b] = [before.agent, after.agent];
  if (a === undefined && b === undefined) return [];
  if (a === undefined) return [`came into being, ${b?.phase ?? "idle"}`];
  if (b === undefined) return ["is retained no more"];
  if (a.gen !== b.gen) return [`is another: generation ${a.gen} -> ${b.gen}`];
  const marked = ({ state }: Side): string => (state.volatile.marks.has(a.path) ? "yes" : "no");
  const preparing = ({ state }: Side): string =>
    state.volatile.reservations.some(({ path }) => path === a.path) ? "yes" : "no";
  return [
    moved("phase", a.phase, b.phase),
    moved("turns", a.turns, b.turns),
    moved("unread", count(a.unread.length, "record"), count(b.unread.length, "record")),
    moved("marked", marked(before), marked(after)),
    moved("preparing", preparing(before), preparing(after)),
    moved("blocked by", blockedBy(a), blockedBy(b)),
    moved("commands that run", a.turn?.executions.size ?? 0, b.turn?.executions.size ?? 0),
    moved("last outcome", outcomeOf(a), outcomeOf(b)),
  ].filter((text) => text !== "");
}

function blockedBy({ turn }: Agent): string {
  return turn?.blockers.at(-1)?.label ?? "nothing";
}

function outcomeOf({ last }: Agent): string {
  return last === null ? "none" : `${last.outcome} (turn ${last.turn})`;
}
