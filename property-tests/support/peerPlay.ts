/**
 * Random lives of a session whose messages have copies for parents: sent, repeated, replayed, while agents end and come
 * again, inboxes fail, and processes die at any write. What must hold is read from the log and from the inbox alone.
 */
import { fc } from "@fast-check/vitest";
import { DovecoteError } from "../../src/errors.js";
import type { DovecoteEvent } from "../../src/events/events.js";
import type { CommitDraft } from "../../src/events/commit.js";
import { type Point, formatPoint } from "../../src/events/point.js";
import { violationsOf } from "../../src/kernel/invariants/judge.js";
import { memoryLog, MemoryStorage } from "../../src/log/memoryLog.js";
import type { PeerInbox, PeerMessageResult } from "../../src/runtime/peer/api.js";
import { InboxStore, Killer, killedInbox, killedLog, type Side } from "../../test/peer/killer.js";
import { spawnIdle } from "../../test/support/family.js";
import { openWorld, type World } from "../../test/support/world.js";

/** One thing that happens. */
export type PeerStep =
  | {
      readonly kind: "send";
      readonly target: number | null;
      readonly operation: number;
      readonly text: number;
      readonly replayOnly: boolean;
      readonly requireLive: boolean;
      /** The process dies at that write of it. */
      readonly killed: { readonly at: number; readonly side: Side } | null;
      readonly inboxFails: boolean;
    }
  | { readonly kind: "end" | "spawn" | "read"; readonly target: number }
  | { readonly kind: "forget" | "crash" | "reopen" };

/** A program, and where its messages are kept. */
export interface PeerProgram {
  readonly inbox: "session" | "host";
  readonly steps: readonly PeerStep[];
}

const PATHS = ["/root/p", "/root/p/c", "/root/q"] as const;
// Just at the bound as a copy, one byte past it, and short.
const TEXTS = ["hello", "hi", "x".repeat(3_951), "x".repeat(4_000)] as const;
const target = fc.oneof(fc.constant(1), fc.nat({ max: PATHS.length - 1 }));

const send = fc.record({
  kind: fc.constant("send" as const),
  // Mostly the one that the operation was for when it was made.
  target: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, target),
  operation: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 3 })),
  text: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.nat({ max: TEXTS.length - 1 }) },
  ),
  replayOnly: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
  requireLive: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.boolean()),
  killed: fc.option(
    fc.record({ at: fc.integer({ min: 1, max: 7 }), side: fc.constantFrom("before", "after") }),
    { nil: null, freq: 3 },
  ),
  inboxFails: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
});

/** Random programs. */
export const peerPrograms: fc.Arbitrary<PeerProgram> = fc.record({
  inbox: fc.constantFrom("session", "host"),
  steps: fc.array(
    fc.oneof(
      { weight: 8, arbitrary: send },
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constantFrom("end", "spawn", "read"), target }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("forget", "crash", "reopen") }) },
    ),
    { minLength: 1, maxLength: 25 },
  ),
});

/** Plays one program. */
export class PeerPlay {
  readonly faults: string[] = [];
  readonly figures = { sends: 0, kills: 0, duplicates: 0, unknown: 0, skipped: 0, failed: 0 };
  readonly #program: PeerProgram;
  readonly #store = new InboxStore();
  #storage = new MemoryStorage();
  #killer = new Killer();
  #inboxFails = false;
  #world!: World;

  constructor(program: PeerProgram) {
    this.#program = program;
  }

  async run(): Promise<readonly string[]> {
    await this.#open();
    await spawnIdle(this.#world, "p", "/root");
    await spawnIdle(this.#world, "c", "/root/p");
    for (const step of this.#program.steps) await this.#take(step);
    await this.#world.session.close();
    const commits = await readAll(this.#storage);
    this.faults.push(...violationsOf(commits).map((violation) => JSON.stringify(violation)));
    this.#checkLog(commits);
    return this.faults;
  }

  async #open(): Promise<void> {
    this.#killer = new Killer();
    const log = killedLog(memoryLog(this.#storage), this.#killer);
    const inbox = this.#program.inbox === "host" ? this.#inbox() : undefined;
    this.#world = await openWorld({ log, ...(inbox === undefined ? {} : { peer: { inbox } }) });
  }

  #inbox(): PeerInbox {
    const inbox = killedInbox(this.#store, this.#killer);
    return {
      append: (message, signal) => {
        if (this.#inboxFails) throw new Error("the inbox fails");
        return inbox.append(message, signal);
      },
      lookup: (to, id, signal) => inbox.lookup(to, id, signal),
    };
  }

  /** The process dies, and another opens what it has left. */
  async #crash(): Promise<void> {
    this.#storage = this.#storage.copy();
    await this.#open();
  }

  async #take(step: PeerStep): Promise<void> {
    const { session } = this.#world;
    switch (step.kind) {
      case "send":
        return this.#send(step);
      case "end":
        return tolerant(() => session.end(PATHS[step.target] ?? "/root/p"));
      case "spawn":
        return tolerant(() => this.#spawn(PATHS[step.target] ?? "/root/p"));
      case "read":
        return tolerant(() => this.#read(PATHS[step.target] ?? "/root/p"));
      case "forget":
        this.#store.pruned = !this.#store.pruned;
        return undefined;
      case "crash":
        return this.#crash();
      case "reopen":
        await session.close();
        return this.#open();
    }
  }

  async #spawn(path: string): Promise<void> {
    const cut = path.lastIndexOf("/");
    await spawnIdle(this.#world, path.slice(cut + 1), path.slice(0, cut));
  }

  /** Lets an agent read its mail. */
  async #read(path: string): Promise<void> {
    const { session, ports, hands } = this.#world;
    await session.start(path, "look");
    await ports.settle();
    const sample = hands.sample(path);
    await ports.settle();
    sample.end("seen");
    await ports.settle();
    hands.of(path).done();
    await ports.settle();
    await session.interrupt("/root");
    await ports.settle();
  }

  async #send(step: Extract<PeerStep, { kind: "send" }>): Promise<void> {
    this.figures.sends++;
    await this.#world.session.whenQuiet();
    const before = await this.#appended();
    if (step.killed !== null) this.#killer.arm(step.killed.at, step.killed.side);
    this.#inboxFails = step.inboxFails;
    const { replayOnly, requireLive } = step;
    // The last of them are left to the library.
    const isGiven = step.operation < 3;
    const id = isGiven ? { operationId: `op${step.operation}` } : {};
    const options = { ...id, replayOnly: replayOnly && isGiven, requireLive };
    const call = this.#world.session.sendPeerMessage(
      PATHS[step.target ?? (step.operation + 1) % PATHS.length] ?? "/root/p",
      TEXTS[step.text] ?? "hello",
      options,
    );
    const answered = call.then(
      (result) => this.#judge(result, options.replayOnly),
      (error: unknown) => {
        if (!(error instanceof DovecoteError)) throw error;
      },
    );
    await Promise.race([answered, this.#killer.died]);
    this.#inboxFails = false;
    const isDead = step.killed !== null && this.#killer.writes.length >= step.killed.at;
    const after = await this.#appended();
    if (options.replayOnly && after !== before) this.faults.push("a replay appended");
    if (after - before > 2) this.faults.push("more than two were sent");
    if (isDead) this.figures.kills++;
    // A killer that was armed and has not struck counts on: another process is opened.
    if (step.killed !== null) await this.#crash();
  }

  /** A result never claims more than there is, and names only those that have it (O6). */
  async #judge(result: PeerMessageResult, replayOnly: boolean): Promise<void> {
    const { child, parent, sentTo, ok } = result;
    const has = await this.#recipients();
    for (const one of [child, parent]) {
      if (one.receipt === "duplicate") this.figures.duplicates++;
      if (one.outcome === "unknown") this.figures.unknown++;
      if (one.outcome === "skipped") this.figures.skipped++;
      if (one.outcome === "failed") this.figures.failed++;
      if (replayOnly && one.receipt === "published") this.faults.push("a replay published");
      const isThere = one.messageId !== undefined && has.has(one.messageId);
      if (one.outcome === "sent" && !isThere) this.faults.push(`${one.messageId} is not there`);
      if (one.outcome === "failed" && isThere) this.faults.push(`${one.messageId} is there`);
    }
    const sent = [child, parent].filter(({ outcome }) => outcome === "sent");
    if (sentTo.length !== sent.length) this.faults.push("it names others than it reached");
    const isFine = (outcome: string): boolean => outcome === "sent" || outcome === "skipped";
    if (ok !== (child.outcome === "sent" && isFine(parent.outcome))) {
      this.faults.push(`ok is ${ok}, for ${child.outcome} and ${parent.outcome}`);
    }
  }

  async #appended(): Promise<number> {
    if (this.#program.inbox === "host") return this.#store.appends;
    return messagesIn(await readAll(this.#storage)).length;
  }

  async #recipients(): Promise<ReadonlySet<string>> {
    if (this.#program.inbox === "host") return new Set(this.#store.messages.keys());
    return new Set(messagesIn(await readAll(this.#storage)).map(({ message }) => message));
  }

  /** Each step once, in its order; each message once, to whom it was planned for, while that was the one to reach. */
  #checkLog(commits: readonly CommitDraft[]): void {
    if (this.#store.appends !== this.#store.messages.size) this.faults.push("sent twice");
    const seen = new Set<string>();
    const once = (what: string, after: string | null): void => {
      if (seen.has(what)) this.faults.push(`twice: ${what}`);
      if (after !== null && !seen.has(after)) this.faults.push(`${what} without ${after}`);
      seen.add(what);
    };
    const newest = new Map<string, number>();
    for (const { event, at } of placed(commits)) {
      if (event.type === "agent.spawned") newest.set(event.path, event.gen);
      else this.#checkStep(event, at, once, newest);
    }
  }

  #checkStep(
    event: DovecoteEvent,
    at: Point,
    once: (what: string, after: string | null) => void,
    newest: ReadonlyMap<string, number>,
  ): void {
    switch (event.type) {
      case "operation.planned":
        once(`operation ${event.operation}`, null);
        return once(`plan ${formatPoint(at)}`, null);
      case "operation.attempted": {
        const plan = formatPoint(event.plan);
        return once(`marker ${plan} ${event.recipient}`, `plan ${plan}`);
      }
      case "operation.resulted": {
        const plan = formatPoint(event.plan);
        const began = event.end === "refused" || event.end === "skipped" ? "plan" : "marker";
        const who = began === "plan" ? "" : ` ${event.recipient}`;
        return once(`result ${plan} ${event.recipient}`, `${began} ${plan}${who}`);
      }
      case "mail.queued": {
        if (event.message === undefined || event.source === undefined) return undefined;
        const who = event.copyOf === undefined ? "child" : "parent";
        if (newest.get(event.path) !== event.gen)
          this.faults.push("another generation was reached");
        const plan = formatPoint(event.source);
        return once(`message ${plan} ${who}`, `marker ${plan} ${who}`);
      }
      default:
        return undefined;
    }
  }
}

function messagesIn(commits: readonly CommitDraft[]): readonly { readonly message: string }[] {
  return placed(commits).flatMap(({ event }) =>
    event.type === "mail.queued" && event.message !== undefined ? [{ message: event.message }] : [],
  );
}

function placed(commits: readonly CommitDraft[]): readonly { event: DovecoteEvent; at: Point }[] {
  return commits.flatMap(({ n, events }) =>
    events.map((event, index) => ({ event, at: [n, index] as const })),
  );
}

async function readAll(storage: MemoryStorage): Promise<readonly CommitDraft[]> {
  const reader = await memoryLog(storage.copy()).readSession("main");
  const commits: CommitDraft[] = [];
  for await (const commit of reader?.read() ?? []) commits.push(commit);
  return commits;
}

/** Does what may be refused. */
async function tolerant(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof DovecoteError)) throw error;
  }
}
