/**
 * Every step that could be taken in a state, by kind, as names. What scripts and random programs choose from. A list has a
 * fixed order, so that a number is enough to choose; it holds nothing that the state rules out for certain.
 */
import type { AttemptRef, TurnRef } from "../events/events.js";
import type { Agent, Handler, State } from "../kernel/state.js";
import { type AgentPath, comparePaths } from "../paths.js";
import type { KernelRun } from "./kernelRun.js";
import { turnName } from "./stepNames.js";

/** The kinds of steps, in the order in which the default schedule looks for one. */
export const STEP_KINDS = [
  "land",
  "prepared",
  "settle",
  "handled",
  "sampleEnd",
  "complete",
  "finish",
  "sample",
  "wait",
  "send",
  "spawn",
  "takeResult",
  "yield",
  "partial",
  "record",
  "block",
  "unblock",
  "interrupt",
  "fail",
  "sendFinally",
  "prompt",
  "hostSend",
  "hostSpawn",
  "assign",
  "notify",
  "hold",
  "unhold",
  "plan",
  "capacity",
  "hostInterrupt",
  "interruptTree",
  "end",
  "close",
  "flush",
  "timeout",
  "deadline",
  "retry",
  "time",
  "settleFail",
  "break",
  "crash",
] as const;

/** A kind of step. */
export type StepKind = (typeof STEP_KINDS)[number];

const NAMES = ["a", "b", "c"] as const;

/** All agents, by path. */
export function agentsOf(state: State): readonly Agent[] {
  const agents = [...state.durable.agents.values()];
  return agents.sort((one, other) => comparePaths(one.path, other.path));
}

/** All live turns, by path. */
export function liveTurns(state: State): readonly TurnRef[] {
  const turns: TurnRef[] = [];
  for (const { path, gen, turn } of agentsOf(state)) {
    if (turn !== null) turns.push({ path, gen, turn: turn.turn });
  }
  return turns;
}

/** The settlement try that runs, if one does. */
export function tryOf(state: State): AttemptRef | undefined {
  const { trying } = state.durable;
  const agent = trying === null ? undefined : state.durable.agents.get(trying);
  if (agent?.turn == null) return undefined;
  const { path, gen, turn } = agent;
  return { path, gen, turn: turn.turn, attempt: turn.attempts };
}

/** Turns that are between two tries of their settlement. */
export function pausedTurns(state: State): readonly TurnRef[] {
  return liveTurns(state).filter(
    ({ path }) => state.durable.agents.get(path)?.turn?.settling?.paused === true,
  );
}

/** Handlers that have a record to work on. */
export function runningHandlers(
  state: State,
): readonly (Handler & { readonly record: NonNullable<Handler["record"]> })[] {
  return state.volatile.handlers.flatMap((one) =>
    one.record === null ? [] : [{ ...one, record: one.record }],
  );
}

type List = (run: KernelRun) => readonly string[];

const paths = ({ state }: KernelRun): readonly AgentPath[] =>
  agentsOf(state).map(({ path }) => path);

/** Steps of live turns that have begun no settlement. */
function ofTurns(verbs: readonly string[], args: List = () => []): List {
  return (run) => {
    const turns = liveTurns(run.state).map(turnName);
    const known = args(run);
    return turns.flatMap((turn) =>
      verbs.flatMap((verb) =>
        known.length === 0 ? [`${turn}:${verb}`] : known.map((arg) => `${turn}:${verb}:${arg}`),
      ),
    );
  };
}

function ofHost(verb: string, args: List): List {
  return (run) => args(run).map((arg) => `host:${verb}:${arg}`);
}

function ofTry(verb: string): List {
  return ({ state }) => {
    const attempt = tryOf(state);
    return attempt === undefined ? [] : [`${turnName(attempt)}:${verb}`];
  };
}

/** Children whose turns and whose parents' turns are live first: handlers that can come to something are rare else. */
function takeable({ state }: KernelRun): readonly string[] {
  const live = liveTurns(state);
  const pairs = live.flatMap((child) => {
    const parent = state.durable.agents.get(child.path)?.parent;
    const turn = live.find(({ path }) => path === parent?.path);
    return turn === undefined ? [] : [`${turnName(turn)}:take:${child.path}`];
  });
  if (pairs.length > 0) return pairs;
  return live.flatMap((turn) => NAMES.map((name) => `${turnName(turn)}:take:${name}`));
}

function numbered(
  verb: string,
  of: (agent: Agent) => Iterable<number>,
): (run: KernelRun) => readonly string[] {
  return ({ state }) =>
    agentsOf(state).flatMap((agent) => {
      if (agent.turn === null) return [];
      const turn = turnName({ path: agent.path, gen: agent.gen, turn: agent.turn.turn });
      return [...of(agent)].map((n) => `${turn}:${verb}:${n}`);
    });
}

const executions = ({ turn }: Agent): readonly number[] =>
  [...(turn?.executions.values() ?? [])].sort((one, other) => one - other);
const tokens = ({ turn }: Agent): readonly number[] => turn?.blockers.map((one) => one.token) ?? [];

function prepares(verbs: readonly string[]): List {
  return ({ state }) =>
    state.volatile.reservations
      .filter(({ ready }) => !ready)
      .flatMap(({ path }) => verbs.map((verb) => `${path}:${verb}`));
}

function handlers(verbs: readonly string[]): List {
  return ({ state }) =>
    runningHandlers(state).flatMap(({ turn, child }) =>
      verbs.map((verb) => `${turnName(turn)}:${verb}:${child.path}`),
    );
}

const appending =
  (...steps: readonly string[]): List =>
  (run) =>
    run.isAppending ? steps : [];

const CHOICES: Readonly<Record<StepKind, List>> = {
  land: appending("append:land"),
  break: appending("append:fail", "append:unknown", "append:unknown.kept"),
  crash: (run) => (run.isAppending ? ["crash", "crash:kept"] : ["crash"]),
  prepared: prepares(["prepared", "prepare.fail", "prepare.late"]),
  settle: ofTry("settle.commit"),
  settleFail: ofTry("settle.fail"),
  handled: handlers(["handled", "handled.fail"]),
  sampleEnd: ofTurns(["sample.end", "sample.end", "sample.end", "sample.fail"]),
  complete: (run) => [
    ...numbered("complete", executions)(run),
    ...numbered("stop", executions)(run),
  ],
  finish: ofTurns(["finish", "finish", "finish", "finish.sample"]),
  sample: ofTurns(["sample"]),
  wait: ofTurns(["wait"]),
  send: ofTurns(["send"], paths),
  spawn: ofTurns(["spawn"], () => NAMES),
  takeResult: takeable,
  yield: ofTurns(["yield"]),
  partial: ofTurns(["partial"]),
  record: ofTurns(["record"]),
  block: ofTurns(["block"]),
  unblock: (run) => [...numbered("unblock", tokens)(run), ...numbered("dismiss", tokens)(run)],
  interrupt: ofTurns(["interrupt"], paths),
  fail: ofTurns(["fail"]),
  sendFinally: (run) => {
    const [turn] = ofTry("settle.send")(run);
    return turn === undefined ? [] : paths(run).map((path) => `${turn}:${path}`);
  },
  prompt: () => ["host:prompt"],
  hostSend: ofHost("send", paths),
  hostSpawn: (run) =>
    paths(run).flatMap((parent) => [
      ...NAMES.map((name) => `host:spawn:${parent}:${name}`),
      `host:spawn:${parent}:a:communicator`,
    ]),
  assign: ofHost("assign", paths),
  notify: () => ["host:notify"],
  hold: ofHost("hold", () => NAMES),
  unhold: ofHost("unhold", ({ state }) => state.volatile.holds.map(({ name }) => name)),
  plan: () => ["host:plan:on", "host:plan:off"],
  capacity: ofHost("capacity", () => ["1", "2", "3", "4"]),
  hostInterrupt: ofHost("interrupt", (run) => [
    ...paths(run),
    ...run.state.volatile.reservations.map(({ path }) => path),
  ]),
  interruptTree: ofHost("interruptTree", paths),
  end: ofHost("end", paths),
  close: () => ["host:close"],
  flush: (run) => (run.isAppending || !run.loop.dirty ? [] : ["host:flush"]),
  timeout: ofTurns(["wait.end"]),
  deadline: (run) => (run.host.turnTimeoutMs === null ? [] : ofTurns(["deadline"])(run)),
  retry: ({ state }) => pausedTurns(state).map((turn) => `${turnName(turn)}:settle.retry`),
  time: (run) => [...run.timers.keys()].map((timer) => `timer:${timer}`),
};

/** The steps of one kind that a state leaves open. */
export function choices(run: KernelRun, kind: StepKind): readonly string[] {
  return CHOICES[kind](run);
}

/** How many of the newest turns, attempts, reservations and results late steps are drawn from. */
const MEMORY = 8;

const newest = <T>(row: { toArray(): readonly T[] }): readonly T[] =>
  row.toArray().slice(-MEMORY).toReversed();

/** Steps of one kind that come late or a second time: completions of what is over. */
export function lateChoices(run: KernelRun, kind: StepKind): readonly string[] {
  const { turns, attempts, reservations, results } = run.history;
  const late = (verbs: readonly string[]): readonly string[] =>
    newest(attempts).flatMap((one) =>
      verbs.map((verb) => `${turnName(one)}:${verb}:${one.attempt}`),
    );
  const ofPast = (...verbs: readonly string[]): readonly string[] =>
    newest(turns).flatMap((turn) => verbs.map((verb) => `${turnName(turn)}:${verb}`));
  switch (kind) {
    case "sampleEnd":
      return late(["sample.end", "sample.fail"]);
    case "settle":
      return late(["settle.commit"]);
    case "settleFail":
      return late(["settle.fail"]);
    case "timeout":
      return late(["wait.end"]);
    case "retry":
      return ofPast("settle.retry");
    case "finish":
      return ofPast("finish", "finish.sample");
    case "fail":
    case "sample":
    case "wait":
    case "partial":
    case "record":
    case "yield":
    case "block":
      return ofPast(kind);
    case "complete":
      return ofPast("complete:1", "stop:2");
    case "unblock":
      return ofPast("unblock:1", "dismiss:2");
    case "deadline":
      return run.host.turnTimeoutMs === null ? [] : ofPast("deadline");
    case "send":
    case "interrupt":
      return paths(run).flatMap((path) => ofPast(`${kind}:${path}`));
    case "spawn":
    case "takeResult":
      return NAMES.flatMap((name) => ofPast(`${kind === "spawn" ? "spawn" : "take"}:${name}`));
    case "prepared":
      return newest(reservations).flatMap((n) =>
        ["prepared", "prepare.fail", "prepare.late"].map((verb) => `start#${n}:${verb}`),
      );
    case "handled":
      return newest(results).flatMap(([n, index]) =>
        ofPast(`handled:${n}.${index}`, `handled.fail:${n}.${index}`),
      );
    case "hostInterrupt":
      return NAMES.map((name) => `host:interrupt:/root/${name}`);
    default:
      return [];
  }
}
