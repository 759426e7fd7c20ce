/**
 * An old log and today's kernel: everything that entered the session is put to the kernel again, and what it decides is
 * compared with what is on the log, in the words of the rules.
 */
import { isDeepStrictEqual } from "node:util";
import { Bug } from "../errors.js";
import type { DovecoteEvent } from "../events/events.js";
import type { OperationPlanned } from "../events/operations.js";
import { type Point, formatPoint } from "../events/point.js";
import type { Command } from "../kernel/command.js";
import { type Decision, decide } from "../kernel/decide.js";
import { fold } from "../kernel/stage.js";
import { type Host, type State, emptyState, plainHost } from "../kernel/state.js";
import { type Hosts, hostsOf } from "./host.js";
import { inputAt } from "./inputs.js";
import type { Trace } from "./trace.js";
import { describe } from "./words.js";

/** The kernel that a log is compared with. */
export type Decide = (state: State, command: Command) => Decision;

/** What a comparison is told besides the log. */
export interface VerifyOptions {
  /** Today's kernel unless another is given. */
  readonly decide?: Decide;
  /**
   * What the recorded program brought, where its events can't tell: behaviours that it did not know, a bound on turns.
   */
  readonly host?: Partial<Host>;
}

/** One recorded input: the command, and the events that were made of it. */
export interface Input {
  readonly at: Point;
  readonly command: Command;
  readonly events: readonly DovecoteEvent[];
  /** The state that it met. */
  readonly before: State;
}

/** Where today's kernel decides otherwise. */
export interface Difference {
  readonly at: Point;
  /** What was asked there; `null` when no request leads to what is recorded. */
  readonly command: Command | null;
  /** What is on the log, and what today's kernel does instead; `null` for nothing more. */
  readonly recorded: string | null;
  readonly decided: string | null;
  /** The whole of it, in one sentence. */
  readonly text: string;
}

/**
 * The first place where today's kernel decides otherwise than the log says; `undefined` when there is none (L4).
 *
 * @throws LogCorrupt when the log can't be read
 * @example const difference = await verify(trace); console.log(difference?.text ?? "the same")
 */
export async function verify(
  trace: Trace,
  options: VerifyOptions = {},
): Promise<Difference | undefined> {
  for await (const one of walk(trace, options)) if ("text" in one) return one;
  return undefined;
}

/**
 * Everything that entered a recorded session, in order, with what came of it. Today's kernel must agree with the log.
 *
 * @throws Bug at the first place where it does not: see {@link verify}.
 * @example for await (const { at, command } of inputsOf(trace)) console.log(at, command.kind)
 */
export async function* inputsOf(trace: Trace, options: VerifyOptions = {}): AsyncGenerator<Input> {
  for await (const one of walk(trace, options)) {
    if ("text" in one) throw new Bug(`this log can't be run on: ${one.text}`);
    yield one;
  }
}

async function* walk(trace: Trace, options: VerifyOptions): AsyncGenerator<Input | Difference> {
  const hosts = await hostsOf(trace.events(), options.host);
  const today = options.decide ?? decide;
  const plans = new Map<string, OperationPlanned>();
  let state = emptyState(plainHost([], options.host));
  for (let n = 1; n <= trace.length; n++) {
    const { events } = await trace.commit(n);
    for (let index = 0; index < events.length;) {
      const before = { ...hosted(state, events[index], hosts), next: [n, index] as const };
      const left = events.slice(index);
      const found = compare(before, left, plans, today);
      yield found;
      if ("text" in found) return;
      state = found.events.reduce(fold, before);
      found.events.forEach((event, i) => {
        if (event.type === "operation.planned") plans.set(formatPoint([n, index + i]), event);
      });
      index += found.events.length;
    }
  }
}

/** A run begins with the host that opens it. */
function hosted(state: State, event: DovecoteEvent | undefined, hosts: Hosts): State {
  const run = event?.type === "session.opened" ? event.run : Math.max(state.durable.run, 1);
  const host = hosts.get(run);
  return host === undefined || host === state.host ? state : { ...state, host };
}

function compare(
  before: State,
  left: readonly DovecoteEvent[],
  plans: ReadonlyMap<string, OperationPlanned>,
  today: Decide,
): Input | Difference {
  const at = before.next;
  const command = inputAt({ state: before, events: left, plans });
  if (command === undefined) return differs(at, null, left[0], undefined);
  const { outcome, events } = today(before, command);
  if (!outcome.ok) {
    const { rule, message } = outcome.rejection;
    return differs(at, command, left[0], undefined, `refuses it (${rule}): ${message}`);
  }
  for (const [i, decided] of events.entries()) {
    if (isDeepStrictEqual(decided, unforked(left[i]))) continue;
    return differs([at[0], at[1] + i], command, left[i], decided);
  }
  // A decision that does nothing would keep the walk where it is.
  if (events.length === 0) return differs(at, command, left[0], undefined);
  return { at, command, events: left.slice(0, events.length), before };
}

/** Where a session was forked from is nothing that was asked of it. */
function unforked(event: DovecoteEvent | undefined): DovecoteEvent | undefined {
  if (event?.type !== "session.created") return event;
  const { parent: _, ...rest } = event;
  return rest;
}

function differs(
  at: Point,
  command: Command | null,
  was: DovecoteEvent | undefined,
  is: DovecoteEvent | undefined,
  instead?: string,
): Difference {
  const recorded = was === undefined ? null : describe(was);
  const decided = is === undefined ? null : describe(is);
  const what = command === null ? "nothing that is asked leads there" : `asked was ${command.kind}`;
  const today =
    instead ??
    (decided === null
      ? "does nothing of the kind"
      : decided === recorded
        ? `says the same with another ${fieldsThatDiffer(was, is).join(", ")}`
        : `has: ${decided}`);
  const text = `${formatPoint(at)}: recorded is: ${recorded ?? "nothing more"}; ${what}; today's kernel ${today}`;
  return { at, command, recorded, decided, text };
}

function fieldsThatDiffer(
  was: DovecoteEvent | undefined,
  is: DovecoteEvent | undefined,
): readonly string[] {
  const [one, other] = [was ?? {}, is ?? {}] as readonly Record<string, unknown>[];
  const keys = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
  return [...keys].filter((key) => !isDeepStrictEqual(one?.[key], other?.[key]));
}
