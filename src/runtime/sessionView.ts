/**
 * What can be read of a session, live or from a log alone: roster, mail, transcripts, results, usage. It changes nothing.
 */
import { Refused } from "../errors.js";
import type { AgentRef, TurnRef } from "../events/events.js";
import type { ParentReport } from "../kernel/parents.js";
import type { PresetName } from "../kernel/presets.js";
import { findRecipient } from "../kernel/rules/operations.js";
import { findTarget, readTarget } from "../kernel/rules/targets.js";
import { Stage } from "../kernel/stage.js";
import type { Agent, State } from "../kernel/state.js";
import type { SessionReader } from "../log/log.js";
import { type SessionReport, type VerifyOptions, verifySession } from "../log/verify.js";
import type { AgentPath } from "../paths.js";
import type { JobBoard } from "../projections/jobs.js";
import { type Roster, listAgents } from "../projections/roster.js";
import type { ProjectionStore, ProjectionView } from "../projections/store.js";
import { type Transcripts, transcriptOf } from "../projections/transcript.js";
import { type UnreadMail, unreadOf } from "../projections/unread.js";
import { type Used, added } from "../projections/usage.js";
import { checkMayUse, infoOf } from "./agentInfo.js";
import type { AgentInfo, MailRecord, Transcript, TurnOutcome, UsageReport } from "./api.js";
import type { AgentParentReference } from "./peer/api.js";
import { parentReference } from "./peer/parents.js";
import type { BuiltIn } from "./projections.js";
import type { Texts } from "./texts.js";
import { readTranscript } from "./transcripts.js";

/** The projections of every session, readable and subscribable (A8, M4, M6, X3). */
export interface SessionProjections {
  readonly roster: ProjectionView<Roster>;
  readonly unread: ProjectionView<UnreadMail>;
  readonly transcript: ProjectionView<Transcripts>;
  readonly usage: ProjectionView<Used>;
  readonly jobs: ProjectionView<JobBoard>;
}

/** Where a view reads from. */
export interface ViewSource {
  readonly id: string;
  readonly log: SessionReader;
  readonly store: ProjectionStore<BuiltIn>;
  readonly texts: Texts;
  readonly state: () => State;
  /** What the host knows of an agent's parent (O2). */
  readonly askHost: (agent: AgentRef) => Promise<ParentReport>;
}

/** See the module header. */
export class SessionView {
  readonly id: string;
  readonly projections: SessionProjections;
  private readonly source: ViewSource;

  /** @internal */
  constructor(source: ViewSource) {
    const { id, store } = source;
    this.id = id;
    this.source = source;
    this.projections = {
      roster: store.view("roster"),
      unread: store.view("unread"),
      transcript: store.view("transcript"),
      usage: store.view("usage"),
      jobs: store.view("jobs"),
    };
  }

  /** The most turns of non-root agents that are live at a time (W6). */
  get capacity(): number {
    return this.source.state().durable.capacity;
  }

  /** The way of working that the session was made with (section 12). */
  get preset(): PresetName {
    return this.source.state().durable.preset;
  }

  /** Whether Plan, the sticky read-only switch, is on (P1). */
  get plan(): boolean {
    return this.source.state().durable.plan;
  }

  /** All retained agents, sorted by path (A8). */
  list(): readonly AgentInfo[] {
    const state = this.source.state();
    return listAgents(this.projections.roster.get()).map((entry) => infoOf(state, entry));
  }

  /** An agent's unread mail, oldest first; reading it here delivers nothing. */
  async unread(target: string): Promise<readonly MailRecord[]> {
    return this.source.texts.boundary(this.find(target).unread.toArray(), []);
  }

  /** What an ended agent had not read: kept, and given to nobody (A5). The newest ended generation unless one is given. */
  async expired(target: string, generation?: number): Promise<readonly MailRecord[]> {
    const path = readTarget(null, target);
    if (!path.ok) throw new Refused(path.rejection);
    const newest = this.source.state().durable.retired.get(path.path)?.gen;
    const gen = generation ?? newest;
    if (newest === undefined || gen === undefined || gen > newest) return [];
    const row = unreadOf(this.projections.unread.get(), { path: path.path, gen });
    return this.source.texts.boundary(row.toArray(), []);
  }

  /** An agent's transcript (M6). */
  history(target: string): Transcript {
    return this.transcriptOf(this.find(target));
  }

  /** How an agent's newest settled turn ended, with its text whole; `undefined` before the first (S6). */
  async result(target: string): Promise<TurnOutcome | undefined> {
    const { last } = this.find(target);
    return last === null ? undefined : this.source.texts.settled(last.began, last.settled);
  }

  /**
   * What is known of an agent's parent: from the session's record, and from the host's adapter where there is one (O2).
   * It changes nothing, and looks at no other agent but the two.
   *
   * @throws Refused `target-empty`, `target-malformed`, `target-unknown` (A2)
   */
  async resolveAgentParentReference(target: string): Promise<AgentParentReference> {
    const { state, askHost } = this.source;
    const found = findRecipient(new Stage(state()), null, target, false);
    if (!found.ok) throw new Refused(found.rejection);
    const report = await askHost(found.child);
    return parentReference(state(), found.child, report);
  }

  /** What samples reported to have used, in all and by agent (X3). An agent's generations are counted as one. */
  usage(): UsageReport {
    const { total, agents } = this.projections.usage.get();
    const sums: Record<string, Readonly<Record<string, number>>> = {};
    for (const { key, used } of agents.values()) {
      const path = key.slice(0, key.lastIndexOf("#"));
      sums[path] = added(sums[path] ?? {}, used);
    }
    return { total, agents: sums };
  }

  /**
   * Reads the session's log, all of it or from its newest snapshot on, and reports whether it is whole (L3). What is
   * appended meanwhile is not part of it.
   *
   * @throws LogUnavailable when it can't be read; damage is in the report.
   */
  verify(options: VerifyOptions = {}): Promise<SessionReport> {
    return verifySession(this.source.log, options);
  }

  /** @internal The retained agent that a target names. */
  protected find(target: string): Agent {
    const found = findTarget(new Stage(this.source.state()), null, target);
    if (!found.ok) throw new Refused(found.rejection);
    return found.agent;
  }

  /** @internal What turns may read of others, each with its right to it (A7). */
  protected readsFor(): {
    listFor(turn: TurnRef): Promise<readonly AgentInfo[]>;
    historyFor(turn: TurnRef, target: string): Transcript;
    resultFor(turn: TurnRef, target: string): Promise<TurnOutcome | undefined>;
    transcriptOf(path: AgentPath): Transcript;
  } {
    const { state } = this.source;
    const from = (turn: TurnRef, target: string): string => {
      const path = readTarget(turn, target);
      if (!path.ok) throw new Refused(path.rejection);
      return path.path;
    };
    return {
      listFor: async (turn) => {
        checkMayUse(state(), turn, "ListAgents");
        return this.list();
      },
      historyFor: (turn, target) => {
        checkMayUse(state(), turn, "history");
        return this.history(from(turn, target));
      },
      resultFor: async (turn, target) => {
        checkMayUse(state(), turn, "result");
        return this.result(from(turn, target));
      },
      transcriptOf: (path) =>
        this.transcriptOf({ path, gen: state().durable.agents.get(path)?.gen ?? 1 }),
    };
  }

  private transcriptOf(ref: { readonly path: AgentPath; readonly gen: number }): Transcript {
    const { transcript } = this.projections;
    return readTranscript(this.source.texts, () => transcriptOf(transcript.get(), ref));
  }
}
