/**
 * Reading what was typed: positions, points and paths. What can't be read is a usage error that says what would be right.
 */
import { InvalidArgumentError } from "commander";
import type { Point } from "../events/point.js";
import { type AgentPath, isAgentPath } from "../paths.js";
import type { Position } from "../replay/trace.js";

/** `12` is after commit 12, `12.3` after its fourth event. */
export function readPosition(text: string): Position {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return readPoint(text);
}

/** `12.3` names one event. */
export function readPoint(text: string): Point {
  const [, n, index] = /^(\d{1,15})\.(\d{1,9})$/.exec(text) ?? [];
  if (n === undefined || index === undefined) {
    throw new InvalidArgumentError("Write a commit, such as 12, or an event of it, such as 12.3.");
  }
  return [Number(n), Number(index)];
}

/** A canonical path, or one below the root without it: `editor` is `/root/editor`. */
export function readPath(text: string): AgentPath {
  const path = text.startsWith("/") ? text : `/root/${text}`;
  if (isAgentPath(path)) return path;
  throw new InvalidArgumentError("Write an agent's path, such as /root/editor.");
}

/** A whole number, zero too. */
export function readWhole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write a whole number, such as 1000.");
}

/** A whole number above zero. */
export function readCount(text: string): number {
  const count = readWhole(text);
  if (count > 0) return count;
  throw new InvalidArgumentError("Write a whole number above zero.");
}
