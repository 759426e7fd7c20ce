/**
 * Plays a random program on the real loop, with appends that land late or fail and processes that are killed between
 * commits, and tells a watcher of everything that is shown. Asserts only that the session comes to rest and that nothing
 * throws; what else must hold is the watcher's.
 */
import { vi } from "vitest";
import type { AttemptRef, DovecoteEvent, TurnRef } from "../../src/events/events.js";
import type { Point } from "../../src/events/point.js";
import type { Command } from "../../src/kernel/command.js";
import type { Effect } from "../../src/kernel/effects.js";
import { Loop, type LoopPort, type Placed } from "../../src/kernel/loop.js";
import { type State, emptyState, plainHost } from "../../src/kernel/state.js";
import { BEHAVIOR, commands } from "../../src/testing/commands.js";
import { foldAll } from "../../src/testing/scenario.js";
import { check } from "../../test/support/property.js";
import { Ledger } from "./ledger.js";
import { type Program, type Step, programs } from "./programs.js";
import { commandOf, liveTurns, pausedOf, runningHandlers, tryOf } from "./steps.js";

// A loaded machine must not fail a property; how many programs are played is DOVECOTE_RUNS's to say.
vi.setConfig({ testTimeout: 300_000 });

/** What a property looks at while a program is played. */
export interface Watch {
  /** One event, before the ledger takes it. */
  event?(placed: Placed, ledger: Ledger): void;
  /** A whole commit or a group of volatile events has been shown. */
  shown?(play: Play): void;
  /** A step is over, and nothing is queued or being appended. */
  between?(play: Play): void;
  /** An append has failed; the process has not died yet. */
  broken?(play: Play): void;
  /** Nothing is queued, live or prepared any more. */
  rest?(play: Play): void;
}

/** Holds for every program. */
export function everyProgram(watch: Watch): void {
  check(programs, (program) => new Play(program, watch).run());
}

/** See the module header. */
export class Play implements LoopPort {
  loop: Loop;
  /** What is on the disk. */
  readonly commits: (readonly DovecoteEvent[])[] = [];
  /** Everything that has been shown and is not lost, in order. */
  placed: Placed[] = [];
  ledger = new Ledger();
  /** Timers that are armed, and what each submits. */
  readonly timers = new Map<string, Command>();
  readonly program: Program;
  private readonly watch: Watch;
  private inFlight: readonly DovecoteEvent[] | null = null;
  private serial = 0;
  private readonly turns: TurnRef[] = [];
  private readonly attempts: AttemptRef[] = [];
  private readonly reservations: number[] = [];
  private readonly results: Point[] = [];

  constructor(program: Program, watch: Watch) {
    this.program = program;
    this.watch = watch;
    this.loop = new Loop(this.empty(), this);
  }

  /** The state before the first event. */
  empty(): State {
    const { prepares, finalises, turnTimeoutMs, limits } = this.program;
    return emptyState(plainHost([BEHAVIOR], { prepares, finalises, turnTimeoutMs, limits }));
  }

  run(): void {
    const { capacity, steps, off } = this.program;
    this.submit({ kind: "create", id: "s", capacity, behavior: BEHAVIOR });
    this.land();
    if (this.program.started) this.start();
    for (const step of steps) {
      if (off.includes(step.kind)) continue;
      this.step(step);
      if (step.a >= this.program.lateness) this.land();
      if (this.loop.resting) this.watch.between?.(this);
    }
    this.settleDown();
    this.watch.rest?.(this);
  }

  /** A root at work, with children and a grandchild, as far as capacity and limits go. */
  private start(): void {
    const first = [
      commands.prompt("start 0"),
      commands.spawn("a"),
      commands.spawn("b"),
      commands.spawn("c", { parent: "/root/a" }),
    ];
    for (const command of first) this.submit(command);
    this.land();
    for (const { reservation } of this.loop.state.volatile.reservations) {
      this.submit(commands.prepared(reservation));
    }
    this.land();
  }

  private step(step: Step): void {
    if (this.loop.state.volatile.closed && this.inFlight === null) this.crash();
    switch (step.kind) {
      case "land":
        return this.land();
      case "flush":
        return this.submit({ kind: "flush" });
      case "time":
        return this.passTime(step.a);
      case "crash":
        return this.crash();
      case "break":
        if (this.inFlight === null) return undefined;
        this.inFlight = null;
        this.loop.failed(new Error("no space"), "c", step.a > 3);
        this.watch.broken?.(this);
        return this.crash();
      default: {
        const { turns, attempts, reservations, results, serial } = this;
        const history = { turns, attempts, reservations, results, serial };
        const command = commandOf(this.loop.state, history, step);
        if (command !== undefined) this.submit(command);
      }
    }
  }

  private submit(command: Command): void {
    this.serial++;
    this.loop.submit(command, (reply) => {
      if (reply.kind === "bug") throw reply.error;
    });
  }

  private land(): void {
    if (this.inFlight === null) return;
    this.commits.push(this.inFlight);
    this.inFlight = null;
    this.loop.appended();
  }

  /** One of the armed timers fires; which one is the step's to say. */
  private passTime(which: number): void {
    const [name, command] = [...this.timers][which % Math.max(this.timers.size, 1)] ?? [];
    if (name === undefined || command === undefined) return;
    this.timers.delete(name);
    this.submit(command);
  }

  /** The process dies; what had not landed is lost. The next one folds the log and opens it. */
  private crash(): void {
    this.inFlight = null;
    this.timers.clear();
    const folded = foldAll(this.empty(), this.commits);
    this.placed = this.commits.flatMap((events, n) =>
      events.map((event, index) => ({ event, at: [n + 1, index] as const })),
    );
    this.ledger = new Ledger();
    for (const { event, at } of this.placed) this.ledger.take(event, at);
    this.loop = new Loop(folded, this);
    this.submit(commands.open());
  }

  /** Ends everything that is still going on, the way a shell would. */
  private settleDown(): void {
    for (let left = 5_000; left > 0; left--) {
      if (this.inFlight !== null) this.land();
      else if (this.loop.dirty) this.submit({ kind: "flush" });
      else if (!this.goOn()) return;
    }
    throw new Error("the session does not come to rest");
  }

  private goOn(): boolean {
    const { state } = this.loop;
    const attempt = tryOf(state);
    const reserved = state.volatile.reservations.find((one) => !one.ready);
    const paused = pausedOf(state);
    const [handler] = runningHandlers(state);
    const [turn] = liveTurns(state);
    if (attempt !== undefined) this.submit(commands.settled(attempt));
    else if (paused !== undefined) this.submit(commands.retry(paused));
    else if (handler !== undefined) this.submit(commands.handled(handler.turn, handler.record));
    else if (reserved !== undefined) this.submit(commands.prepared(reserved.reservation));
    else if (turn !== undefined) this.submit(commands.finish(turn, `end ${this.serial}`));
    else return false;
    return true;
  }

  append(_n: number, events: readonly DovecoteEvent[]): void {
    if (this.inFlight !== null) throw new Error("two appends are in flight");
    this.inFlight = events;
  }

  show(events: readonly Placed[]): void {
    for (const one of events) {
      this.watch.event?.(one, this.ledger);
      this.ledger.take(one.event, one.at);
      this.placed.push(one);
      this.remember(one);
    }
    this.watch.shown?.(this);
  }

  private remember({ event, at }: Placed): void {
    if (event.type === "start.reserved") this.reservations.push(event.reservation);
    if (event.type === "mail.queued" && event.mail === "RESULT") this.results.push(at);
    if (event.type === "turn.started") {
      this.turns.push({ path: event.path, gen: event.gen, turn: event.turn });
    }
    if ("attempt" in event) {
      const { path, gen, turn, attempt } = event;
      this.attempts.push({ path, gen, turn, attempt });
    }
  }

  perform(effect: Effect): void {
    if (effect.kind === "timer.disarm") this.timers.delete(effect.timer);
    if (effect.kind !== "timer.arm") return;
    if (this.timers.has(effect.timer)) throw new Error(`${effect.timer} is armed twice`);
    this.timers.set(effect.timer, effect.submit);
  }

  flushSoon(): void {}

  degraded(): void {}
}
