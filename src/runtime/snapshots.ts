/**
 * Snapshots of a session: what its log folds to, saved now and then, so that an opening reads only what came after.
 * Only ever a cache (L7): one that is missing, unreadable or of another version of any fold is passed over.
 */
import { freeze, thaw } from "../kernel/plain.js";
import type { Durable, State, Volatile } from "../kernel/state.js";
import { FOLD_VERSION } from "../kernel/stage.js";
import type { CommitDraft } from "../events/commit.js";
import { LogFormatError } from "../errors.js";
import type { Anchor, SessionLog, SessionReader, Snapshot } from "../log/log.js";
import type { ProjectionRunner, StateOf } from "../projections/runner.js";
import { cutTranscripts } from "../projections/transcript.js";
import { type BuiltIn, builtIn } from "./projections.js";
import { weightOf } from "./texts.js";

/** Version of the form in which folds are saved. */
const FORM_VERSION = 1;

/** How much is appended between two snapshots, unless given: about 1,000 commits. */
export const SNAPSHOT_AFTER_BYTES = 512 * 1024;

/** Everything that is folded from a log, as it stood after one commit. */
export interface Folded {
  readonly position: number;
  readonly durable: Durable;
  readonly volatile: Volatile;
  readonly projections: Readonly<Record<string, unknown>>;
}

/** The versions of all folds: a snapshot of others is none (L7). */
export function foldVersions(): Readonly<Record<string, number>> {
  const found: Record<string, number> = { kernel: FOLD_VERSION };
  for (const { name, version } of Object.values(builtIn)) found[name] = version;
  return found;
}

/** What has been folded, as a snapshot of the commit it was folded up to. */
export function encodeFolded(folded: Folded, hash: string): Snapshot {
  const { position, durable, volatile, projections } = folded;
  const state = freeze({ versions: foldVersions(), durable, volatile, projections });
  return { position, hash, version: FORM_VERSION, state };
}

/** What a snapshot holds; `undefined` when another version of any fold made it (L7). */
export function decodeFolded(snapshot: Snapshot): Folded | undefined {
  if (snapshot.version !== FORM_VERSION) return undefined;
  try {
    const saved = thaw(snapshot.state) as Omit<Folded, "position"> & { versions: unknown };
    if (JSON.stringify(saved.versions) !== JSON.stringify(foldVersions())) return undefined;
    const { durable, volatile, projections } = saved;
    if (Object.keys(builtIn).some((name) => !Object.hasOwn(projections, name))) return undefined;
    return { position: snapshot.position, durable, volatile, projections };
  } catch {
    return undefined;
  }
}

/** The newest snapshot at or below a position that fits this code. */
export async function loadFolded(
  log: SessionReader,
  position = log.head().position,
): Promise<Folded | undefined> {
  for (let below = position; below > 0;) {
    const snapshot = await log.loadSnapshot(FORM_VERSION, below);
    if (snapshot === undefined) break;
    const folded = decodeFolded(snapshot);
    if (folded !== undefined) return withoutCut(folded, log.anchor()?.position ?? 0);
    below = snapshot.position - 1;
  }
  const anchor = log.anchor();
  return anchor === undefined ? undefined : readBase(log.session, anchor);
}

/**
 * What a cut log had been folded to when it was cut: all that is left of what came before (S6).
 *
 * @throws LogFormatError when it was folded by other versions, which can't be done anew; LogCorrupt when it is damaged.
 */
export async function readBase(
  session: string,
  anchor: Pick<Anchor, "position" | "base">,
): Promise<Folded> {
  const folded = decodeFolded(await anchor.base());
  if (folded !== undefined) return folded;
  throw new LogFormatError(
    `The log of session "${session}" was cut after commit ${anchor.position} by a dovecote whose folds are of other versions. Open it with that one.`,
  );
}

/** A snapshot may be from before the cut: it then lists what is gone. */
export function withoutCut(folded: Folded, anchor: number): Folded {
  const transcript = folded.projections["transcript"] as StateOf<BuiltIn["transcript"]>;
  const cut = anchor === 0 ? transcript : cutTranscripts(transcript, anchor);
  if (cut === transcript) return folded;
  return { ...folded, projections: { ...folded.projections, transcript: cut } };
}

/** Saves snapshots as a session goes on. */
export class Snapshotter {
  private readonly log: SessionLog;
  private readonly runner: ProjectionRunner<BuiltIn>;
  private readonly afterBytes: number;
  /** How much was appended since the newest snapshot. */
  private since = 0;
  private lastSize = 0;
  private saving: Promise<void> = Promise.resolve();

  constructor(log: SessionLog, runner: ProjectionRunner<BuiltIn>, afterBytes: number) {
    this.log = log;
    this.runner = runner;
    this.afterBytes = afterBytes;
  }

  /**
   * A commit is on the log, and `state` is the fold up to it. The larger the last snapshot was, the longer it takes to
   * the next: so what is written for them stays in step with what is written at all (L9).
   */
  after(commit: CommitDraft, state: State): void {
    for (const event of commit.events) this.since += 64 + weightOf(event);
    if (this.since >= Math.max(this.afterBytes, 2 * this.lastSize)) this.save(commit.n, state);
  }

  /** The session closes: a snapshot makes the next opening short, where there is something to spare it. */
  async atClose(state: State): Promise<void> {
    if (this.since * 8 >= this.afterBytes) this.save(state.next[0] - 1, state);
    await this.saving;
  }

  private save(position: number, state: State): void {
    const head = this.log.head();
    if (position !== head.position || position === 0) return;
    this.since = 0;
    const projections: Record<string, unknown> = {};
    try {
      for (const name of this.runner.names) projections[name] = this.runner.confirmed(name);
      const { durable, volatile } = state;
      const snapshot = encodeFolded({ position, durable, volatile, projections }, head.hash);
      this.lastSize = snapshot.state.length;
      this.saving = this.log.saveSnapshot(snapshot).catch(() => undefined);
    } catch {
      // A projection that threw is out of step; nothing is lost by not saving it.
    }
  }
}
