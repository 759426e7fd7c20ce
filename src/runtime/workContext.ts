/**
 * What the work of all agents of a session shares: the way to the kernel, to texts, and to what the host brought.
 */
import type { OutcomeKind, TurnRef } from "../events/events.js";
import type { CommandOf } from "../kernel/command.js";
import type { AgentPath } from "../paths.js";
import type { AgentInfo, Behavior, Finaliser, Transcript, TurnOutcome } from "./api.js";
import type { PeerMessageOptions, PeerMessageResult } from "./peer/api.js";
import type { JobsDesk } from "./jobs.js";
import type { Shell } from "./shell.js";
import type { Texts } from "./texts.js";

/** See the module header. */
export interface WorkContext {
  readonly shell: Shell;
  readonly texts: Texts;
  /** The jobs of the session. */
  readonly desk: JobsDesk;
  /** The host's redactor, where the session's preset has it applied (J3). */
  readonly redact: (text: string) => string;
  readonly behaviorOf: (path: AgentPath) => Behavior | undefined;
  readonly transcriptOf: (path: AgentPath) => Transcript;
  /** What the host runs before a turn may end, by name (S3). */
  readonly finalisers: Readonly<Record<string, Finaliser>>;
  /** An agent's transcript, or newest outcome, for a turn that may ask (A7). */
  readonly historyFor: (turn: TurnRef, target: string) => Transcript;
  readonly resultFor: (turn: TurnRef, target: string) => Promise<TurnOutcome | undefined>;
  /** The outcome that an agent's turn settles with. */
  readonly settlingAs: (path: AgentPath) => OutcomeKind;
  /** Everybody, for a turn that may ask (A7, A8). */
  readonly listFor: (turn: TurnRef) => Promise<readonly AgentInfo[]>;
  /** Sends a message with a copy for the recipient's parent (O1-O6). */
  readonly sendPeerMessage: (
    by: TurnRef,
    target: string,
    text: string,
    options: PeerMessageOptions,
  ) => Promise<PeerMessageResult>;
  /** Spawns, and resolves once identity, task and start are committed (T3). */
  readonly spawn: (command: CommandOf<"spawn">) => Promise<AgentPath>;
  /** Why an actor that stops is stopped: what its open calls reject with. */
  readonly stopReason: () => Error;
}
