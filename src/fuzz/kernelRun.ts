/**
 * A session of the kernel with everything around it simulated: the real loop, a disk that is a list of commits, timers that
 * are names, and a process that can die. Its one mover is whoever calls it. It can be copied at any point for little: states
 * are values. It chooses nothing, and knows no agent's script.
 */
import { Bug } from "../errors.js";
import type { AttemptRef, DovecoteEvent, TurnRef } from "../events/events.js";
import type { Point } from "../events/point.js";
import type { Command } from "../kernel/command.js";
import type { Effect } from "../kernel/effects.js";
import { Loop, type LoopPort, type Placed, type AnyReply } from "../kernel/loop.js";
import { type Row, emptyRow } from "../kernel/persistent.js";
import { fold } from "../kernel/stage.js";
import { type Host, type State, emptyState } from "../kernel/state.js";
import { BEHAVIOR, commands } from "../testing/commands.js";
import type { Book } from "../kernel/invariants/book.js";
import type { Violation } from "../kernel/invariants/checkers.js";
import { leftAtRest } from "../kernel/invariants/idleness.js";
import { Judge } from "../kernel/invariants/judge.js";

/** Told of what happens in a run; it may look, and change nothing. */
export interface RunWatch {
  /** One event, before the books take it. */
  event?(placed: Placed, run: KernelRun): void;
  /** A group of events has been shown. */
  shown?(run: KernelRun, events: readonly Placed[]): void;
  /** A command has been answered; its events have not been shown yet. */
  replied?(command: Command, reply: AnyReply): void;
}

/** What a run has been through, the newest last: late completions are drawn from it. */
export interface History {
  readonly turns: Row<TurnRef>;
  readonly attempts: Row<AttemptRef>;
  readonly reservations: Row<number>;
  readonly results: Row<Point>;
}

/**
 * What becomes of an append that is in flight when the process dies, or the store fails. A death after the append and before
 * or between its effects is `kept`: effects are timers and preparations, which die with the process whether begun or not.
 */
export type Fate = "lost" | "kept";

const NO_HISTORY: History = {
  turns: emptyRow(),
  attempts: emptyRow(),
  reservations: emptyRow(),
  results: emptyRow(),
};

/** See the module header. */
export class KernelRun implements LoopPort {
  readonly host: Host;
  loop: Loop;
  /** What is on the disk. */
  commits: Row<readonly DovecoteEvent[]> = emptyRow();
  /** Shown, and not yet on the disk. */
  pending: readonly Placed[] = [];
  /** Timers that are armed, and what each submits. */
  timers = new Map<string, Command>();
  history: History = NO_HISTORY;
  watch: RunWatch = {};
  /** Commands that have not been answered. */
  private waiting: readonly Command[] = [];
  private inFlight: readonly DovecoteEvent[] | null = null;
  /** The next events shown are those of the commit that has just landed. */
  private isLanding = false;
  private judge: Judge;
  /** Whether nobody else looks at `judge`: else it is copied before it goes on. */
  private isOwn = true;
  /** The judge of what is on the disk. */
  private judged: Judge;
  private serial = 0;

  constructor(host: Host, from?: KernelRun) {
    this.host = host;
    this.judge = from?.judge ?? new Judge({ limits: host.limits });
    this.judged = from?.judged ?? this.judge.fork();
    this.loop =
      from?.loop.fork(this, (command, reply) => this.replied(command, reply)) ??
      new Loop(emptyState(host), this);
    if (from === undefined) return;
    this.isOwn = false;
    from.isOwn = false;
    this.commits = from.commits;
    this.pending = from.pending;
    if (from.timers.size > 0) this.timers = new Map(from.timers);
    this.waiting = from.waiting;
    this.history = from.history;
    this.inFlight = from.inFlight;
    this.serial = from.serial;
  }

  /** A run in the same place that goes on by itself, unwatched. */
  fork(): KernelRun {
    return new KernelRun(this.host, this);
  }

  /** Makes the session. */
  create(capacity: number): void {
    this.submit({ kind: "create", id: "s", capacity, behavior: BEHAVIOR });
    this.land();
  }

  /** What the events so far say. */
  get book(): Book {
    return this.judge.book;
  }

  /** What checkers have found so far. */
  get violations(): readonly Violation[] {
    return this.judge.violations;
  }

  /** Notes what somebody else has found. */
  found(rule: string, what: string): void {
    this.own().found(rule, this.state.next, what);
  }

  /** Everybody has come to rest: looks at what is left. */
  rest(): void {
    const { next } = this.state;
    const left = leftAtRest(this.book, this.host.limits, next);
    if (left.length === 0) return;
    const judge = this.own();
    for (const { rule, what } of left) judge.found(rule, next, what);
  }

  /** Whether the behaviour of a turn waits for an answer. */
  isAsking(turn: TurnRef): boolean {
    return this.waiting.some((command) => {
      const by = askerOf(command);
      return by !== null && by.path === turn.path && by.turn === turn.turn && by.gen === turn.gen;
    });
  }

  /** Whether a completion of the same thing has been submitted and not been decided. */
  isUnderWay(command: Command): boolean {
    const key = this.waiting.length === 0 ? null : completedBy(command);
    return key !== null && this.waiting.some((one) => completedBy(one) === key);
  }

  /** Whether an append is in flight. */
  get isAppending(): boolean {
    return this.inFlight !== null;
  }

  /** The state as it has been shown. */
  get state(): State {
    return this.loop.state;
  }

  /** Everything that has been shown and is not lost, in order. */
  placed(): readonly Placed[] {
    const placed: Placed[] = [];
    let n = 0;
    for (const events of this.commits) {
      n++;
      events.forEach((event, index) => placed.push({ event, at: [n, index] }));
    }
    return [...placed, ...this.pending];
  }

  /** Another text at each call. */
  text(what: string): string {
    return `${what} ${this.serial}`;
  }

  /** Puts a command to the kernel. */
  submit(command: Command): void {
    this.serial++;
    this.waiting = [...this.waiting, command];
    this.loop.submit(command, (reply) => this.replied(command, reply));
  }

  private replied(command: Command, reply: AnyReply): void {
    this.watch.replied?.(command, reply);
    this.waiting = this.waiting.filter((one) => one !== command);
    if (reply.kind === "bug") this.found("L1", `${command.kind} throws: ${String(reply.error)}`);
  }

  /** The append in flight is durable. */
  land(): void {
    if (this.inFlight === null) return;
    this.commits = this.commits.push(this.inFlight);
    // A flush has nothing to show that had not been shown.
    const isShown = this.inFlight.length === this.pending.length;
    this.inFlight = null;
    this.pending = [];
    if (isShown) this.keepJudge();
    else this.isLanding = true;
    this.loop.appended();
  }

  /** The append in flight fails. The loop then takes nothing more, until the session is opened again (L6). */
  fail(unknown: boolean, fate: Fate = "lost"): void {
    if (this.inFlight === null) return;
    if (fate === "kept") this.keep(this.inFlight);
    this.inFlight = null;
    this.pending = [];
    this.timers.clear();
    this.loop.failed(new Error("no space"), "c", unknown);
    this.fallBack();
  }

  /** The process dies. What had not landed is lost, or was on the disk although nobody had been told. */
  die(fate: Fate): void {
    if (this.inFlight !== null && fate === "kept") this.reopen(this.keep(this.inFlight));
    else this.reopen();
  }

  /** A new process opens what is on the disk. */
  reopen(state: State = this.onDisk()): void {
    this.inFlight = null;
    this.pending = [];
    this.timers.clear();
    this.waiting = [];
    this.fallBack();
    this.loop = new Loop(state, this);
    this.submit(commands.open());
  }

  /** What the disk folds to. */
  private onDisk(): State {
    let state = this.loop.durable;
    const [next] = state.next;
    if (this.commits.length < next) return state;
    // A commit that was kept though its append failed.
    for (const events of this.commits.toArray().slice(next - 1)) state = folded(state, events);
    return state;
  }

  /** Puts a commit on the disk that nobody is told of. */
  private keep(events: readonly DovecoteEvent[]): State {
    const n = this.commits.length + 1;
    this.commits = this.commits.push(events);
    this.judged = this.judged.fork();
    this.judged.see(events.map((event, index) => ({ event, at: [n, index] as const })));
    return folded(this.loop.durable, events);
  }

  append(_n: number, events: readonly DovecoteEvent[]): void {
    if (this.inFlight !== null) throw new Bug("two appends are in flight");
    this.inFlight = events;
  }

  show(events: readonly Placed[]): void {
    const { watch } = this;
    const each = watch.event === undefined ? undefined : (one: Placed) => watch.event?.(one, this);
    this.own().see(events, each);
    for (const one of events) this.remember(one);
    if (this.isLanding) this.keepJudge();
    else this.pending = [...this.pending, ...events];
    this.isLanding = false;
    this.watch.shown?.(this, events);
  }

  private own(): Judge {
    if (!this.isOwn) this.judge = this.judge.fork();
    this.isOwn = true;
    return this.judge;
  }

  /** What has been judged so far is on the disk. */
  private keepJudge(): void {
    this.judged = this.judge;
    this.isOwn = false;
  }

  /** What was not on the disk has never been, but what was found wrong stays found. */
  private fallBack(): void {
    const { violations } = this.judge;
    this.judge = this.judged.fork();
    this.isOwn = true;
    const others = this.judged.violations.filter((one) => !violations.includes(one));
    this.judge.violations = [...violations, ...others];
  }

  private remember({ event, at }: Placed): void {
    const { history } = this;
    switch (event.type) {
      case "start.reserved":
        this.history = { ...history, reservations: history.reservations.push(event.reservation) };
        break;
      case "mail.queued":
        if (event.mail === "RESULT")
          this.history = { ...history, results: history.results.push(at) };
        break;
      case "turn.started": {
        const { path, gen, turn } = event;
        this.history = { ...history, turns: history.turns.push({ path, gen, turn }) };
        break;
      }
      case "sample.began":
      case "wait.began":
      case "settlement.attempted": {
        const { path, gen, turn, attempt } = event;
        const attempts = history.attempts.push({ path, gen, turn, attempt });
        this.history = { ...history, attempts };
        break;
      }
      default:
    }
  }

  perform(effect: Effect): void {
    if (effect.kind === "timer.disarm") this.timers.delete(effect.timer);
    if (effect.kind !== "timer.arm") return;
    if (this.timers.has(effect.timer)) {
      this.found("V4", `${effect.timer} is armed twice`);
    }
    this.timers.set(effect.timer, effect.submit);
  }

  flushSoon(): void {}

  degraded(): void {}
}

function folded(state: State, events: readonly DovecoteEvent[]): State {
  let after = state;
  for (const event of events) after = fold(after, event);
  return { ...after, next: [after.next[0] + 1, 0] };
}

/** A turn as one key. */
export function turnKey({ path, gen, turn }: TurnRef): string {
  return `${path}#${gen}.${turn}`;
}

/** The turn whose behaviour waits for a command's answer; `null` for what nobody waits for. */
function askerOf(command: Command): TurnRef | null {
  switch (command.kind) {
    case "spawn":
    case "send":
    case "interrupt":
      return command.by;
    case "sample.begin":
    case "partial":
    case "record":
    case "block":
    case "takeResult":
    case "wait":
    case "yield":
      return command.turn;
    case "sample.end":
      return command.attempt;
    default:
      return null;
  }
}

/** What a command completes, as one key; `null` for what completes nothing. */
function completedBy(command: Command): string | null {
  switch (command.kind) {
    case "settlement.end":
    case "settlement.fail":
      return `settle ${turnKey(command.attempt)}`;
    case "prepared":
      return `start ${command.reservation}`;
    case "handler.end":
      return `record ${command.record.join(".")}`;
    case "execution.complete":
      return `execution ${turnKey(command.turn)} ${command.execution}`;
    case "unblock":
      return `blocker ${turnKey(command.turn)} ${command.token}`;
    case "turn.finish":
      return `turn ${turnKey(command.turn)}`;
    case "sample.end":
      return `sample ${turnKey(command.attempt)}`;
    default:
      return null;
  }
}
