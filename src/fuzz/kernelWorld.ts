/**
 * The kernel world: the real kernel and its loop, agents that follow scripts, a disk, a clock and a process that are steps.
 * No promises, and no time but the order of steps: any timer that is armed may fire. It chooses nothing.
 */
import type { TurnRef } from "../events/events.js";
import { type Agent, DEFAULT_LIMITS, plainHost } from "../kernel/state.js";
import { BEHAVIOR } from "../testing/commands.js";
import type { Violation } from "../kernel/invariants/checkers.js";
import { agentsOf, runningHandlers, tryOf } from "./choices.js";
import { Digest } from "./digest.js";
import { digestRun } from "./digestRun.js";
import { faultNamed, faultsOf } from "./faults.js";
import { footprintOf } from "./footprint.js";
import { FAULTS, type Fault, type KernelScenario, actsOf } from "./kernelScenario.js";
import { KernelRun } from "./kernelRun.js";
import { commandNamed, turnName } from "./stepNames.js";
import { takeStep } from "./takeStep.js";
import type { World, WorldKind } from "./world.js";

/** The mark of {@link kernelWorld}: goes up when a name comes to mean another step. */
export const KERNEL_MARK = "k1";

/** Steps that a run may need to come to rest; past them it is said not to. */
const MOST_STEPS = 10_000;

/** Where a script stands: how many acts its turn has taken. */
interface Place {
  readonly turn: number;
  readonly gen: number;
  readonly taken: number;
}

/** See the module header. */
export class KernelWorld implements World {
  readonly scenario: KernelScenario;
  readonly run: KernelRun;
  /** How many acts of each line of the host have been taken. */
  private lines: readonly number[];
  private places = new Map<string, Place>();
  private budgets: readonly number[];
  private open: readonly string[] | null = null;

  constructor(scenario: KernelScenario, from?: KernelWorld) {
    this.scenario = scenario;
    if (from !== undefined) {
      this.run = from.run.fork();
      this.lines = from.lines;
      if (from.places.size > 0) this.places = new Map(from.places);
      this.budgets = from.budgets;
      return;
    }
    const { prepares = false, finalises = false, turnTimeoutMs = null, capacity } = scenario;
    const limits = scenario.limits ?? DEFAULT_LIMITS;
    this.run = new KernelRun(plainHost([BEHAVIOR], { prepares, finalises, turnTimeoutMs, limits }));
    this.lines = scenario.host.map(() => 0);
    this.budgets = FAULTS.map((fault) => scenario.faults?.[fault] ?? 0);
    this.run.create(capacity);
    for (const name of scenario.before ?? []) {
      this.take(name);
      this.run.land();
    }
  }

  /** A world in the same place that goes on by itself. */
  fork(): KernelWorld {
    return new KernelWorld(this.scenario, this);
  }

  get violations(): readonly Violation[] {
    return this.run.violations;
  }

  enabled(): readonly string[] {
    this.open ??= this.steps();
    return this.open;
  }

  step(name: string): void {
    if (!this.enabled().includes(name))
      throw new Error(`No step ${name} is enabled. Ask enabled().`);
    this.take(name);
  }

  /** Takes a step that is known to be enabled. */
  take(name: string): void {
    this.open = null;
    this.note(name);
    takeStep(this.run, name);
  }

  footprint(name: string): readonly string[] {
    return footprintOf(this.run, name);
  }

  fingerprint(): string {
    return this.digest(new Digest()).hex();
  }

  /** Feeds everything that decides the future into a digest, agents under the names that `names` gives them. */
  digest(digest: Digest, names?: ReadonlyMap<string, string>): Digest {
    for (const taken of this.lines) digest.add(taken);
    for (const left of this.budgets) digest.add(left);
    const mayFail = this.left("crash") + this.left("append") > 0;
    digestRun(digest, this.run, { names, mayFail, isLate: this.left("late") > 0 }, (agent) => {
      const place = this.places.get(agent.path);
      const lists = this.scenario.agents?.[agent.path]?.length ?? 1;
      digest.add(Math.min(agent.turns, lists));
      digest.add(isAt(place, agent) ? place.taken : -1);
    });
    return digest;
  }

  finish(): void {
    for (let left = MOST_STEPS; left > 0; left--) {
      const [name] = this.fair();
      if (name === undefined) return this.run.rest();
      this.take(name);
    }
    this.run.found("Q2", "the session does not come to rest");
  }

  private left(fault: Fault): number {
    return this.budgets[FAULTS.indexOf(fault)] ?? 0;
  }

  private steps(): readonly string[] {
    const fair = this.fair();
    return fair.length === 0 ? fair : [...fair, ...this.faults()];
  }

  /** Steps that nothing keeps from being taken sooner or later, in default order. */
  fair(): readonly string[] {
    const { run } = this;
    if (run.loop.isDegraded) return ["reopen"];
    const names: string[] = [];
    if (run.isAppending) names.push("append:land");
    if (run.state.volatile.closed) {
      if (!run.isAppending)
        for (const name of this.hostActs()) if (name === "reopen") names.push(name);
      return names;
    }
    if (run.loop.queued.length >= (this.scenario.queue ?? 1)) return names;
    names.push(...this.completions());
    for (const agent of agentsOf(run.state)) this.act(agent, names);
    for (const name of this.hostActs()) if (name !== "reopen") names.push(name);
    if (!run.isAppending && run.loop.dirty) names.push("host:flush");
    for (const [timer, { kind }] of run.timers) {
      if (kind === "wait.timeout" || kind === "settlement.retry") names.push(`timer:${timer}`);
    }
    return names;
  }

  /** What the shell was asked to do, and has done. */
  private completions(): readonly string[] {
    const { state } = this.run;
    const names: string[] = [];
    for (const { path, ready } of state.volatile.reservations) {
      if (!ready && this.run.host.prepares) names.push(`${path}:prepared`);
    }
    const attempt = tryOf(state);
    if (attempt !== undefined) names.push(`${turnName(attempt)}:settle.commit`);
    for (const { turn, child } of runningHandlers(state)) {
      names.push(`${turnName(turn)}:handled:${child.path}`);
    }
    for (const { path, gen, turn } of agentsOf(state)) {
      if (turn === null) continue;
      const name = turnName({ path, gen, turn: turn.turn });
      for (const execution of turn.executions.values()) names.push(`${name}:complete:${execution}`);
      for (const { token } of turn.blockers) names.push(`${name}:unblock:${token}`);
    }
    return names.filter((name) => !this.isUnderWay(name));
  }

  private isUnderWay(name: string): boolean {
    const command = commandNamed(this.run, name);
    return command !== undefined && this.run.isUnderWay(command);
  }

  /** What the live turn of an agent does next. */
  private act(agent: Agent, names: string[]): void {
    const { turn } = agent;
    if (turn === null) return;
    const ref: TurnRef = { path: agent.path, gen: agent.gen, turn: turn.turn };
    const name = turnName(ref);
    if (turn.settling !== null || agent.phase === "waiting" || this.run.isAsking(ref)) return;
    const act = this.nextAct(agent, turn.turn);
    if (turn.open !== null)
      names.push(act === "partial" ? `${name}:partial` : `${name}:sample.end`);
    else if (act !== undefined && turn.blockers.length === 0) names.push(`${name}:${act}`);
  }

  private nextAct(agent: Agent, turn: number): string | undefined {
    const place = this.places.get(agent.path);
    const taken = isAt(place, agent) ? place.taken : 0;
    const acts = actsOf(this.scenario, agent.path, turn);
    return taken === acts.length ? "finish" : acts[taken];
  }

  private hostActs(): readonly string[] {
    return this.scenario.host.flatMap((acts, line) => {
      const act = acts[this.lines[line] ?? 0];
      if (act === undefined) return [];
      return [act === "reopen" ? act : `host:${act}`];
    });
  }

  private faults(): readonly string[] {
    const names: string[] = [];
    if (this.run.loop.isDegraded) return names;
    this.budgets.forEach((left, index) => {
      const fault = FAULTS[index];
      if (left === 0 || fault === undefined) return;
      const steps = faultsOf(this.run, fault);
      // What is late may well come a second time.
      const isOpen = (name: string): boolean => fault === "late" || !this.isUnderWay(name);
      names.push(...steps.filter(isOpen));
    });
    return names;
  }

  /** Notes what a step uses up: an act of a script or a line, or a fault. */
  private note(name: string): void {
    const line = this.scenario.host.findIndex((acts, index) => {
      const act = acts[this.lines[index] ?? 0];
      return act !== undefined && (act === "reopen" ? act : `host:${act}`) === name;
    });
    if (line !== -1) {
      this.lines = this.lines.map((taken, index) => (index === line ? taken + 1 : taken));
      return;
    }
    if (name.startsWith("/") && this.noteAct(name)) return;
    const fault = faultNamed(this.run, name);
    if (fault !== null) this.spend(fault);
    else if (this.left("late") > 0 && !this.fair().includes(name)) this.spend("late");
  }

  private spend(fault: Fault): void {
    const spent = FAULTS.indexOf(fault);
    this.budgets = this.budgets.map((left, index) => (index === spent ? left - 1 : left));
  }

  /** Answers whether the step is the next act of a script. */
  private noteAct(name: string): boolean {
    const colon = name.indexOf(":");
    for (const agent of this.run.state.durable.agents.values()) {
      if (agent.turn === null) continue;
      const { path, gen } = agent;
      const { turn } = agent.turn;
      if (turnName({ path, gen, turn }) !== name.slice(0, colon)) continue;
      if (this.nextAct(agent, turn) !== name.slice(colon + 1)) continue;
      const place = this.places.get(path);
      const taken = isAt(place, agent) ? place.taken : 0;
      this.places.set(path, { turn, gen, taken: taken + 1 });
      return true;
    }
    return false;
  }
}

function isAt(place: Place | undefined, { gen, turn }: Agent): place is Place {
  return place !== undefined && place.gen === gen && place.turn === turn?.turn;
}

/** Opens kernel worlds of one scenario. */
export interface KernelWorldKind extends WorldKind {
  open(): KernelWorld;
}

/**
 * The kernel world of a scenario.
 *
 * @example const world = kernelWorld({ name: "hello", capacity: 1, host: [["prompt"]] }).open();
 */
export function kernelWorld(scenario: KernelScenario): KernelWorldKind {
  return { name: scenario.name, mark: KERNEL_MARK, open: () => new KernelWorld(scenario) };
}
