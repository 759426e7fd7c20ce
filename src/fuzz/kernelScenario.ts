/**
 * What a kernel world plays: the scripts of its agents and of its host, and how many faults may happen. Plain data, so that
 * it can be named in a token. It knows no state.
 */
import type { Limits } from "../kernel/state.js";
import type { AgentPath } from "../paths.js";

/** The kinds of faults, each with a budget of its own. */
export const FAULTS = [
  /** The process dies; what is in flight is lost, or on the disk although nobody was told. */
  "crash",
  /** An append fails, or its outcome is not known. */
  "append",
  /** A settlement try fails, or passes its deadline (S3). */
  "settle",
  /** A preparation fails, or passes its deadline (T2). */
  "prepare",
  /** A handler fails, or passes its deadline (S7). */
  "handler",
  /** A sample fails. */
  "sample",
  /** A behaviour throws. */
  "throw",
  /** A turn passes its deadline (X1). */
  "deadline",
  /** A completion comes late, or a second time (S4). */
  "late",
] as const;

/** A kind of fault. */
export type Fault = (typeof FAULTS)[number];

/**
 * A scenario for the kernel. Acts are the ends of step names: `send:/root/b`, `sample`, `wait`, `spawn:c`. A sample's end is
 * a step by itself, and a turn that has done all its acts finishes.
 *
 * @example
 * { name: "two", capacity: 2, agents: { "/root/a": [["sample", "send:/root/b"]] }, host: [["spawn:/root:a", "spawn:/root:b"]] }
 */
export interface KernelScenario {
  readonly name: string;
  readonly capacity: number;
  readonly prepares?: boolean;
  readonly finalises?: boolean;
  readonly turnTimeoutMs?: number;
  readonly limits?: Limits;
  /** What the turns of an agent do, by path: the first turn the first list, and so on; the last is for all that follow. */
  readonly agents?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** What hosts do: each line in its order, the lines interleaved in any way. `reopen` opens a session that has closed. */
  readonly host: readonly (readonly string[])[];
  /** Steps taken before anything else, which no schedule can change. */
  readonly before?: readonly string[];
  /** How many commands may wait while an append is in flight; 1 unless given. More wait in vain for other commits. */
  readonly queue?: number;
  /** How many faults of each kind a run may meet; none unless given. */
  readonly faults?: Partial<Record<Fault, number>>;
  /**
   * Agents that may change places: same scripts, and treated alike by all. It makes an exhaustive search smaller. Recovery
   * and the stopping of a tree go by path, so that states which differ only in such an order count as one.
   */
  readonly alike?: readonly (readonly AgentPath[])[];
}

/** What a turn does: the acts of its agent's script for it. Agents without a script take one sample. */
export function actsOf(
  { agents = {} }: KernelScenario,
  path: AgentPath,
  turn: number,
): readonly string[] {
  const lists = agents[path] ?? [];
  return lists[Math.min(turn, lists.length) - 1] ?? DEFAULT_ACTS;
}

const DEFAULT_ACTS: readonly string[] = ["sample"];
