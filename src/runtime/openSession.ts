/**
 * Opening a session: takes its lease, folds its log, and begins a run (R1, R2). Nothing is started by it.
 */
import type { Inspect } from "../actors/agentActors.js";
import type { PresetName } from "../kernel/presets.js";
import { DEFAULT_CAPACITY } from "../kernel/rules/session.js";
import { DEFAULT_LIMITS, type Host, type Limits, type State, plainHost } from "../kernel/state.js";
import { type LevelLogOptions } from "../log/openFolder.js";
import { levelLog } from "../log/levelLog.js";
import type { EventLog, SessionLog } from "../log/log.js";
import { type Report, guarded } from "../projections/guard.js";
import { ProjectionRunner } from "../projections/runner.js";
import type { Behavior, Finaliser } from "./api.js";
import { foldLog } from "./foldLog.js";
import {
  checkBehaviors,
  checkBytes,
  checkHook,
  checkInbox,
  checkKept,
  checkLimits,
  checkLog,
  checkPreset,
  checkRoot,
  checkTime,
} from "./options.js";
import type { PeerOptions } from "./peer/api.js";
import { type Ports, systemPorts } from "./ports.js";
import { type BuiltIn, builtIn } from "./projections.js";
import { reasonOf } from "./reason.js";
import { Session } from "./session.js";
import type { Prepare } from "./shell.js";
import { SNAPSHOT_AFTER_BYTES } from "./snapshots.js";

/** How long closing waits for turns to settle unless given, in milliseconds (L8). */
const CLOSE_WITHIN_MS = 30_000;

/** How to open a session. */
export interface SessionOptions<Name extends string> {
  /** A folder (made if absent or empty), or any log. A log that is handed in stays open when the session closes. */
  readonly log: string | EventLog;
  /** Which session of the log: `main` unless given. */
  readonly id?: string;
  /** What agents do, by name; a reopened session finds them again by it. */
  readonly behaviors: Readonly<Record<Name, Behavior<NoInfer<Name>>>>;
  /** The root's behaviour, when the session is made: `root` unless given. */
  readonly root?: NoInfer<Name>;
  /**
   * The way of working that the session is made with, `tree` unless given: `jobs` for owned background jobs, `peer` for
   * mail that wakes nobody (section 12). A session keeps its own.
   */
  readonly preset?: PresetName;
  /** Takes secrets out of messages to jobs before anything else looks at them, in the preset `jobs` (J3). */
  readonly redact?: (text: string) => string;
  /** Live turns of non-root agents at a time: 10 unless given; kept with the session (W6). */
  readonly capacity?: number;
  /** Called before each start, which waits for it (T2). */
  readonly prepare?: Prepare;
  /** 30,000 unless given (T2). */
  readonly prepareTimeoutMs?: number;
  /** How long `close` waits for turns to settle: 30,000 unless given (L8). */
  readonly closeWithinMs?: number;
  /** Run before any turn may end, in this order; each succeeds once a turn (S3). */
  readonly finalisers?: Readonly<Record<string, Finaliser>>;
  /** How long one try at ending a turn, or one handler, may take: 30,000 unless given (S3, S7). */
  readonly settleTimeoutMs?: number;
  /** How long a turn may take, after which it is interrupted: no bound unless given (X1). */
  readonly turnTimeoutMs?: number;
  /** Bounds on turns, agents, wakes in a row and unread mail: off, off, off and 10,000 unless given (X2). */
  readonly limits?: Partial<Limits>;
  /** Whether a commit is synced to the disk before anyone is told; for a folder only: `disk` unless given. */
  readonly durability?: LevelLogOptions["durability"];
  /**
   * About how many bytes are appended between two snapshots, which make an opening short; `Infinity` for none. 524,288
   * unless given; more is appended where snapshots are large (L7, L9).
   */
  readonly snapshotAfterBytes?: number;
  /** Sees everything that happens in the agents' XState actors. */
  readonly inspect?: Inspect;
  /** Gets what an observer throws; without it such errors go to `process.emitWarning` (Q1). */
  readonly onObserverError?: (error: unknown) => void;
  /** What the host brings to messages with a copy for the parent: an inbox, and evidence about parents (O2, O6). */
  readonly peer?: PeerOptions;
  /** Clock, timers and ids: the system's unless given. */
  readonly ports?: Ports;
}

/**
 * Opens a session, or makes it. A reopened one is as it was: turns that were live when its process died are settled
 * as interrupted, and nothing starts by itself (R1, R2).
 *
 * @throws BadArgument for unusable options; LogInUse, LogCorrupt, TailLost, LogFormatError, NotALog, LogUnavailable.
 * @example
 * const session = await openSession({ log: "./data", behaviors: { root, reviewer }, capacity: 4 });
 * const outcome = await session.prompt("Review this repository");
 */
export async function openSession<Name extends string>(
  options: SessionOptions<Name>,
): Promise<Session<Name>> {
  checkOptions(options);
  const behaviors = checkBehaviors(options.behaviors);
  const ownLog = typeof options.log === "string" ? ownedLog(options.log, options.durability) : null;
  const log = ownLog ?? (options.log as EventLog);
  let sessionLog: SessionLog | undefined;
  try {
    sessionLog = await log.openSession(options.id ?? "main");
    const runner = new ProjectionRunner<BuiltIn>(builtIn);
    const state = await foldLog(sessionLog, hostOf(options), runner);
    if (state.durable.run === 0) checkRoot(behaviors, options.root ?? "root");
    else checkKept(options.preset, state.durable.preset);
    const session = new Session<Name>({
      state,
      runner,
      log: sessionLog,
      ownLog,
      ports: options.ports ?? systemPorts(),
      behaviors,
      prepare: options.prepare,
      finalisers: { ...options.finalisers },
      inspect: options.inspect,
      closeWithinMs: options.closeWithinMs ?? CLOSE_WITHIN_MS,
      onObserverError: reporter(options.onObserverError),
      snapshotAfterBytes: options.snapshotAfterBytes ?? SNAPSHOT_AFTER_BYTES,
      peer: { ...options.peer },
      redact: options.redact,
    });
    await session.begin(firstCommand(state, sessionLog.session, options));
    return session;
  } catch (error) {
    await sessionLog?.close();
    await ownLog?.close();
    throw error;
  }
}

function ownedLog(path: string, durability: LevelLogOptions["durability"]): EventLog {
  return levelLog(path, durability === undefined ? {} : { durability });
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : reasonOf(error), "DovecoteObserverWarning");
}

function checkOptions<Name extends string>(options: SessionOptions<Name>): void {
  checkLog(options.log);
  checkPreset(options.preset);
  checkTime("prepareTimeoutMs", options.prepareTimeoutMs);
  checkTime("closeWithinMs", options.closeWithinMs);
  checkTime("settleTimeoutMs", options.settleTimeoutMs);
  checkTime("turnTimeoutMs", options.turnTimeoutMs);
  checkLimits(options.limits);
  checkBytes("snapshotAfterBytes", options.snapshotAfterBytes);
  for (const [name, finaliser] of Object.entries(options.finalisers ?? {})) {
    checkHook(`finalisers.${name}`, finaliser);
  }
  checkHook("prepare", options.prepare);
  checkHook("inspect", options.inspect);
  checkTime("peer.timeoutMs", options.peer?.timeoutMs);
  checkHook("peer.reportParent", options.peer?.reportParent);
  checkInbox(options.peer?.inbox);
  checkHook("redact", options.redact);
  checkHook("onObserverError", options.onObserverError);
}

/** What observers throw goes to the host; what its handler throws in turn, to the process's warnings (Q1). */
function reporter(handler: ((error: unknown) => void) | undefined): Report {
  if (handler === undefined) return warn;
  return (error) => guarded(() => handler(error), warn);
}

function hostOf<Name extends string>(options: SessionOptions<Name>): Host {
  const { prepareTimeoutMs, settleTimeoutMs, turnTimeoutMs, limits } = options;
  return plainHost(Object.keys(options.behaviors), {
    prepares: options.prepare !== undefined,
    finalises: Object.keys(options.finalisers ?? {}).length > 0,
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...(prepareTimeoutMs === undefined ? {} : { prepareTimeoutMs }),
    ...(settleTimeoutMs === undefined ? {} : { settleTimeoutMs }),
    ...(turnTimeoutMs === undefined ? {} : { turnTimeoutMs }),
  });
}

function firstCommand<Name extends string>(
  state: State,
  id: string,
  options: SessionOptions<Name>,
): Parameters<Session["begin"]>[0] {
  if (state.durable.run > 0) return { kind: "open", capacity: options.capacity ?? null };
  const capacity = options.capacity ?? DEFAULT_CAPACITY;
  const { preset = "tree" } = options;
  return { kind: "create", id, capacity, behavior: options.root ?? "root", preset };
}
