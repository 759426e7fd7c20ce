/**
 * What a commit keeps of a request that has an idempotency key: which record it made, and what was answered (M3).
 * The kernel never looks a key up, and its state holds none: they are found in the log before a command is decided.
 */
import type { Point } from "../events/point.js";
import { formatPoint } from "../events/point.js";
import type { Answers, Command } from "./command.js";

/** A request that was carried out. */
export interface Keyed {
  readonly kind: "send" | "prompt";
  /** The record that it queued. */
  readonly at: Point;
  /** The one answer of a send that is not empty (M7). */
  readonly held: boolean;
}

/** The key of an accepted command, with what its commit says of it; `undefined` where it has none. */
export function keyEntry(
  command: Command,
  answer: Answers[keyof Answers],
): readonly [key: string, value: string] | undefined {
  if (command.kind === "prompt" && command.key !== undefined) {
    const { input } = answer as Answers["prompt"];
    return [command.key, `prompt ${formatPoint(input)}`];
  }
  if (command.kind === "send" && command.key !== undefined) {
    const { record, held } = answer as Answers["send"];
    return [command.key, `send ${formatPoint(record)}${held ? " held" : ""}`];
  }
  return undefined;
}

/** Reads what a commit says of a key; `undefined` for what {@link keyEntry} does not write. */
export function readKeyed(value: string): Keyed | undefined {
  const found = /^(send|prompt) ([0-9]{1,15})\.([0-9]{1,15})( held)?$/.exec(value);
  if (found === null) return undefined;
  const [, kind, n, index, held] = found;
  return { kind: kind as Keyed["kind"], at: [Number(n), Number(index)], held: held !== undefined };
}
