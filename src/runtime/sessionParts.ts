/**
 * What a session is built from: its folded log, and what its host brings. Types only.
 */
import type { Inspect } from "../actors/agentActors.js";
import type { State } from "../kernel/state.js";
import type { EventLog, SessionLog } from "../log/log.js";
import type { ProjectionRunner } from "../projections/runner.js";
import type { Behavior, Finaliser } from "./api.js";
import type { PeerOptions } from "./peer/api.js";
import type { Ports } from "./ports.js";
import type { BuiltIn } from "./projections.js";
import type { Prepare } from "./shell.js";

/** What a session is built from, once its log has been folded. */
export interface SessionParts {
  readonly state: State;
  readonly runner: ProjectionRunner<BuiltIn>;
  readonly log: SessionLog;
  /** Closed with the session, when the session had opened it. */
  readonly ownLog: EventLog | null;
  readonly ports: Ports;
  readonly behaviors: Readonly<Record<string, Behavior>>;
  readonly prepare: Prepare | undefined;
  readonly finalisers: Readonly<Record<string, Finaliser>>;
  readonly inspect: Inspect | undefined;
  readonly closeWithinMs: number;
  readonly onObserverError: (error: unknown) => void;
  readonly snapshotAfterBytes: number;
  readonly peer: PeerOptions;
  /** The host's redactor (J3). */
  readonly redact: ((text: string) => string) | undefined;
}
