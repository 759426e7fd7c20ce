/**
 * The loop: a queue of commands, one pump, one staged commit in flight (group commit).
 * decide -> append -> fold -> show -> effects. Sans-IO: the port appends, shows and performs; completions come back as calls.
 * It knows nothing of promises, clocks or who waits for a reply.
 */
import type { Rejection } from "../errors.js";
import type { DovecoteEvent } from "../events/events.js";
import type { Point } from "../events/point.js";
import type { Answers, Command } from "./command.js";
import { type Decision, decide } from "./decide.js";
import { URGENCY } from "./durability.js";
import type { Effect } from "./effects.js";
import { keyEntry } from "./keys.js";
import type { State } from "./state.js";

/** What became of a command. `unknown`: its commit may or may not be there (M3); `degraded`: it was not even tried (L6). */
export type Reply<A> =
  | { readonly kind: "answer"; readonly answer: A }
  | { readonly kind: "rejected"; readonly rejection: Rejection }
  | { readonly kind: "unknown"; readonly commitId: string; readonly cause: unknown }
  | { readonly kind: "degraded"; readonly cause: unknown }
  /** The kernel threw: a bug, and nothing of this command was done. */
  | { readonly kind: "bug"; readonly error: unknown };

/** The reply to a command of any kind. */
export type AnyReply = Reply<Answers[keyof Answers]>;

/** An event with its place. */
export interface Placed {
  readonly event: DovecoteEvent;
  readonly at: Point;
}

/** What the shell does for the loop. Nothing here may call back into the loop before it returns, but `submit`. */
export interface LoopPort {
  /**
   * Begin to append commit `n`; call {@link Loop.appended} or {@link Loop.failed} when it has ended. `keys` are the
   * idempotency keys of what it carries out (M3).
   */
  append(
    n: number,
    events: readonly DovecoteEvent[],
    keys: Readonly<Record<string, string>> | undefined,
  ): void;
  /** These events have been folded: let projections, actors and observers see them. */
  show(events: readonly Placed[], state: State): void;
  perform(effect: Effect): void;
  /** Events wait that should be on the log soon: submit `flush` when the process comes to rest. */
  flushSoon(): void;
  /** The store failed: the state is back at the last durable commit and takes no more commands (L6). */
  degraded(cause: unknown): void;
}

interface Item {
  readonly command: Command;
  readonly reply: (reply: Reply<never>) => void;
}

interface Settled {
  readonly item: Item;
  readonly reply: AnyReply;
}

/** One group of decisions that shares a commit. */
interface Batch {
  readonly events: DovecoteEvent[];
  readonly effects: Effect[];
  readonly settled: Settled[];
  readonly first: Point;
  state: State;
  weight: number;
  mustCommit: boolean;
}

/** Past this much text a batch takes no more commands, in UTF-16 code units. */
const BATCH_WEIGHT = 4 * 1024 * 1024;

/** See the module header. */
export class Loop {
  private readonly port: LoopPort;
  private queue: Item[] = [];
  /** How many of `queue` have been taken already. */
  private taken = 0;
  private current: State;
  /** The state at the last durable commit: what a failed append falls back to. */
  private confirmed: State;
  /** Folded and shown, but not yet in a commit. */
  private pending: DovecoteEvent[] = [];
  private inFlight: Batch | null = null;
  private pumping = false;
  private failure: { readonly cause: unknown } | null = null;

  constructor(state: State, port: LoopPort) {
    this.current = state;
    this.confirmed = state;
    this.port = port;
  }

  /** The state as it has been shown. */
  get state(): State {
    return this.current;
  }

  /** The state at the last durable commit. */
  get durable(): State {
    return this.confirmed;
  }

  /** Whether nothing is queued or being appended (Q2). */
  get resting(): boolean {
    return this.taken === this.queue.length && this.inFlight === null && !this.pumping;
  }

  /** Whether events wait for a commit to carry them. A run's frames alone do not count (R2). */
  get dirty(): boolean {
    return this.pending.some((event) => URGENCY[event.type] !== "frame");
  }

  get isDegraded(): boolean {
    return this.failure !== null;
  }

  /** The state that the append in flight makes durable; `null` when none is in flight. */
  get staged(): State | null {
    return this.inFlight?.state ?? null;
  }

  /** Commands that nobody has looked at yet, in order. */
  get queued(): readonly Command[] {
    return this.queue.slice(this.taken).map(({ command }) => command);
  }

  /**
   * Another loop in the same place, with a port of its own; the two go on apart. Whoever waits for a reply of this one
   * waits for it alone: what is under way in the other is answered to `reply`.
   */
  fork(port: LoopPort, reply: (command: Command, reply: AnyReply) => void): Loop {
    const twin = new Loop(this.current, port);
    const again = ({ command }: Item): Item => ({ command, reply: (one) => reply(command, one) });
    twin.queue = this.queue.slice(this.taken).map(again);
    twin.confirmed = this.confirmed;
    twin.pending = this.pending.slice();
    twin.failure = this.failure;
    const settled = this.inFlight?.settled.map((one) => ({ ...one, item: again(one.item) }));
    if (this.inFlight !== null) twin.inFlight = { ...this.inFlight, settled: settled ?? [] };
    return twin;
  }

  /** Queues a command. `reply` is called once, after its events are durable, before they are shown. */
  submit<C extends Command>(command: C, reply: (reply: Reply<Answers[C["kind"]]>) => void): void {
    this.queue.push({ command, reply });
    this.pump();
  }

  /** The append in flight is durable. */
  appended(): void {
    const batch = this.inFlight;
    if (batch === null) return;
    this.inFlight = null;
    this.pending = [];
    const next: Point = [batch.state.next[0] + 1, 0];
    this.current = { ...batch.state, next };
    this.confirmed = this.current;
    this.undisturbed(() => this.release(batch));
    this.pump();
  }

  /** The append in flight failed: the stage is dropped, and the loop takes no more commands (L6). */
  failed(cause: unknown, commitId: string, unknown: boolean): void {
    const batch = this.inFlight;
    this.inFlight = null;
    this.pending = [];
    this.current = this.confirmed;
    this.failure = { cause };
    this.undisturbed(() => {
      this.port.degraded(cause);
      for (const { item } of batch?.settled ?? []) {
        item.reply(unknown ? { kind: "unknown", commitId, cause } : { kind: "degraded", cause });
      }
    });
    this.pump();
  }

  /** What callbacks submit meanwhile is queued: it is decided only after all that is being told has been told (Q1). */
  private undisturbed(tell: () => void): void {
    const pumping = this.pumping;
    this.pumping = true;
    try {
      tell();
    } finally {
      this.pumping = pumping;
    }
  }

  private pump(): void {
    if (this.pumping) return;
    this.undisturbed(() => {
      while (this.taken < this.queue.length && this.inFlight === null) {
        if (this.failure === null) this.takeBatch();
        else this.refuseAll(this.failure.cause);
      }
    });
  }

  private refuseAll(cause: unknown): void {
    for (let item = this.take(); item !== undefined; item = this.take()) {
      item.reply({ kind: "degraded", cause });
    }
  }

  private take(): Item | undefined {
    const item = this.queue[this.taken];
    if (item === undefined) return undefined;
    this.taken++;
    if (this.taken === this.queue.length) {
      this.queue = [];
      this.taken = 0;
    }
    return item;
  }

  /** Decides queued commands, each on the state that the one before left, until something must be committed and no more fits. */
  private takeBatch(): void {
    const batch = this.newBatch();
    while (batch.weight < BATCH_WEIGHT) {
      const item = this.take();
      if (item === undefined) break;
      this.decideInto(batch, item);
      // What needs no commit is shown before the next command is looked at.
      if (!batch.mustCommit) break;
    }
    if (batch.mustCommit) this.commit(batch);
    else this.showNow(batch);
  }

  private newBatch(): Batch {
    return {
      events: [],
      effects: [],
      settled: [],
      first: this.current.next,
      state: this.current,
      weight: 0,
      mustCommit: false,
    };
  }

  private decideInto(batch: Batch, item: Item): void {
    let decision: Decision;
    try {
      decision = decide(batch.state, item.command);
    } catch (error) {
      batch.settled.push({ item, reply: { kind: "bug", error } });
      return;
    }
    const { outcome } = decision;
    batch.state = decision.state;
    append(batch.events, decision.events);
    append(batch.effects, decision.effects);
    batch.settled.push({
      item,
      reply: outcome.ok
        ? { kind: "answer", answer: outcome.answer }
        : { kind: "rejected", rejection: outcome.rejection },
    });
    // Only what was accepted has been seen to hold text where it should.
    if (outcome.ok) batch.weight += weightOf(item.command);
    if (decision.events.some((event) => URGENCY[event.type] === "commit")) batch.mustCommit = true;
    if (item.command.kind === "flush" && this.dirty) batch.mustCommit = true;
  }

  private commit(batch: Batch): void {
    this.inFlight = batch;
    this.port.append(batch.first[0], [...this.pending, ...batch.events], keysOf(batch));
  }

  private showNow(batch: Batch): void {
    const wasDirty = this.hasSoon(this.pending);
    this.current = batch.state;
    append(this.pending, batch.events);
    this.release(batch);
    if (!wasDirty && this.hasSoon(batch.events)) this.port.flushSoon();
  }

  private hasSoon(events: readonly DovecoteEvent[]): boolean {
    return events.some((event) => URGENCY[event.type] === "soon");
  }

  private release(batch: Batch): void {
    for (const { item, reply } of batch.settled) item.reply(reply as Reply<never>);
    const [n, index] = batch.first;
    const placed = batch.events.map((event, i) => ({ event, at: [n, index + i] as const }));
    if (placed.length > 0) this.port.show(placed, this.current);
    for (const effect of batch.effects) this.port.perform(effect);
  }
}

function keysOf({ settled }: Batch): Readonly<Record<string, string>> | undefined {
  const entries = settled.flatMap(({ item, reply }) => {
    const entry = reply.kind === "answer" ? keyEntry(item.command, reply.answer) : undefined;
    return entry === undefined ? [] : [entry];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** One by one: a recovery can have more events than a call may have arguments. */
function append<T>(to: T[], items: readonly T[]): void {
  for (const item of items) to.push(item);
}

/** All text of a command, in UTF-16 code units: its entries, results and reasons too. */
function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let weight = 0;
  for (const [key, item] of Object.entries(value)) weight += key.length + weightOf(item);
  return weight;
}
