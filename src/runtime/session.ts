/**
 * A session: the handle that a host holds. Requests become commands; what is read comes from the projections and the log.
 */
import type { Observable } from "rxjs";
import { type AgentActor, AgentActors } from "../actors/agentActors.js";
import type { SessionDegraded } from "../errors.js";
import type { CommitDraft } from "../events/commit.js";
import type { Command, CommandOf } from "../kernel/command.js";
import type { Placed } from "../kernel/loop.js";
import { policiesOf } from "../kernel/presets.js";
import type { AgentPath } from "../paths.js";
import type { JobBoard } from "../projections/jobs.js";
import { ProjectionStore } from "../projections/store.js";
import { unreadOf } from "../projections/unread.js";
import type {
  HostSpawnOptions,
  InterruptAnswer,
  Opening,
  Quiet,
  ReleaseHold,
  SendAnswer,
  TurnOutcome,
} from "./api.js";
import { JobsDesk, redactor } from "./jobs.js";
import type { Jobs } from "./jobsApi.js";
import { Later } from "./later.js";
import { owned } from "./owned.js";
import type { SessionParts } from "./sessionParts.js";
import type { PeerMessageOptions, PeerMessageResult } from "./peer/api.js";
import { Peers } from "./peer/peers.js";
import { Person, type RequestOptions } from "./person.js";
import type { Cancel } from "./ports.js";
import type { BuiltIn } from "./projections.js";
import { closedError, interruptedError, notBlocked, stuckPrompt } from "./refusals.js";
import { Shell } from "./shell.js";
import { Texts } from "./texts.js";
import { QuietWatch, quietOf } from "./quiet.js";
import { SessionView } from "./sessionView.js";
import { Snapshotter } from "./snapshots.js";
import { Stream } from "./stream.js";
import { Work } from "./work.js";
import type { WorkContext } from "./workContext.js";

/** See the module header. Made by `openSession`. */
export class Session<Name extends string = string> extends SessionView {
  /** Every durable commit, in order (Q1). Completes when the session is closed. */
  readonly commits$: Observable<CommitDraft>;
  private readonly parts: SessionParts;
  private readonly shell: Shell;
  private readonly texts: Texts;
  private readonly later = new Later();
  private readonly actors: AgentActors;
  private readonly store: ProjectionStore<BuiltIn>;
  private readonly commits: Stream<CommitDraft>;
  private readonly quiet: QuietWatch;
  private readonly snapshots: Snapshotter;
  private readonly person: Person;
  private readonly peers: Peers;
  private readonly desk: JobsDesk;
  private ending: Promise<void> | null = null;
  private ended: () => void = () => undefined;
  private over = false;
  private opened: Opening = { run: 0, recovered: [], unread: 0 };

  /** @internal */
  constructor(parts: SessionParts) {
    const texts = new Texts(parts.log);
    const store = new ProjectionStore(parts.runner, { onListenerError: parts.onObserverError });
    super({
      id: parts.log.session,
      log: parts.log,
      store,
      texts,
      state: () => this.shell.loop.state,
      askHost: (agent) => this.peers.askHost(agent),
    });
    this.parts = parts;
    this.texts = texts;
    this.snapshots = new Snapshotter(parts.log, parts.runner, parts.snapshotAfterBytes);
    this.store = store;
    this.commits = new Stream(parts.onObserverError);
    this.commits$ = this.commits.observable;
    const { state, log, ports, prepare, inspect, onObserverError } = parts;
    this.quiet = new QuietWatch(ports, () =>
      this.isQuiet() ? quietOf(this.projections.roster.get()) : null,
    );
    const listener = {
      shown: (placed: readonly Placed[]) => this.shown(placed),
      durable: (commit: CommitDraft) => this.durable(commit),
      committed: (commit: CommitDraft) => this.committed(commit),
      degraded: (error: SessionDegraded) => this.fallBack(error),
    };
    this.shell = new Shell({ state, log, ports, prepare, listener });
    const over = (): Error | null => (this.ending === null ? null : closedError());
    const rested = (): void => this.quiet.poke();
    const { shell, later } = this;
    this.person = new Person({ shell, later, texts, log, over, rested });
    this.peers = new Peers({
      shell,
      texts,
      log,
      ports,
      options: parts.peer,
      unread: (agent) => unreadOf(this.projections.unread.get(), agent),
      over,
      rested,
    });
    const board = (): JobBoard => this.projections.jobs.get();
    const redact = redactor(parts.redact, () => this.preset);
    this.desk = new JobsDesk({ shell, ports, board, redact });
    const context = this.workContext();
    this.actors = new AgentActors({ workOf: () => new Work(context), inspect, onObserverError });
  }

  /** @internal Makes the session, or opens a run of it (R1, R2). */
  async begin(command: CommandOf<"create"> | CommandOf<"open">): Promise<void> {
    const answer = await this.shell.ask(command);
    const run = this.shell.loop.state.durable.run;
    this.texts.marksMail = policiesOf(this.preset).acknowledgement === "quoted";
    this.opened = { run, recovered: answer?.recovered ?? [], unread: answer?.unread ?? 0 };
  }

  /** What opening found and did (R1, R2). */
  get opening(): Opening {
    return this.opened;
  }

  /** The store has failed: reads go on, commands are refused (L6). */
  get isDegraded(): boolean {
    return this.shell.error !== null;
  }

  /** The person's text: starts an idle root, or reaches an active one (W8). Resolves with the outcome of the turn that read it. */
  prompt(text: string, options: RequestOptions = {}): Promise<TurnOutcome> {
    return owned(() => this.person.prompt(text, options));
  }

  /** MAIL from the person (M1, A6): resolves when it is durable. */
  send(target: string, text: string, options: RequestOptions = {}): Promise<SendAnswer> {
    return owned(() => this.person.send(target, this.desk.redact(text), options));
  }

  /**
   * A message from the person, with a copy for the recipient's parent where that is verified (O1-O6). It is planned
   * before it is sent, wakes nobody, and tells of each recipient what is known; repeating `operationId` sends to nobody
   * twice. A failure at a recipient is in the result.
   *
   * @throws Refused for a target, text or operation id that can't be used: then nothing was sent
   */
  sendPeerMessage(
    target: string,
    text: string,
    options: PeerMessageOptions = {},
  ): Promise<PeerMessageResult> {
    return owned(() => this.peers.send(null, target, text, options));
  }

  /** All jobs of a session of the preset `jobs`, as the person has them (J1-J6). */
  get jobs(): Jobs {
    return this.desk.forPerson();
  }

  /** Spawns an agent for the host (T3). */
  spawn(options: HostSpawnOptions<Name>): Promise<AgentPath> {
    return owned(() => {
      const { name, behavior, task, role, parent } = options;
      const place = parent === undefined ? {} : { parent };
      const given = role === undefined ? place : { ...place, role };
      return this.startSoon({ kind: "spawn", by: null, name, behavior, task, ...given });
    });
  }

  /** Gives an idle agent a task, an assignment (T6); resolves when its turn has started. Its RESULT goes to its spawn parent. */
  start(target: string, task: string): Promise<AgentPath> {
    return owned(() => this.startSoon({ kind: "assign", target, task }));
  }

  /** Stops one agent, the root too; its descendants go on (I1). */
  interrupt(target: string, reason?: string): Promise<InterruptAnswer> {
    const given = reason === undefined ? {} : { reason };
    return owned(() => this.shell.ask({ kind: "interrupt", by: null, target, ...given }));
  }

  /** Another capacity from now on (W6). */
  setCapacity(capacity: number): Promise<void> {
    return this.done({ kind: "setCapacity", capacity });
  }

  /** Turns Plan, the sticky read-only switch (P1). */
  setPlan(on: boolean): Promise<void> {
    return this.done({ kind: "setPlan", on });
  }

  /** Stops the root queue until it is released; holds are counted per name (W7). The person's text passes by (W8). */
  hold(name: string): Promise<ReleaseHold> {
    return owned(async (): Promise<ReleaseHold> => {
      await this.shell.ask({ kind: "hold", name });
      let released: Promise<void> | null = null;
      return () => (released ??= this.done({ kind: "unhold", name }));
    });
  }

  /** A background notice for the root: it wakes an idle one, in order with its mail; it does not outlive this run (W7). */
  notifyRoot(text: string): Promise<void> {
    return this.done({ kind: "notify", text });
  }

  /** Stops an agent and all below it; only the top's RESULT wakes outward (I6). Answers for each, deepest first. */
  interruptTree(target: string, reason?: string): Promise<readonly InterruptAnswer[]> {
    return owned(async () => {
      const given = reason === undefined ? {} : { reason };
      const { stopped } = await this.shell.ask({ kind: "interruptTree", target, ...given });
      return stopped;
    });
  }

  /** Ends an agent and all below it for good; resolves once their identities are retired (A5). */
  end(target: string): Promise<void> {
    return owned(
      () =>
        new Promise<void>((resolve, reject) => {
          this.shell.askThen(
            { kind: "end", target },
            ({ top }) => this.later.endOf(top, { resolve, reject }),
            reject,
          );
        }),
    );
  }

  /** Answers the question that blocks an agent: the newest, unless its token is given (T1). */
  answer(target: string, answer: string, token?: number): Promise<void> {
    return owned(async () => {
      const { path, gen, turn } = this.find(target);
      const asked = turn?.blockers.findLast((one) => token === undefined || one.token === token);
      if (turn === null || asked === undefined) throw notBlocked(path);
      const ref = { path, gen, turn: turn.turn };
      await this.done({ kind: "unblock", turn: ref, token: asked.token, answer: String(answer) });
    });
  }

  /** The XState actor of an agent. */
  actor(target: string): AgentActor {
    const { path, gen } = this.find(target);
    return this.actors.reach(path, gen);
  }

  /** Resolves when nothing is queued, appended, prepared, settling or due; open samples and waits are listed (Q2). */
  whenQuiet(): Promise<Quiet> {
    return this.quiet.wait();
  }

  /** Ends the run: live turns are interrupted and settled, everything handed out settles (L8). Twice is fine. */
  close(): Promise<void> {
    this.ending ??= this.finish();
    return this.ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async finish(): Promise<void> {
    await this.settleAll();
    this.shell.stop();
    this.actors.stopAll();
    this.failAll(closedError());
    await this.person.allRead();
    try {
      if (this.shell.error === null) await this.snapshots.atClose(this.shell.loop.durable);
      await this.parts.log.close();
      await this.parts.ownLog?.close();
    } finally {
      this.over = true;
      this.commits.complete();
      this.quiet.poke();
    }
  }

  /** Interrupts and settles what is live, within the deadline; what is left then is recovery's (R2). */
  private async settleAll(): Promise<void> {
    const { ports, closeWithinMs } = this.parts;
    const ended = new Promise<void>((resolve) => (this.ended = resolve));
    let cancel: Cancel = () => undefined;
    const late = new Promise<void>(
      (resolve) => (cancel = ports.after(closeWithinMs, resolve, "close")),
    );
    const settle = async (): Promise<void> => {
      // Messages that have begun come to their end; where there are none, nothing more is taken from here on.
      if (!this.peers.resting) await this.peers.allEnded();
      await this.shell.ask({ kind: "close" });
      await ended;
      await this.shell.ask({ kind: "flush" });
    };
    try {
      await Promise.race([settle(), late]);
    } catch {
      // A store that fails while closing leaves the rest to recovery too.
    }
    cancel();
    this.peers.stop(closedError());
    this.shell.giveUp();
  }

  /** Resolves once the start is committed, however long it is prepared (T3, T6). */
  private startSoon(command: CommandOf<"spawn"> | CommandOf<"assign">): Promise<AgentPath> {
    return new Promise((resolve, reject) => {
      this.shell.askThen(
        command,
        ({ path, pending }) => {
          if (pending === null) resolve(path);
          else this.later.startOf(pending.reservation, { resolve: () => resolve(path), reject });
        },
        reject,
      );
    });
  }

  /** A request whose success says nothing. */
  private done(command: Command): Promise<void> {
    return owned(async () => void (await this.shell.ask(command)));
  }

  private workContext(): WorkContext {
    const { parts, shell, texts } = this;
    return {
      ...this.readsFor(),
      shell,
      texts,
      desk: this.desk,
      redact: this.desk.redact,
      finalisers: parts.finalisers,
      settlingAs: (path) =>
        shell.loop.state.durable.agents.get(path)?.turn?.settling?.outcome ?? "completed",
      behaviorOf: (path) => {
        const name = shell.loop.state.durable.agents.get(path)?.behavior;
        return name === undefined ? undefined : parts.behaviors[name];
      },
      spawn: (command) => this.startSoon(command),
      sendPeerMessage: (...asked) => this.peers.send(...asked),
      stopReason: () => shell.error ?? (this.ending === null ? interruptedError() : closedError()),
    };
  }

  private durable(commit: CommitDraft): void {
    this.texts.confirm(commit.n);
    this.store.confirm();
  }

  private shown(placed: readonly Placed[]): void {
    this.texts.remember(placed);
    const [first] = placed;
    // Events of the commit that has just become durable, or events that wait for the next one.
    if (first !== undefined && first.at[0] <= this.texts.position) this.store.confirm(placed);
    else this.store.show(placed);
    this.later.shown(placed);
    this.desk.shown(placed);
    const stuck = stuckPrompt(this.shell.loop.state);
    if (stuck !== null) this.later.failUnread(stuck);
    this.actors.dispatch(placed);
    if (placed.some(({ event }) => event.type === "session.closed")) this.ended();
    this.quiet.poke();
  }

  private committed(commit: CommitDraft): void {
    this.snapshots.after(commit, this.shell.loop.durable);
    this.commits.next(commit);
    this.quiet.poke();
  }

  private failAll(error: Error): void {
    this.later.failAll(error);
    this.desk.failAll(error);
  }

  private fallBack(error: SessionDegraded): void {
    this.store.fallBack();
    this.failAll(error);
    this.peers.stop(error);
    this.actors.stopAll();
    this.ended();
    this.quiet.poke();
  }

  /** Whether the session is at rest; what waits to be written is written first (Q2). */
  private isQuiet(): boolean {
    if (this.over || this.isDegraded) return true;
    const { loop } = this.shell;
    const { durable, volatile } = loop.state;
    if (!this.shell.resting || !this.person.resting || !this.peers.resting) return false;
    if (durable.settling.length > 0) return false;
    if (volatile.handlers.some(({ record }) => record !== null)) return false;
    if (!loop.dirty) return true;
    this.shell.tell({ kind: "flush" });
    return false;
  }
}
