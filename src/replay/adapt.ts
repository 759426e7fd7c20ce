/**
 * A recorded command in a fork, where things may stand elsewhere: the same request, with the numbers of attempts, records
 * and reservations that stand for the same there.
 */
import type { AttemptRef, TurnRef } from "../events/refs.js";
import { samePoint } from "../events/point.js";
import type { Command } from "../kernel/command.js";
import type { Handler, State, Turn } from "../kernel/state.js";
import type { Input } from "./verify.js";

/** The command as the fork would put it; `null` where there is nothing there that it could be about. */
export function adapt({ command, before }: Input, state: State): Command | null {
  switch (command.kind) {
    case "create":
      return null;
    case "sample.end":
    case "wait.timeout": {
      const open = liveTurn(state, command.attempt)?.open;
      return open == null ? null : { ...command, attempt: { ...command.attempt, attempt: open } };
    }
    case "settlement.end":
    case "settlement.fail": {
      const attempt = tryOf(state, command.attempt);
      return attempt === null ? null : { ...command, attempt };
    }
    case "send":
    case "record":
      return finalised(command, state);
    case "handler.end": {
      const was = handlerOf(
        before,
        (one) => one.record !== null && samePoint(one.record, command.record),
      );
      const is = handlerOf(state, (one) => one.record !== null && isSameHandler(one, was));
      return is?.record == null ? null : { ...command, record: is.record };
    }
    case "prepared": {
      const was = before.volatile.reservations.find(
        (one) => one.reservation === command.reservation,
      );
      const is = state.volatile.reservations.find((one) => one.path === was?.path && !one.ready);
      return is === undefined ? null : { ...command, reservation: is.reservation };
    }
    case "operation.attempt":
    case "operation.append":
    case "operation.result":
      // Its plan may stand elsewhere, and the kernel keeps no plans.
      return samePoint(before.next, state.next) ? command : null;
    default:
      return command;
  }
}

function liveTurn(state: State, ref: TurnRef): Turn | null {
  const agent = state.durable.agents.get(ref.path);
  return agent?.gen === ref.gen && agent.turn?.turn === ref.turn ? agent.turn : null;
}

function tryOf(state: State, ref: AttemptRef): AttemptRef | null {
  const turn = state.durable.trying === ref.path ? liveTurn(state, ref) : null;
  return turn === null ? null : { ...ref, attempt: turn.attempts };
}

/** A finaliser of the try that runs (T1). */
function finalised<C extends Command & { readonly finaliser?: number }>(
  command: C,
  { durable }: State,
): C {
  if (command.finaliser === undefined || durable.trying === null) return command;
  const turn = durable.agents.get(durable.trying)?.turn;
  return turn == null ? command : { ...command, finaliser: turn.attempts };
}

function handlerOf({ volatile }: State, holds: (one: Handler) => boolean): Handler | undefined {
  return volatile.handlers.find(holds);
}

function isSameHandler({ child, turn }: Handler, other: Handler | undefined): boolean {
  return child.path === other?.child.path && turn.path === other.turn.path;
}
