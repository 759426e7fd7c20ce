/**
 * What a commit keeps under a key, so that a repeated request is found by it: which record a request made and what was
 * answered (M3), and where the steps of an operation stand (O5). The kernel never looks a key up, and its state holds
 * none: they are found in the log before a command is decided.
 */
import type { Recipient } from "../events/operations.js";
import type { Point } from "../events/point.js";
import { formatPoint } from "../events/point.js";
import type { Answers, Command, CommandOf } from "./command.js";

/** A request that was carried out. */
export interface Keyed {
  readonly kind: "send" | "prompt";
  /** The record that it queued. */
  readonly at: Point;
  /** The one answer of a send that is not empty (M7). */
  readonly held: boolean;
}

/** A step of an operation that is looked up when the operation is repeated (O5). */
export type Step = "planned" | `${Recipient}.attempted` | `${Recipient}.resulted`;

/** What the library's own keys begin with, and a caller's never does. */
export const OWN_KEY = "\0";

/** Where a step of an operation is found. */
export function stepKey(step: Step, operation: string): string {
  return `${OWN_KEY}${step}/${operation}`;
}

/** Where a message of the operation layer is found. */
export function messageKey(message: string): string {
  return `${OWN_KEY}message/${message}`;
}

/** The key of an accepted command, with what its commit says of it; `undefined` where it has none. */
export function keyEntry(
  command: Command,
  answer: Answers[keyof Answers],
): readonly [key: string, value: string] | undefined {
  switch (command.kind) {
    case "prompt": {
      if (command.key === undefined) return undefined;
      const { input } = answer as Answers["prompt"];
      return [command.key, `prompt ${formatPoint(input)}`];
    }
    case "send": {
      if (command.key === undefined) return undefined;
      const { record, held } = answer as Answers["send"];
      return [command.key, `send ${formatPoint(record)}${held ? " held" : ""}`];
    }
    case "operation.plan":
    case "operation.attempt":
    case "operation.append":
    case "operation.result":
      return [operationKey(command, answer), formatPoint((answer as { readonly at: Point }).at)];
    default:
      return undefined;
  }
}

type OperationCommand = CommandOf<
  "operation.plan" | "operation.attempt" | "operation.append" | "operation.result"
>;

function operationKey(command: OperationCommand, answer: Answers[keyof Answers]): string {
  if (command.kind === "operation.plan") return stepKey("planned", command.operation);
  const { plan, recipient } = command;
  if (command.kind === "operation.append") return messageKey(plan.messages[recipient]);
  const began =
    command.kind === "operation.attempt" && (answer as Answers["operation.attempt"]).ended === null;
  return stepKey(`${recipient}.${began ? "attempted" : "resulted"}`, plan.operation);
}

/** Reads what a commit says of a key; `undefined` for what {@link keyEntry} does not write. */
export function readKeyed(value: string): Keyed | undefined {
  const found = /^(send|prompt) ([0-9]{1,15})\.([0-9]{1,15})( held)?$/.exec(value);
  if (found === null) return undefined;
  const [, kind, n, index, held] = found;
  return { kind: kind as Keyed["kind"], at: [Number(n), Number(index)], held: held !== undefined };
}

/** Reads where a step or a message stands; `undefined` for what {@link keyEntry} does not write. */
export function readPlace(value: string): Point | undefined {
  const found = /^([0-9]{1,15})\.([0-9]{1,15})$/.exec(value);
  return found === null ? undefined : [Number(found[1]), Number(found[2])];
}
