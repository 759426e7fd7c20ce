/**
 * The phases of an agent and the events that move it: one table with two readers.
 * The kernel's fold looks it up; `actors/` builds the XState machine from it. Nothing else may encode it.
 */
import type { EventType } from "../events/events.js";

/** Where an agent is (T1). Running and waiting are the two sides of one active turn. */
export type Phase = "idle" | "running" | "waiting" | "settling";

/**
 * Phase, then event, then the phase after it. An event that stands anywhere in the table is legal only in the phases
 * that list it; an event that stands nowhere in it moves nobody.
 */
export const PHASES = {
  idle: { "turn.started": "running" },
  running: {
    "sample.began": "running",
    "partial.recorded": "running",
    "sample.ended": "running",
    "execution.yielded": "running",
    "turn.extended": "running",
    "wait.began": "waiting",
    "settlement.began": "settling",
  },
  waiting: { "wait.ended": "running" },
  settling: {
    "settlement.attempted": "settling",
    "settlement.failed": "settling",
    "turn.settled": "idle",
  },
} as const satisfies Record<Phase, Partial<Record<EventType, Phase>>>;

/** Any table of that shape: the honesty tests build machines from broken ones. */
export type PhaseTable = Readonly<Record<Phase, Readonly<Partial<Record<EventType, Phase>>>>>;

/** The phase after an event, or `undefined` where the table forbids it. */
export function nextPhase(phase: Phase, event: EventType): Phase | undefined {
  return (PHASES as PhaseTable)[phase][event];
}
