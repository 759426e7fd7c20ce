/**
 * The behaviour world: a user's behaviours on the real shell. After each step it waits until nobody moves any more, so that its
 * steps alone decide what comes. It chooses nothing.
 */
import { DovecoteError } from "../errors.js";
import type { CommitDraft } from "../events/commit.js";
import { Judge } from "../kernel/invariants/judge.js";
import type { Violation } from "../kernel/invariants/checkers.js";
import { MemoryStorage, memoryLog } from "../log/memoryLog.js";
import { openSession } from "../runtime/openSession.js";
import type { Session } from "../runtime/session.js";
import { type FaultyLog, type HeldAppend, faultyLog } from "../testing/faultyLog.js";
import { Digest } from "./digest.js";
import { GatedPorts } from "./gatedPorts.js";
import { gatedBehavior, gatedSession } from "./gatedTurn.js";
import { Gates, atRest } from "./gates.js";
import type { BehaviorFault, Holds, Played } from "./scenario.js";
import { gatherMarks } from "./sometimes.js";
import { agentOf, verbOf } from "./strategies/strategy.js";
import type { World, WorldKind } from "./world.js";

/** Steps that a run may need to come to rest; past them it is said not to. */
const MOST_STEPS = 10_000;

const ALL_FAULTS: readonly BehaviorFault[] = ["append", "crash", "interrupt"];

/** One process: from an opening to a crash, or to the reopening of a degraded session. */
class Life {
  readonly gates = new Gates();
  readonly ports = new GatedPorts(this.gates);
  readonly log: FaultyLog;
  /** The append that is in flight, or the next one. */
  held: HeldAppend;
  session: Session | null = null;

  constructor(storage: MemoryStorage) {
    this.log = faultyLog(memoryLog(storage));
    this.held = this.log.holdNext();
  }

  /** The append in flight, which is answered now; the next one is held anew. */
  answer(): HeldAppend {
    const { held } = this;
    this.held = this.log.holdNext();
    return held;
  }

  get writing(): CommitDraft | undefined {
    return this.held.commit;
  }
}

/** See the module header. */
export class BehaviorWorld implements World {
  private readonly played: Played;
  private readonly kept: (storage: MemoryStorage) => void;
  private readonly judge = new Judge();
  private readonly found: Violation[] = [];
  private readonly acted = new Set<string>();
  private reached = new Set<string>();
  private storage = new MemoryStorage();
  private life: Life | null = null;
  /** The newest commit on the disk. */
  private commits = 0;

  private constructor(played: Played, kept: (storage: MemoryStorage) => void) {
    this.played = played;
    this.kept = kept;
    kept(this.storage);
  }

  /** Opens the session; what that appends is durable. */
  static async open(
    played: Played,
    kept: (storage: MemoryStorage) => void,
  ): Promise<BehaviorWorld> {
    const world = new BehaviorWorld(played, kept);
    world.begin();
    await atRest();
    if (world.life?.writing !== undefined) await world.step("append:land");
    return world;
  }

  get violations(): readonly Violation[] {
    return this.found.length === 0 ? this.judge.violations : this.found;
  }

  private wrong(rule: string, what: string): void {
    this.found.push({ rule, at: [this.commits, 0], what });
  }

  fair(): readonly string[] {
    const { life } = this;
    if (life === null) return ["reopen"];
    const names = life.writing === undefined ? [] : ["append:land"];
    names.push(...life.gates.steps);
    const { session } = life;
    if (session?.isDegraded === true) names.push("reopen");
    else if (session !== null) {
      for (const action of Object.keys(this.played.actions ?? {}))
        if (!this.acted.has(action)) names.push(`do:${action}`);
    }
    names.push(...life.ports.steps);
    return names;
  }

  enabled(): readonly string[] {
    const fair = this.fair();
    const { life } = this;
    if (fair.length === 0 || life === null) return fair;
    const { faults = ALL_FAULTS } = this.played;
    const names = [...fair];
    const isWriting = life.writing !== undefined;
    if (faults.includes("append") && isWriting && life.session !== null)
      names.push("append:fail", "append:unknown", "append:unknown.kept");
    if (faults.includes("crash")) names.push(...(isWriting ? ["crash", "crash:kept"] : ["crash"]));
    if (faults.includes("interrupt") && life.session?.isDegraded === false) {
      for (const { path, phase } of life.session.list())
        if (phase !== "idle") names.push(`interrupt:${path}`);
    }
    return names;
  }

  async step(name: string): Promise<void> {
    this.reached = new Set();
    gatherMarks(this.reached);
    try {
      if (!this.take(name)) throw new Error(`No step ${name} is enabled. Ask enabled().`);
      await atRest();
    } finally {
      gatherMarks(null);
    }
    this.look();
  }

  private take(name: string): boolean {
    const { life } = this;
    if (name === "reopen") return this.reopen(life);
    if (life === null) return false;
    if (life.gates.take(name) || life.ports.take(name)) return true;
    if (name.startsWith("append:")) return this.answer(life, name.slice("append:".length));
    if (name.startsWith("crash")) return this.crash(life, name === "crash:kept");
    const { session } = life;
    if (session === null) return false;
    const [verb = "", arg = ""] = name.split(":");
    if (verb === "interrupt") {
      this.act(life, session, name, () => session.interrupt(arg));
      return true;
    }
    const action = verb === "do" ? this.played.actions?.[arg] : undefined;
    if (action === undefined || this.acted.has(arg)) return false;
    this.acted.add(arg);
    this.act(life, session, name, action);
    return true;
  }

  /** The host, or somebody else outside, does something; what they throw that is no refusal is a failure. */
  private act(
    life: Life,
    session: Session,
    name: string,
    act: (session: Session) => unknown,
  ): void {
    const activity = life.gates.begin(name);
    const call = async (): Promise<void> =>
      void (await act(gatedSession(life.gates, session, activity)));
    call()
      .catch((error: unknown) => {
        if (this.life !== life || error instanceof DovecoteError) return;
        this.wrong(name, error instanceof Error ? error.message : String(error));
      })
      .finally(() => life.gates.end(activity));
  }

  private answer(life: Life, how: string): boolean {
    const commit = life.writing;
    if (commit === undefined) return false;
    const held = life.answer();
    if (how === "land") held.release();
    else if (how === "fail") held.fail("unavailable");
    else held.fail("unknown", { written: how === "unknown.kept" });
    if (how === "land" || how === "unknown.kept") this.enter(commit);
    return true;
  }

  /** Shows the judge a commit that is on the disk. */
  private enter({ n, events }: CommitDraft): void {
    this.commits = n;
    this.judge.see(events.map((event, index) => ({ event, at: [n, index] as const })));
    for (const event of events) {
      if (event.type !== "mail.delivered") continue;
      const { path, turn, attempt } = event;
      this.reached.add(`${path}#${turn}.${attempt} reads ${event.records.join(" ")}`);
    }
  }

  /** The process dies. What was being written may be on the disk all the same. */
  private crash(life: Life, isKept: boolean): boolean {
    const commit = life.writing;
    if (isKept && commit === undefined) return false;
    life.gates.shut();
    this.life = null;
    this.storage = this.storage.copy();
    this.kept(this.storage);
    if (commit === undefined || !isKept) return true;
    this.enter(commit);
    const log = memoryLog(this.storage);
    void log.openSession("main").then(async (session) => {
      await session.append(commit);
      await session.close();
    });
    return true;
  }

  private reopen(life: Life | null): boolean {
    if (life === null) this.begin();
    else if (life.session?.isDegraded === true) {
      const ended = life;
      this.life = null;
      void life.session.close().then(() => {
        ended.gates.shut();
        this.begin();
      });
    } else return false;
    return true;
  }

  private begin(): void {
    const life = new Life(this.storage);
    this.life = life;
    const { behaviors, host, session: options = {} } = this.played;
    const { gates, ports, log } = life;
    const wrapped = Object.entries(behaviors).map(
      ([name, behavior]) => [name, gatedBehavior(gates, behavior)] as const,
    );
    openSession<string>({ ...options, log, ports, behaviors: Object.fromEntries(wrapped) }).then(
      (session) => {
        life.session = session;
        if (host !== undefined) this.act(life, session, "host", host);
      },
      (error: unknown) => {
        if (this.life === life) this.wrong("R1", `the session can't be opened: ${String(error)}`);
      },
    );
  }

  /** Asks the user's own checkers. */
  private look(): void {
    const session = this.life?.session ?? null;
    if (session === null || this.found.length > 0) return;
    this.ask("always", session, true);
    this.ask("never", session, false);
  }

  private ask(kind: "always" | "never" | "eventually", session: Session, expected: boolean): void {
    const checkers: Readonly<Record<string, Holds>> = this.played[kind] ?? {};
    for (const [label, holds] of Object.entries(checkers)) {
      if (holds(session) === expected) continue;
      this.wrong(`${kind} ${label}`, `"${label}" ${expected ? "does not hold" : "holds"}`);
    }
  }

  marks(): readonly string[] {
    return [...this.reached];
  }

  footprint(name: string): readonly string[] {
    return [agentOf(name), verbOf(name)];
  }

  fingerprint(): string {
    const digest = new Digest();
    for (const name of this.fair()) digest.word(name);
    for (const { path, phase, marked, unread } of this.life?.session?.list() ?? []) {
      digest.word(path);
      digest.word(phase);
      digest.is(marked);
      digest.add(unread);
    }
    return digest.hex();
  }

  /** Lets everything come to rest without faults, and looks at what is left. */
  async finish(): Promise<void> {
    if (this.violations.length === 0 && (await this.rest())) {
      const life = this.life;
      if (life?.session != null) this.lookAtRest(life, life.session);
      if (this.violations.length === 0) await this.close();
    }
    this.life?.gates.shut();
    this.life = null;
  }

  private async rest(): Promise<boolean> {
    for (let left = MOST_STEPS; left > 0; left--) {
      const [name] = this.fair();
      if (name === undefined) return true;
      await this.step(name);
      if (this.violations.length > 0) return false;
    }
    this.wrong("Q2", `the session does not come to rest within ${MOST_STEPS} steps`);
    return false;
  }

  private lookAtRest(life: Life, session: Session): void {
    for (const { name, waits } of life.gates.activities) {
      const own = [...waits].find(([, isEffect]) => isEffect);
      if (own !== undefined) this.wrong("await", `${name}: the call ${own[0]} does not end`);
      if (waits.size > 0) continue;
      this.wrong(
        "await",
        `${name} waits for something that is no step. Make its call with turn.effect, and let it need nothing real`,
      );
    }
    if (this.found.length === 0) this.ask("eventually", session, true);
  }

  /** Ends the session in good order; nothing may be left (L8, V4). */
  private async close(): Promise<void> {
    const { life } = this;
    if (life?.session == null) return;
    let closed = false;
    void life.session.close().then(() => (closed = true));
    await atRest();
    if (!(await this.rest())) return;
    if (!closed) this.wrong("L8", "the session does not close");
    const [timer] = life.ports.armed;
    if (timer !== undefined) this.wrong("V4", `${timer} is left`);
  }
}

/** The mark of the behaviour world: goes up when a name comes to mean another step. */
const MARK = "b1";

/**
 * The behaviour world of a scenario: real behaviours on a real session, on a log in memory, with a clock that stands still. Each
 * answer of a turn or of the session, each append and each timer is a step.
 *
 * @param setup is called for each run, so that what it makes is new each time.
 * @param kept is shown what a run's log is kept in, and after a crash the copy that goes on.
 * @example
 * const pair = scenario("pair", () => ({ behaviors: { root, worker }, host: (s) => s.prompt("go") }));
 * const { failure } = await fuzz(pair);
 */
export function scenario(
  name: string,
  setup: () => Played,
  kept: (storage: MemoryStorage) => void = () => undefined,
): WorldKind {
  return { name, mark: MARK, open: () => BehaviorWorld.open(setup(), kept) };
}
