/**
 * What random programs leave on the log, with the state after each part of it: for properties of those who read events.
 */
import { fc } from "@fast-check/vitest";
import { type Program, play, programs } from "../../src/fuzz/programs.js";
import type { Placed } from "../../src/kernel/loop.js";
import { fold } from "../../src/kernel/stage.js";
import { type State, emptyState } from "../../src/kernel/state.js";

/** A part of a log, and the state that all up to its end folds to. */
export interface Told {
  readonly state: State;
  readonly events: readonly Placed[];
}

/** The log of a program, commit by commit. */
function told(program: Program): readonly Told[] {
  const run = play(program);
  const commits = new Map<number, Placed[]>();
  for (const one of run.placed()) {
    const [n] = one.at;
    commits.set(n, [...(commits.get(n) ?? []), one]);
  }
  let state = emptyState(run.host);
  return [...commits].map(([n, events]) => {
    for (const { event } of events) state = fold(state, event);
    state = { ...state, next: [n + 1, 0] };
    return { state, events };
  });
}

/** What a program of one life shows, group by group as it does: nothing of it is lost. */
function toldAsShown(program: Program): readonly Told[] {
  const groups: Told[] = [];
  const off = [...program.off, "crash", "break", "close"] as const;
  play({ ...program, off }, { shown: ({ state }, events) => void groups.push({ state, events }) });
  return groups;
}

/** Programs that are told either way. */
export const tellings = fc.record({ program: programs, whole: fc.boolean() });

/** The log of a program, told as it is drawn. */
export function tell({
  program,
  whole,
}: {
  readonly program: Program;
  readonly whole: boolean;
}): readonly Told[] {
  return whole ? told(program) : toldAsShown(program);
}
