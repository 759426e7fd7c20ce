/**
 * Snapshots as text: sealed, so that a damaged one is told from a good one and passed over (L7).
 * Which of them fits a stream is the log's question.
 */
import { openSealed, seal } from "../events/sealed.js";
import type { Snapshot } from "./log.js";
import { sha256 } from "./sha256.js";

/** How many snapshots a session keeps: the newest, and one to fall back on. */
export const SNAPSHOTS_KEPT = 2;

/** A snapshot as it is stored. */
export function encodeSnapshot(snapshot: Snapshot): string {
  const { position, hash, version, state } = snapshot;
  return seal({ position, hash, version, state }, sha256).text;
}

/** A stored snapshot; `undefined` when it is not readable, whatever the reason (L7). */
export function decodeSnapshot(text: string): Snapshot | undefined {
  const stored = openSealed(text, sha256);
  if (stored === undefined) return undefined;
  // The seal's own field took the name `h`, so these are the snapshot's.
  const { position, hash, version, state } = stored;
  if (typeof position !== "number" || typeof hash !== "string") return undefined;
  if (typeof version !== "number" || typeof state !== "string") return undefined;
  return { position, hash, version, state };
}
