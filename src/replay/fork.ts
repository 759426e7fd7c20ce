/**
 * Forks: a recorded session runs on from one of its positions, with something changed, into a log of its own that names
 * its parent. What was recorded after that position is put to the kernel again wherever it still has a meaning; nothing
 * is performed, and no behaviour is called.
 */
import { BadArgument, Bug, LogUnavailable } from "../errors.js";
import type { CommitDraft } from "../events/commit.js";
import type { DovecoteEvent, ForkedFrom } from "../events/events.js";
import { type Point, comparePoints, formatPoint, samePoint } from "../events/point.js";
import type { TurnRef } from "../events/refs.js";
import type { Command, TurnEnd } from "../kernel/command.js";
import type { CommitLike } from "../kernel/invariants/judge.js";
import { fold } from "../kernel/stage.js";
import type { Host, State } from "../kernel/state.js";
import type { EventLog } from "../log/log.js";
import type { AgentPath } from "../paths.js";
import { adapt } from "./adapt.js";
import { Run } from "./rerun.js";
import { standIn } from "./standIn.js";
import { type Position, type Trace } from "./trace.js";
import { type Input, type VerifyOptions, inputsOf } from "./verify.js";

/** One change. Points name the first event of what was asked, as `inputsOf` gives them. */
export type ForkChange =
  /** Two requests come in the other order. */
  | { readonly kind: "swap"; readonly first: Point; readonly second: Point }
  /** Something never comes: a mail, a completion. */
  | { readonly kind: "drop"; readonly at: Point }
  /** A mail more, right after the position: from an agent whose turn is live, or from the person. */
  | {
      readonly kind: "mail";
      readonly to: AgentPath;
      readonly text: string;
      readonly from?: AgentPath;
    }
  /** The process dies right after the position, and another one opens the session. */
  | { readonly kind: "crash" }
  /** A behaviour ends another way. */
  | { readonly kind: "outcome"; readonly at: Point; readonly end: TurnEnd }
  /** Another capacity from the position on (W6). */
  | { readonly kind: "capacity"; readonly capacity: number }
  /** Another policy: limits, finalisers, deadlines. */
  | { readonly kind: "host"; readonly host: Partial<Host> };

/** Something recorded that had no meaning in the fork, or was refused there. */
export interface Skipped {
  readonly at: Point;
  readonly text: string;
}

/** A session that ran on another way. */
export interface Fork {
  readonly parent: ForkedFrom;
  /** All of its commits, the parent's first. */
  readonly commits: readonly CommitLike[];
  readonly skipped: readonly Skipped[];
  /** The state at its end. */
  readonly state: State;
}

/** How to fork. */
export interface ForkOptions extends VerifyOptions {
  readonly changes?: readonly ForkChange[];
  /** The fork's session id; the parent's with `-fork` unless given. */
  readonly session?: string;
  /** Put again what was recorded after the position, where it fits; `true` unless given. */
  readonly goOn?: boolean;
  /**
   * Turns that the recording does not know, and so nobody plays, read their mail once and complete without a word.
   * Left live unless given.
   */
  readonly standIn?: boolean;
}

/** Something that is put to the kernel of a fork. */
interface Planned {
  readonly at: Point;
  readonly what: string;
  readonly make: (state: State) => Command | "crash" | null;
}

/**
 * Forks a session after a position: what began there or before is kept as it is.
 *
 * @throws BadArgument when there is no such position or no such request
 * @example
 * const other = await fork(trace, 7, { changes: [{ kind: "capacity", capacity: 3 }] });
 * const changed = await diff(trace, await openTrace(other.commits));
 */
export async function fork(
  trace: Trace,
  position: Position,
  options: ForkOptions = {},
): Promise<Fork> {
  const inputs: Input[] = [];
  for await (const input of inputsOf(trace, options)) inputs.push(input);
  const at = await trace.pointOf(position);
  const count = inputs.filter((input) => comparePoints(input.at, at) <= 0).length;
  return forkOf(trace, inputs, count, options);
}

/** The same, of inputs that have been read already, the first `count` of which are kept as they are. */
export async function forkOf(
  trace: Trace,
  inputs: readonly Input[],
  count: number,
  options: ForkOptions,
): Promise<Fork> {
  const { changes = [] } = options;
  const kept = inputs.slice(0, count);
  const left = inputs.slice(kept.length);
  const base = await keep(trace, kept, options.session, changes.map(inWords));
  const { run, commits } = base;
  for (const change of changes) {
    if (change.kind === "host") run.state = withHost(run.state, change.host);
  }
  const planned = [...planOf(changes), ...reordered(left, changes, options.goOn)];
  const skipped: Skipped[] = [];
  let from = kept.at(-1)?.at[0] ?? 0;
  for (const one of planned) {
    // What shared a commit shares one here, so that a fork that changes nothing is its parent.
    if (one.at[0] !== from) run.commit();
    [from] = one.at;
    const why = put(run, one);
    if (why !== null) skipped.push({ at: one.at, text: `${one.what}: ${why}` });
  }
  run.commit();
  if (options.standIn === true) {
    const known = new Set(inputs.flatMap(({ command }) => turnKeys(command)));
    standIn(run, (turn) => known.has(keyOf(turn)));
  }
  return { parent: base.parent, commits: [...commits, ...run.commits], skipped, state: run.state };
}

/** The turns that a command shows to have been played. */
function turnKeys(command: Command): readonly string[] {
  if ("turn" in command) return [keyOf(command.turn)];
  if ("attempt" in command) return [keyOf(command.attempt)];
  return "by" in command && command.by !== null ? [keyOf(command.by)] : [];
}

function keyOf({ path, gen, turn }: TurnRef): string {
  return `${path}#${gen}.${turn}`;
}

function withHost(state: State, host: Partial<Host>): State {
  return { ...state, host: { ...state.host, ...host } };
}

function put(run: Run, { make }: Planned): string | null {
  const command = make(run.state);
  if (command === null) return "there is nothing that it could be about";
  const { outcome, events } = command === "crash" ? run.crash() : run.put(command);
  if (!outcome.ok) return `refused (${outcome.rejection.rule}): ${outcome.rejection.message}`;
  return events.length === 0 ? "it came too late" : null;
}

/** The commits up to the fork, whose first event now names their session and its parent. */
async function keep(
  trace: Trace,
  kept: readonly Input[],
  session: string | undefined,
  changes: readonly string[],
): Promise<{ readonly run: Run; readonly commits: CommitLike[]; readonly parent: ForkedFrom }> {
  const last = kept.at(-1);
  if (last === undefined) throw new BadArgument("A fork begins after the session was made: at 1.");
  const [n, index] = last.at;
  const at: Point = [n, index + last.events.length - 1];
  const { hash, events } = await trace.commit(n);
  const id = session ?? `${trace.session}-fork`;
  const parent = { session: trace.session, at, hash, changes };
  const [created, ...others] = commitsOf(kept);
  if (created === undefined) throw new Bug("inputs without events are kept");
  const commits = [named(created, id, parent), ...others];
  const after = last.events.reduce(fold, last.before);
  if (at[1] === events.length - 1) {
    return { run: new Run({ ...after, next: [n + 1, 0] }), commits, parent };
  }
  const begun = kept.find((input) => input.at[0] === n) ?? last;
  const durable = { ...begun.before, host: last.before.host };
  const pending = commits.pop()?.events ?? [];
  return { run: new Run(after, pending, durable), commits, parent };
}

function commitsOf(inputs: readonly Input[]): readonly CommitLike[] {
  const commits = new Map<number, DovecoteEvent[]>();
  for (const { at, events } of inputs) {
    const own = commits.get(at[0]) ?? [];
    own.push(...events);
    commits.set(at[0], own);
  }
  return [...commits].map(([n, events]) => ({ n, events }));
}

function named({ n, events }: CommitLike, id: string, parent: ForkedFrom): CommitLike {
  const renamed = events.map((event) =>
    event.type === "session.created" ? { ...event, id, parent } : event,
  );
  return { n, events: renamed };
}

/** What is put before anything that was recorded. */
function planOf(changes: readonly ForkChange[]): readonly Planned[] {
  const at: Point = [0, 0];
  return changes.flatMap((change): readonly Planned[] => {
    const what = inWords(change);
    switch (change.kind) {
      case "mail":
        return [{ at, what, make: (state) => mailOf(state, change) }];
      case "crash":
        return [{ at, what, make: () => "crash" }];
      case "capacity":
        return [{ at, what, make: () => ({ kind: "setCapacity", capacity: change.capacity }) }];
      default:
        return [];
    }
  });
}

function mailOf(
  state: State,
  { to, text, from }: Extract<ForkChange, { readonly kind: "mail" }>,
): Command | null {
  if (from === undefined) return { kind: "send", by: null, target: to, text };
  const agent = state.durable.agents.get(from);
  if (agent?.turn == null) return null;
  const by = { path: from, gen: agent.gen, turn: agent.turn.turn };
  return { kind: "send", by, target: to, text };
}

/** What was recorded, as the changes leave it. */
function reordered(
  left: readonly Input[],
  changes: readonly ForkChange[],
  goOn = true,
): readonly Planned[] {
  if (!goOn) return [];
  let order = [...left];
  const find = (at: Point): number => {
    const index = order.findIndex((input) => samePoint(input.at, at));
    if (index >= 0) return index;
    throw new BadArgument(
      `Nothing was asked at ${formatPoint(at)} after the fork's position. Ask inputsOf for the places.`,
    );
  };
  const ends = new Map<Input, TurnEnd>();
  for (const change of changes) {
    if (change.kind === "drop") order = order.toSpliced(find(change.at), 1);
    if (change.kind === "outcome") {
      const input = order[find(change.at)];
      if (input?.command.kind !== "turn.finish") {
        throw new BadArgument(`No turn came to its end at ${formatPoint(change.at)}.`);
      }
      ends.set(input, change.end);
    }
    if (change.kind === "swap") {
      const [a, b] = [find(change.first), find(change.second)].sort((x, y) => x - y);
      order = swapped(order, a ?? 0, b ?? 0);
    }
  }
  return order.map((input) => replayed(input, ends.get(input)));
}

/** The later of two comes right before the earlier. */
export function swapped<T>(order: readonly T[], a: number, b: number): T[] {
  const later = order.slice(b, b + 1);
  return [...order.slice(0, a), ...later, ...order.slice(a, b), ...order.slice(b + 1)];
}

function replayed(input: Input, end: TurnEnd | undefined): Planned {
  const make = (state: State): Command | "crash" | null => {
    if (input.command.kind === "open" && !state.volatile.closed) return "crash";
    const command = adapt(input, state);
    return end === undefined || command?.kind !== "turn.finish" ? command : { ...command, end };
  };
  return { at: input.at, what: input.command.kind, make };
}

function inWords(change: ForkChange): string {
  switch (change.kind) {
    case "swap":
      return `${formatPoint(change.second)} comes before ${formatPoint(change.first)}`;
    case "drop":
      return `${formatPoint(change.at)} never comes`;
    case "mail":
      return `a mail more to ${change.to} from ${change.from ?? "the person"}`;
    case "crash":
      return "the process dies";
    case "outcome":
      return `the turn that ends at ${formatPoint(change.at)} ends ${change.end.kind}`;
    case "capacity":
      return `the capacity is ${change.capacity}`;
    case "host":
      return `the host brings another ${Object.keys(change.host).join(", ")}`;
  }
}

/**
 * Writes a fork into a log, as a session of its own that can be opened and run on.
 *
 * @throws BadArgument when there is a session of that name; LogUnavailable when the log takes it no more.
 * @example await saveFork(other, levelLog("./forks"))
 */
export async function saveFork({ commits }: Fork, log: EventLog): Promise<string> {
  const created = commits[0]?.events[0];
  const session = created?.type === "session.created" ? created.id : "";
  if ((await log.sessions()).includes(session)) {
    throw new BadArgument(`There is a session ${JSON.stringify(session)} in ${log.name} already.`);
  }
  const writer = await log.openSession(session);
  try {
    for (const { n, events } of commits) {
      const draft: CommitDraft = { id: `${session}:${n}`, n, at: 0, events };
      const result = await writer.append(draft);
      if (result.kind === "appended") continue;
      throw new LogUnavailable(`${log.name} did not take commit ${n} of the fork: ${result.kind}`);
    }
  } finally {
    await writer.close();
  }
  return session;
}
