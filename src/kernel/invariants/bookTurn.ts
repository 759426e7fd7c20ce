/**
 * The page of a live turn in the books: what is open in it, what it runs, and what keeps it. Kept from the events alone.
 */
import type { DovecoteEvent, OutcomeKind } from "../../events/events.js";

/** A live turn. */
export interface BookTurn {
  readonly turn: number;
  /** The open sample or wait. */
  readonly open: { readonly kind: "sample" | "wait"; readonly attempt: number } | null;
  readonly attempts: number;
  readonly outcome: OutcomeKind | null;
  /** Its RESULT marks nobody (I6). */
  readonly muted: boolean;
  readonly executions: ReadonlySet<number>;
  readonly blockers: ReadonlySet<number>;
}

const NONE: ReadonlySet<number> = new Set<number>();

/** A turn that has just started. */
export function freshTurn(turn: number): BookTurn {
  return {
    turn,
    open: null,
    attempts: 0,
    outcome: null,
    muted: false,
    executions: NONE,
    blockers: NONE,
  };
}

/** What an event inside a turn changes of it; `null` for nothing. */
export function advance(live: BookTurn, event: DovecoteEvent): Partial<BookTurn> | null {
  switch (event.type) {
    case "sample.began":
    case "wait.began": {
      const kind = event.type === "sample.began" ? "sample" : "wait";
      return { open: { kind, attempt: event.attempt }, attempts: event.attempt };
    }
    case "sample.ended":
    case "wait.ended":
      return { open: null };
    case "execution.yielded":
      return { executions: new Set([...live.executions, event.execution]) };
    case "execution.completed":
      return { executions: without(live.executions, event.execution) };
    case "blocker.added":
      return { blockers: new Set([...live.blockers, event.token]) };
    case "blocker.released":
      return { blockers: without(live.blockers, event.token) };
    default:
      return null;
  }
}

function without(set: ReadonlySet<number>, gone: number): ReadonlySet<number> {
  return new Set([...set].filter((one) => one !== gone));
}
