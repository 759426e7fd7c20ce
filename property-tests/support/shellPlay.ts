/**
 * Plays a random program on the real shell: real actors, real promises, a memory log that can fail, a virtual clock. It
 * says what is wrong as plain texts; it asserts nothing itself.
 */
import { getEventListeners } from "node:events";
import type { AgentActors } from "../../src/actors/agentActors.js";
import { phaseOfValue } from "../../src/actors/agentMachine.js";
import { DovecoteError } from "../../src/errors.js";
import { leftAtRest } from "../../src/kernel/invariants/idleness.js";
import { Judge, violationsOf } from "../../src/kernel/invariants/judge.js";
import type { Limits } from "../../src/kernel/state.js";
import { ScriptError, Scripts, type ScriptWatch } from "../../src/fuzz/scripts.js";
import type { Commit } from "../../src/events/commit.js";
import type { EventLog } from "../../src/log/log.js";
import { MemoryStorage, memoryLog } from "../../src/log/memoryLog.js";
import { listAgents } from "../../src/projections/roster.js";
import { agentKey, placeCommit } from "../../src/projections/projection.js";
import { ProjectionRunner } from "../../src/projections/runner.js";
import { transcriptOf } from "../../src/projections/transcript.js";
import { unreadOf } from "../../src/projections/unread.js";
import type { Finaliser, Preparation, ReleaseHold } from "../../src/runtime/api.js";
import { openSession } from "../../src/runtime/openSession.js";
import { builtIn } from "../../src/runtime/projections.js";
import type { Session } from "../../src/runtime/session.js";
import type { Shell } from "../../src/runtime/shell.js";
import { type FaultyLog, type HeldAppend, faultyLog } from "../../src/testing/faultyLog.js";
import { type VirtualPorts, virtualPorts } from "../../src/testing/virtualPorts.js";
import type { HostStep, ShellProgram } from "./shellPrograms.js";

/** Where a program's log is kept: what a process that dies leaves to the next one. */
export interface Place {
  /** The log for the next process. */
  open(): Promise<EventLog>;
  /** The process is gone: what it wrote from now on is nobody's. */
  cut(): void;
  /** How many turns of the event loop a write may take; what takes more runs into the deadline. */
  readonly turns: number;
  /** All commits that are there. */
  commits(): Promise<readonly Commit[]>;
}

/** A place in memory: a crash leaves a copy. */
export function memoryPlace(): Place {
  let storage = new MemoryStorage();
  return {
    turns: 2,
    open: async () => memoryLog(storage),
    cut: () => {
      storage = storage.copy();
    },
    commits: () => readAll(memoryLog(storage.copy())),
  };
}

/** All commits of the session of a log. */
export async function readAll(log: EventLog): Promise<readonly Commit[]> {
  const reader = await log.readSession("main");
  const commits: Commit[] = [];
  for await (const commit of reader?.read() ?? []) commits.push(commit);
  await reader?.close();
  return commits;
}

interface Sent {
  readonly text: string;
  state: "open" | "accepted" | "refused" | "unknown";
}

/** Codes that say: the outcome is not known, or nothing was even tried. */
const UNKNOWN = "outcome-unknown";
const CLOSE_MS = 30_000;

/** One run of the session: from its opening to its end. */
class Life implements ScriptWatch {
  readonly ports: VirtualPorts = virtualPorts();
  readonly open = new Map<Promise<unknown>, string>();
  readonly signals = new Set<AbortSignal>();
  readonly sent: Sent[] = [];
  readonly holds: ReleaseHold[] = [];
  readonly held: HeldAppend[] = [];
  faulted = false;
  private readonly play: ShellPlay;
  private prepared = 0;
  private finalised = 0;
  log!: FaultyLog;
  session!: Session;

  constructor(play: ShellPlay) {
    this.play = play;
  }

  async begin(place: Place): Promise<void> {
    const { program } = this.play;
    const off = new Set<string>(program.actsOff);
    const scripts = program.scripts.map(({ acts, end }) => ({
      acts: acts.filter(({ kind }) => !off.has(kind)),
      end,
    }));
    const { behavior } = new Scripts(scripts, this);
    const { prepares, finalises, turnTimeoutMs, wakes } = program;
    this.log = faultyLog(await place.open());
    this.session = await openSession<string>({
      log: this.log,
      ports: this.ports,
      behaviors: { root: behavior, worker: behavior },
      capacity: program.capacity,
      closeWithinMs: CLOSE_MS,
      limits: limitsOf({ wakes }),
      onObserverError: (error) => this.play.wrong(`an observer: ${String(error)}`),
      ...(prepares.length === 0 ? {} : { prepare: (start) => this.prepare(start) }),
      ...(finalises.length === 0
        ? {}
        : { finalisers: { first: this.finalise, second: this.finalise } }),
      ...(turnTimeoutMs === null ? {} : { turnTimeoutMs }),
      ...(program.inspected ? { inspect: () => undefined } : {}),
    });
  }

  private async prepare({ signal }: Preparation): Promise<void> {
    this.signals.add(signal);
    const { prepares } = this.play.program;
    const what = prepares[this.prepared++ % prepares.length];
    if (what === "fail") throw new ScriptError("the preparation fails");
    if (what === "hang") await new Promise(() => undefined);
  }

  private readonly finalise: Finaliser = async (turn) => {
    this.signals.add(turn.signal);
    const { finalises } = this.play.program;
    const what = finalises[this.finalised++ % finalises.length];
    if (what === "fail") throw new ScriptError("the finaliser fails");
    if (what === "hang") await new Promise(() => undefined);
    if (what !== "send") return;
    const text = this.text();
    const sending = turn.send("/root", text);
    this.promise("finaliser", sending, text);
    await sending.catch(() => undefined);
    const recording = turn.record({ text });
    this.promise("finaliser", recording);
    await recording.catch(() => undefined);
  };

  pause(): Promise<void> {
    return new Promise((resolve) => void this.ports.soon(resolve));
  }

  text(): string {
    return this.play.text();
  }

  signal(signal: AbortSignal): void {
    this.signals.add(signal);
  }

  paths(): readonly string[] {
    return [...this.session.list().map(({ path }) => path), "/root/nobody"];
  }

  promise(what: string, promise: Promise<unknown>, text?: string): void {
    this.open.set(promise, what);
    const sent: Sent | undefined = text === undefined ? undefined : { text, state: "open" };
    if (sent !== undefined) this.sent.push(sent);
    promise.then(
      () => {
        this.open.delete(promise);
        if (sent !== undefined) sent.state = "accepted";
      },
      (error: unknown) => {
        this.open.delete(promise);
        const code = error instanceof DovecoteError ? error.code : "";
        if (code === "bug" || (code === "" && !(error instanceof ScriptError))) {
          this.play.wrong(`${what}: ${code} ${String(error)}`);
        }
        if (sent !== undefined) sent.state = code === UNKNOWN ? "unknown" : "refused";
      },
    );
  }
}

/** See the module header. */
export class ShellPlay {
  readonly program: ShellProgram;
  readonly faults: string[] = [];
  private readonly place: Place;
  private life!: Life;
  private serial = 0;
  private at = "";
  /** How many lives there have been, and steps. */
  readonly figures = { lives: 0, steps: 0, quiet: 0 };

  constructor(program: ShellProgram, place: Place = memoryPlace()) {
    this.program = program;
    this.place = place;
  }

  text(): string {
    this.serial++;
    return `text ${this.serial}.`;
  }

  wrong(what: string): void {
    this.faults.push(`${this.at}: ${what}`);
  }

  async run(): Promise<readonly string[]> {
    await this.begin();
    for (const [index, step] of this.program.steps.entries()) {
      if (this.program.off.includes(step.kind)) continue;
      this.at = `step ${index} ${step.kind}`;
      this.figures.steps++;
      await this.step(step);
      if (step.rest) await this.rest();
      if (this.faults.length > 0) break;
    }
    this.at = "at the end";
    await this.rest();
    await this.over("close");
    await this.begin();
    await this.over("close");
    return this.faults;
  }

  private async begin(): Promise<void> {
    this.figures.lives++;
    this.life = new Life(this);
    await this.life.begin(this.place);
    const { session } = this.life;
    if (session.list().some(({ phase }) => phase !== "idle")) this.wrong("R1 an agent is not idle");
    await this.life.ports.settle();
    await this.checkLog();
  }

  private async step({ kind, a, b }: HostStep): Promise<void> {
    const { life } = this;
    const { session, log } = life;
    const paths = life.paths();
    const path = paths[a % paths.length] ?? "/root";
    const text = this.text();
    const watch = (promise: Promise<unknown>, sent?: string): void =>
      life.promise(kind, promise, sent);
    switch (kind) {
      case "settle":
        return life.ports.settle();
      case "prompt":
        return watch(session.prompt(text));
      case "promptKeyed":
        return watch(session.prompt(`keyed p${a % 2}`, { key: `p${a % 2}` }));
      case "send":
        return watch(session.send(path, text), text);
      case "sendKeyed":
        return watch(session.send("/root", `keyed k${a % 2}`, { key: `k${a % 2}` }));
      case "start":
        return watch(session.start(path, text));
      case "spawn": {
        const name = "abc"[b % 3] ?? "a";
        return watch(session.spawn({ parent: path, name, behavior: "worker", task: text }));
      }
      case "interrupt":
        return watch(session.interrupt(path, text));
      case "interruptTree":
        return watch(session.interruptTree(path));
      case "end":
        return watch(session.end(path));
      case "hold": {
        const held = session.hold(`h${a % 2}`).then((release) => void life.holds.push(release));
        return watch(held);
      }
      case "release": {
        const release = life.holds.shift();
        return release === undefined ? undefined : watch(release());
      }
      case "notify":
        return watch(session.notifyRoot(text));
      case "plan":
        return watch(session.setPlan(a % 2 === 0));
      case "capacity":
        return watch(session.setCapacity(1 + (a % 4)));
      case "answer": {
        const blocked = session.list().find((one) => one.blocked !== undefined);
        return blocked === undefined ? undefined : watch(session.answer(blocked.path, text));
      }
      case "advance":
        return life.ports.advance([10, 1_000, 5_000, 10_000, 30_000, 60_000][a % 6] ?? 1);
      case "holdAppend":
        return void life.held.push(log.holdNext());
      case "releaseAppend":
        return life.held.shift()?.release();
      case "failAppend":
        life.faulted = true;
        return log.failNext(b % 2 === 0 ? "unavailable" : "unknown", { written: a % 2 === 0 });
      case "close":
      case "crash":
        await this.over(kind);
        return this.begin();
    }
  }

  /** Lets what can come to rest come to rest, and looks at everything that can be seen. */
  private async rest(): Promise<void> {
    const { life } = this;
    for (const one of life.held.splice(0)) one.release();
    await life.ports.settle();
    if (life.session.isDegraded) {
      if (!life.faulted) this.wrong("L6 the session is degraded, and no append has failed");
      await this.over("crash");
      return this.begin();
    }
    this.checkActors();
    await this.checkQuiet();
  }

  private checkActors(): void {
    const { session } = this.life;
    const actors = Reflect.get(session, "actors") as AgentActors;
    const entries = Reflect.get(actors, "entries") as Map<
      string,
      { readonly ref: { getSnapshot(): { value: unknown; tags: ReadonlySet<string> } } }
    >;
    const { durable, volatile } = (Reflect.get(session, "shell") as Shell).loop.state;
    for (const agent of durable.agents.values()) {
      const entry = entries.get(agent.path);
      if (entry === undefined) {
        if (agent.phase !== "idle") this.wrong(`T1 ${agent.path} is ${agent.phase}: no actor`);
        continue;
      }
      const { value, tags } = entry.ref.getSnapshot();
      const phase = phaseOfValue(value);
      if (phase !== agent.phase) this.wrong(`T1 ${agent.path}: ${agent.phase}, actor ${phase}`);
      const blocked = (agent.turn?.blockers.length ?? 0) > 0;
      if (tags.has("blocked") !== blocked) this.wrong(`T1 ${agent.path} blocked: ${blocked}`);
      const preparing = volatile.reservations.some(({ path }) => path === agent.path);
      if (tags.has("preparing") !== preparing) this.wrong(`T2 ${agent.path}: ${preparing}`);
    }
    const listed = session.list().map(({ path, phase, marked, unread }) => {
      return `${path} ${phase} ${marked} ${unread}`;
    });
    const known = [...durable.agents.values()]
      .map(({ path, phase, unread }) => {
        return `${path} ${phase} ${volatile.marks.has(path)} ${unread.length}`;
      })
      .sort();
    if (listed.join() !== known.join()) this.wrong(`A8 ${listed.join()} is not ${known.join()}`);
  }

  /** Live projections equal a fresh replay whenever the session is quiet (Q2). */
  private async checkQuiet(): Promise<void> {
    const { session, ports } = this.life;
    let quiet = false;
    void session.whenQuiet().then(() => (quiet = true));
    await ports.settle();
    await ports.settle();
    // The flush that a look for quiet makes may itself have met a store that fails.
    if (!quiet || session.isDegraded) return;
    this.figures.quiet++;
    const shown = (): string => plain((name) => session.projections[name].get());
    const live = shown();
    const commits = await this.place.commits();
    // A folder takes its time to be read, and work that was under way may have gone on meanwhile.
    if (shown() !== live) return;
    const run = commits
      .flatMap(({ events }) => events)
      .reduce((last, event) => (event.type === "session.opened" ? event.run : last), 0);
    // A run that has written nothing yet is not on the log, so a replay does not know that it began.
    if (run !== session.opening.run) return;
    this.checkNobodyIsLeft(commits);
    const replay = new ProjectionRunner(builtIn);
    for (const commit of commits) replay.confirm(placeCommit(commit));
    const fresh = plain((name) => replay.read(name));
    if (fresh !== live) this.wrong(`Q2 the projections differ from a replay:\n${live}\n${fresh}`);
  }

  /** Whoever mail should have woken has been woken, once nothing moves any more (W2, W4). */
  private checkNobodyIsLeft(commits: readonly Commit[]): void {
    const limits = limitsOf(this.program);
    const judge = new Judge({ limits });
    for (const { n, events } of commits) {
      judge.see(events.map((event, index) => ({ event, at: [n, index] as const })));
    }
    for (const { rule, what } of leftAtRest(judge.book, limits, [commits.length, 0])) {
      this.wrong(`${rule} at rest: ${what}`);
    }
  }

  /** The end of a run: closed in good order, or killed. Nothing of it may be left behind. */
  private async over(how: "close" | "crash"): Promise<void> {
    const { life } = this;
    const { session, ports } = life;
    // What a process has been told before it dies must be there; what it is told later is nobody's.
    const told = life.sent.map((one) => ({ ...one }));
    if (how === "crash") this.place.cut();
    const closing = session.close();
    let closed = false;
    closing.then(
      () => (closed = true),
      (error: unknown) => this.wrong(`L8 close rejects: ${String(error)}`),
    );
    await ports.settle();
    for (const one of life.held.splice(0)) one.release();
    // A disk takes its time, which the virtual clock knows nothing of.
    for (let turn = 0; turn < this.place.turns && !closed; turn++) await ports.settle();
    await ports.advance(CLOSE_MS);
    if (this.place.turns > 2) await closing.catch(() => undefined);
    await ports.settle();
    if (!closed) this.wrong("L8 close does not end");
    this.checkLeft(life);
    await this.checkTold(how === "crash" ? told : life.sent);
    await this.checkLog();
  }

  private checkLeft(life: Life): void {
    if (life.ports.pending > 0) this.wrong(`V4 ${life.ports.pending} timers are left`);
    for (const what of life.open.values()) this.wrong(`L8 a promise is left: ${what}`);
    for (const signal of life.signals) {
      const left = getEventListeners(signal, "abort").length;
      if (left > 0) this.wrong(`V4 ${left} listeners are left on a signal`);
    }
  }

  private async checkTold(sent: readonly Sent[]): Promise<void> {
    const commits = await this.place.commits();
    const texts = new Set<string>();
    for (const { events } of commits) {
      for (const event of events) {
        if (event.type === "mail.queued" && event.mail === "MAIL") texts.add(event.text ?? "");
      }
    }
    for (const { text, state } of sent) {
      if (state === "accepted" && !texts.has(text)) this.wrong(`M3 lost: ${text}`);
      if (state === "refused" && texts.has(text)) this.wrong(`M3 refused, and there: ${text}`);
    }
  }

  private async checkLog(): Promise<void> {
    const commits = await this.place.commits();
    const limits = limitsOf(this.program);
    for (const { rule, at, what } of violationsOf(commits, { limits })) {
      this.wrong(`${rule} at ${at.join(".")} ${what}`);
    }
    const keyed = new Map<string, number>();
    for (const { events } of commits) {
      for (const event of events) {
        if (event.type !== "mail.queued" || event.text?.startsWith("keyed") !== true) continue;
        const times = (keyed.get(event.text) ?? 0) + 1;
        keyed.set(event.text, times);
        if (times > 1) this.wrong(`M3 written ${times} times: ${event.text}`);
      }
    }
  }
}

/** The bounds of a program's session (X2). */
function limitsOf({ wakes }: Pick<ShellProgram, "wakes">): Limits {
  return { turns: 60, agents: null, wakes, unread: 50 };
}

type Read = <Name extends keyof typeof builtIn>(name: Name) => (typeof builtIn)[Name]["initial"];

/** All projections as one text, to compare. */
function plain(read: Read): string {
  const agents = listAgents(read("roster"));
  const usage = read("usage");
  return JSON.stringify({
    agents,
    mail: agents.map((agent) => [agentKey(agent), unreadOf(read("unread"), agent).toArray()]),
    said: agents.map((agent) => transcriptOf(read("transcript"), agent).toArray()),
    used: [
      usage.total,
      [...usage.agents.values()].map(({ key, used }) => JSON.stringify([key, used])).sort(),
    ],
  });
}
