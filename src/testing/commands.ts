/**
 * Commands in short: what tests put to the kernel, with the parts that a test does not care about filled in.
 * Owns no rule; every function gives plain data.
 */
import type { AttemptRef, Json, TurnRef } from "../events/events.js";
import type { Point } from "../events/point.js";
import type { Command, CommandOf } from "../kernel/command.js";
import type { AgentPath } from "../paths.js";

/** The behaviour that every agent of a scenario has unless it says otherwise. */
export const BEHAVIOR = "agent";

/** A turn as a reference: the first one of the first generation unless given. */
export function turnOf(path: AgentPath, turn = 1, gen = 1): TurnRef {
  return { path, gen, turn };
}

/** A sample, wait or settlement try of a turn: the first one unless given. */
export function attemptOf(turn: TurnRef, attempt = 1): AttemptRef {
  return { ...turn, attempt };
}

/** What {@link commands.spawn} lets a test say. */
export type SpawnOptions = Partial<Omit<CommandOf<"spawn">, "kind" | "name">>;

/** What {@link commands.sampleEnd} lets a test say. */
export type SampleEndOptions = Omit<CommandOf<"sample.end">, "kind" | "attempt">;

/**
 * Every command as a function. `by` is the caller's turn; the host or the person where it is left out.
 *
 * @example commands.send("/root/editor", "hello", turnOf("/root/writer"))
 */
export const commands = {
  open: (capacity: number | null = null): Command => ({ kind: "open", capacity }),
  close: (): Command => ({ kind: "close" }),
  flush: (): Command => ({ kind: "flush" }),
  setPlan: (on: boolean): Command => ({ kind: "setPlan", on }),
  hold: (name = "pause"): Command => ({ kind: "hold", name }),
  unhold: (name = "pause"): Command => ({ kind: "unhold", name }),
  notify: (text: string): Command => ({ kind: "notify", text }),
  end: (target: string): Command => ({ kind: "end", target }),
  interruptTree: (target: string, reason?: string): Command => ({
    kind: "interruptTree",
    target,
    ...(reason === undefined ? {} : { reason }),
  }),
  setCapacity: (capacity: number): Command => ({ kind: "setCapacity", capacity }),
  spawn: (name: string, options: SpawnOptions = {}): Command => ({
    kind: "spawn",
    by: null,
    name,
    behavior: BEHAVIOR,
    task: `be ${name}`,
    ...options,
  }),
  send: (target: string, text: string, by: TurnRef | null = null): Command => ({
    kind: "send",
    by,
    target,
    text,
  }),
  /** A send of a finaliser of that settlement try (T1). */
  sendFinally: (target: string, text: string, { attempt, ...by }: AttemptRef): Command => ({
    kind: "send",
    by,
    target,
    text,
    finaliser: attempt,
  }),
  prompt: (text: string): Command => ({ kind: "prompt", text }),
  assign: (target: string, task: string): Command => ({ kind: "assign", target, task }),
  interrupt: (target: string, by: TurnRef | null = null, reason?: string): Command => ({
    kind: "interrupt",
    by,
    target,
    ...(reason === undefined ? {} : { reason }),
  }),
  sample: (turn: TurnRef): Command => ({ kind: "sample.begin", turn }),
  sampleEnd: (attempt: AttemptRef, end: SampleEndOptions = { result: "said" }): Command => ({
    kind: "sample.end",
    attempt,
    ...end,
  }),
  partial: (turn: TurnRef, text: string): Command => ({ kind: "partial", turn, text }),
  record: (turn: TurnRef, entry: Json): Command => ({ kind: "record", turn, entry }),
  /** A record of a finaliser of that settlement try (T1). */
  recordFinally: ({ attempt, ...turn }: AttemptRef, entry: Json): Command => ({
    kind: "record",
    turn,
    entry,
    finaliser: attempt,
  }),
  block: (turn: TurnRef, label = "may I?"): Command => ({ kind: "block", turn, label }),
  unblock: (turn: TurnRef, token = 1, answer?: string): Command => ({
    kind: "unblock",
    turn,
    token,
    ...(answer === undefined ? {} : { answer }),
  }),
  takeResult: (turn: TurnRef, child: string): Command => ({ kind: "takeResult", turn, child }),
  handled: (turn: TurnRef, record: Point, failed?: string): Command => ({
    kind: "handler.end",
    turn,
    record,
    ...(failed === undefined ? {} : { failed }),
  }),
  wait: (turn: TurnRef, timeout?: unknown): Command => ({ kind: "wait", turn, timeout }),
  timeout: (attempt: AttemptRef): Command => ({ kind: "wait.timeout", attempt }),
  yield: (turn: TurnRef, command = "make"): Command => ({ kind: "yield", turn, command }),
  complete: (turn: TurnRef, execution: number, text = "done", stopped = false): Command => ({
    kind: "execution.complete",
    turn,
    execution,
    text,
    stopped,
  }),
  finish: (turn: TurnRef, response = "done"): Command => ({
    kind: "turn.finish",
    turn,
    end: { kind: "completed", response },
  }),
  finishWithSample: (turn: TurnRef): Command => ({
    kind: "turn.finish",
    turn,
    end: { kind: "completed", response: { sample: true } },
  }),
  fail: (turn: TurnRef, reason = "it threw"): Command => ({
    kind: "turn.finish",
    turn,
    end: { kind: "errored", reason },
  }),
  deadline: (turn: TurnRef): Command => ({ kind: "turn.timeout", turn }),
  notSettled: (attempt: AttemptRef, reason = "a finaliser threw"): Command => ({
    kind: "settlement.fail",
    attempt,
    reason,
  }),
  retry: (turn: TurnRef): Command => ({ kind: "settlement.retry", turn }),
  settled: (attempt: AttemptRef): Command => ({ kind: "settlement.end", attempt }),
  prepared: (reservation: number): Command => ({ kind: "prepared", reservation }),
  notPrepared: (reservation: number, failed: string): Command => ({
    kind: "prepared",
    reservation,
    failed,
  }),
  tooLate: (reservation: number): Command => ({ kind: "prepared", reservation, late: true }),
} as const;
