/**
 * What events name: agents, turns, causes, senders. The words in which every event speaks; nothing here is an event.
 */
import type { AgentPath } from "../paths.js";
import type { Point } from "./point.js";

/** Who wrote a record: an agent that can be addressed, or the person behind the root (A6). */
export type Sender = AgentPath | "person";

/**
 * What caused an event: an earlier event, or something that entered from outside,
 * named `source:what` (`person:prompt`, `host:assign`, `clock:timeout`).
 */
export type Cause = Point | `${"host" | "person" | "clock" | "work"}:${string}`;

/** One agent's identity: its path and how often that path had been used before (A5). */
export interface AgentRef {
  readonly path: AgentPath;
  readonly gen: number;
}

/** One turn of one agent. */
export interface TurnRef extends AgentRef {
  readonly turn: number;
}

/** One sample, wait or settlement try of a turn; the counter runs over all three (T1). */
export interface AttemptRef extends TurnRef {
  readonly attempt: number;
}

/** An event: its name, what caused it, and its own fields. */
export type Event<Type extends string, Body> = {
  readonly type: Type;
  readonly cause: Cause;
} & Body;
