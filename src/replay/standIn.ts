/**
 * Stand-ins for behaviours: a turn that only a fork has has nobody who plays it. A stand-in prepares what waits to be
 * prepared, lets the turn read its mail once, and completes it without a word.
 */
import type { TurnRef } from "../events/refs.js";
import type { Command } from "../kernel/command.js";
import type { Agent, State, Turn } from "../kernel/state.js";
import { comparePaths } from "../paths.js";
import type { Run } from "./rerun.js";

/** Two agents that write to each other need no end; a stand-in's turns do. */
const MOST_STEPS = 10_000;

/** Plays every live turn that is not among the known ones, until none of them is left to play. */
export function standIn(run: Run, isKnown: (turn: TurnRef) => boolean): void {
  for (let step = 0; step < MOST_STEPS; step++) {
    const command = nextOf(run.state, isKnown);
    if (command === undefined) return;
    const { events } = run.put(command);
    run.commit();
    if (events.length === 0) return;
  }
}

function nextOf(state: State, isKnown: (turn: TurnRef) => boolean): Command | undefined {
  const waiting = state.volatile.reservations.find(({ ready }) => !ready);
  const agents = [...state.durable.agents.values()].sort((a, b) => comparePaths(a.path, b.path));
  for (const agent of agents) {
    const { path, gen, turn } = agent;
    if (turn === null || isKnown({ path, gen, turn: turn.turn })) continue;
    const command = played(state, agent, turn);
    if (command !== undefined) return command;
  }
  return waiting === undefined ? undefined : { kind: "prepared", reservation: waiting.reservation };
}

function played(
  { durable }: State,
  { path, gen, phase, unread }: Agent,
  turn: Turn,
): Command | undefined {
  const ref = { path, gen, turn: turn.turn };
  if (turn.settling !== null) {
    if (turn.settling.paused) return { kind: "settlement.retry", turn: ref };
    const attempt = { ...ref, attempt: turn.attempts };
    return durable.trying === path ? { kind: "settlement.end", attempt } : undefined;
  }
  if (turn.open !== null) {
    const attempt = { ...ref, attempt: turn.open };
    if (phase === "waiting") return { kind: "wait.timeout", attempt };
    return { kind: "sample.end", attempt, result: "" };
  }
  if (unread.toArray().some(({ withheld }) => !withheld))
    return { kind: "sample.begin", turn: ref };
  return { kind: "turn.finish", turn: ref, end: { kind: "completed", response: "" } };
}
