/**
 * The command that a step means in the state it meets. Stale turns, attempts, reservations and records are drawn too.
 */
import type { AttemptRef, TurnRef } from "../../src/events/events.js";
import type { Point } from "../../src/events/point.js";
import type { Command } from "../../src/kernel/command.js";
import type { Agent, State } from "../../src/kernel/state.js";
import { comparePaths } from "../../src/paths.js";
import { BEHAVIOR, commands } from "../../src/testing/commands.js";
import type { Step } from "./programs.js";

/** What a step may draw on besides the state: everything that has been, the newest last. */
export interface History {
  readonly turns: readonly TurnRef[];
  readonly attempts: readonly AttemptRef[];
  readonly reservations: readonly number[];
  readonly results: readonly Point[];
  /** Goes up with every text, so that each text is another. */
  readonly serial: number;
}

/** The command of a step, or `undefined` where it finds nothing to act on or is no command. */
export function commandOf(state: State, history: History, step: Step): Command | undefined {
  return (
    ofHost(state, history, step) ??
    ofSettlement(state, history, step) ??
    ofTurn(state, history, step) ??
    ofTurnsTools(state, history, step)
  );
}

const textOf = (step: Step, { serial }: History): string => `${step.kind} ${serial}`;
const targetOf = (state: State, { b }: Step): string => pick(agentsOf(state), b)?.path ?? "/root";
const nameOf = (n: number): string => "abc"[n % 3] ?? "a";

function ofHost(state: State, history: History, step: Step): Command | undefined {
  const { a, b, stale } = step;
  const text = textOf(step, history);
  const target = targetOf(state, step);
  switch (step.kind) {
    case "hostSpawn":
      return commands.spawn(nameOf(a), {
        parent: target,
        task: text,
        role: a === 7 ? "communicator" : "delegator",
      });
    case "hostSend":
      return commands.send(target, text);
    case "prompt":
      return commands.prompt(text);
    case "assign":
      return commands.assign(target, text);
    case "hostInterrupt":
      return commands.interrupt(stale ? `/root/${nameOf(a)}` : target);
    case "interruptTree":
      return commands.interruptTree(target, text);
    case "end":
      return commands.end(target);
    case "notify":
      return commands.notify(text);
    case "hold":
      return commands.hold(nameOf(a));
    case "unhold":
      return commands.unhold(pick(state.volatile.holds, a)?.name ?? "none");
    case "plan":
      return commands.setPlan(b === 0 ? state.durable.plan : !state.durable.plan);
    case "prepared":
      return preparedOf(state, history, step);
    case "capacity":
      return commands.setCapacity(1 + (a % 4));
    case "close":
      return commands.close();
    default:
      return undefined;
  }
}

function ofSettlement(state: State, history: History, step: Step): Command | undefined {
  const stale = step.stale ? pick(history.attempts.toReversed(), step.a) : undefined;
  const attempt = stale ?? tryOf(state);
  switch (step.kind) {
    case "settle":
      return attempt === undefined ? undefined : commands.settled(attempt);
    case "settleFail":
      return attempt === undefined ? undefined : commands.notSettled(attempt);
    case "sendFinally":
      if (attempt === undefined) return undefined;
      return commands.sendFinally(targetOf(state, step), textOf(step, history), attempt);
    case "retry": {
      const turn = step.stale ? pick(history.turns.toReversed(), step.a) : pausedOf(state);
      return turn === undefined ? undefined : commands.retry(turn);
    }
    case "handled":
      return handledOf(state, history, step);
    default:
      return undefined;
  }
}

function ofTurn(state: State, history: History, step: Step): Command | undefined {
  const turn = turnOf(state, history, step);
  if (turn === undefined) return undefined;
  const attempt = attemptOf(state, history, step, turn);
  const { b } = step;
  const text = textOf(step, history);
  switch (step.kind) {
    case "sample":
      return commands.sample(turn);
    case "sampleEnd":
      return commands.sampleEnd(attempt, b === 0 ? { failed: "offline" } : { result: text });
    case "partial":
      return commands.partial(turn, text);
    case "record":
      return commands.record(turn, text);
    case "wait":
      return commands.wait(turn);
    case "timeout":
      return commands.timeout(attempt);
    case "finish":
      return b === 0 ? commands.finishWithSample(turn) : commands.finish(turn, text);
    case "fail":
      return commands.fail(turn, text);
    case "deadline":
      return state.host.turnTimeoutMs === null ? undefined : commands.deadline(turn);
    default:
      return undefined;
  }
}

function ofTurnsTools(state: State, history: History, step: Step): Command | undefined {
  const turn = turnOf(state, history, step);
  if (turn === undefined) return undefined;
  const { b } = step;
  const text = textOf(step, history);
  const target = targetOf(state, step);
  switch (step.kind) {
    case "spawn":
      return commands.spawn(nameOf(b), { by: turn, task: text, behavior: BEHAVIOR });
    case "send":
      return commands.send(target, text, turn);
    case "interrupt":
      return commands.interrupt(target, turn);
    case "yield":
      return commands.yield(turn, text);
    case "complete":
      return commands.complete(turn, executionOf(state, turn, b), text, b === 0);
    case "block":
      return commands.block(turn, text);
    case "unblock":
      return commands.unblock(turn, 1 + (b % 3), b === 0 ? undefined : text);
    case "takeResult":
      return takeResultOf(state, step) ?? commands.takeResult(turn, nameOf(b));
    default:
      return undefined;
  }
}

function turnOf(state: State, history: History, step: Step): TurnRef | undefined {
  if (step.stale) return pick(history.turns.toReversed(), step.a);
  return pick(liveTurns(state), step.a);
}

/** Drawn from the live children of live turns: handlers that can come to something are rare otherwise. */
function takeResultOf(state: State, { a, stale }: Step): Command | undefined {
  const live = liveTurns(state);
  const pairs = live.flatMap((child) => {
    const parent = state.durable.agents.get(child.path)?.parent;
    const turn = live.find(({ path }) => path === parent?.path);
    return turn === undefined ? [] : [{ turn, child: child.path }];
  });
  const found = stale ? undefined : pick(pairs, a);
  return found === undefined ? undefined : commands.takeResult(found.turn, found.child);
}

function attemptOf(state: State, history: History, step: Step, turn: TurnRef): AttemptRef {
  const stale = step.stale ? pick(history.attempts.toReversed(), step.b) : undefined;
  if (stale !== undefined) return stale;
  const live = state.durable.agents.get(turn.path)?.turn;
  return { ...turn, attempt: live?.open ?? live?.attempts ?? 0 };
}

function executionOf(state: State, turn: TurnRef, b: number): number {
  const running = state.durable.agents.get(turn.path)?.turn?.executions.values() ?? [];
  return pick([...running], b) ?? b;
}

function preparedOf(state: State, history: History, { a, b, stale }: Step): Command | undefined {
  const reservation = stale
    ? pick(history.reservations.toReversed(), a)
    : pick(state.volatile.reservations, a)?.reservation;
  if (reservation === undefined) return undefined;
  if (b === 0) return commands.notPrepared(reservation, "no");
  return b === 1 ? commands.tooLate(reservation) : commands.prepared(reservation);
}

function handledOf(state: State, history: History, { a, b, stale }: Step): Command | undefined {
  const failed = b % 2 === 0 ? undefined : "the disk is full";
  if (stale) {
    const record = pick(history.results.toReversed(), a);
    const turn = pick(history.turns.toReversed(), b);
    if (record === undefined || turn === undefined) return undefined;
    return commands.handled(turn, record, failed);
  }
  const running = pick(runningHandlers(state), a);
  return running === undefined ? undefined : commands.handled(running.turn, running.record, failed);
}

/** Handlers that have a record to work on. */
export function runningHandlers(
  state: State,
): readonly { readonly turn: TurnRef; readonly record: Point }[] {
  return state.volatile.handlers.flatMap(({ turn, record }) =>
    record === null ? [] : [{ turn, record }],
  );
}

/** The settlement try that runs, if one does. */
export function tryOf(state: State): AttemptRef | undefined {
  const { trying } = state.durable;
  const agent = trying === null ? undefined : state.durable.agents.get(trying);
  if (agent?.turn == null) return undefined;
  const { path, gen, turn } = agent;
  return { path, gen, turn: turn.turn, attempt: turn.attempts };
}

/** A turn that is between two tries of its settlement. */
export function pausedOf(state: State): TurnRef | undefined {
  return liveTurns(state).find(
    ({ path }) => state.durable.agents.get(path)?.turn?.settling?.paused === true,
  );
}

/** All live turns, by path. */
export function liveTurns(state: State): readonly TurnRef[] {
  return agentsOf(state).flatMap(({ path, gen, turn }) =>
    turn === null ? [] : [{ path, gen, turn: turn.turn }],
  );
}

/** All agents, by path. */
export function agentsOf(state: State): readonly Agent[] {
  return [...state.durable.agents.values()].sort((one, other) =>
    comparePaths(one.path, other.path),
  );
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(list.length, 1)];
}
