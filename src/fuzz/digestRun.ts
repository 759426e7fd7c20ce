/**
 * What decides the future of a run, fed into a digest. Points, numbers of turns and texts do not: two states that differ in
 * those alone go on alike. Agents can be fed under other names, so that states which differ only in who is who meet.
 */
import type { Point } from "../events/point.js";
import { comparePoints, samePoint } from "../events/point.js";
import type { Command } from "../kernel/command.js";
import type { Agent, Durable, State, Turn } from "../kernel/state.js";
import { isLive } from "../kernel/volatile.js";
import type { AgentPath } from "../paths.js";
import type { Book } from "../kernel/invariants/book.js";
import type { Digest } from "./digest.js";
import type { KernelRun } from "./kernelRun.js";
import { turnKey } from "./kernelRun.js";

/** How a run is fed. */
export interface DigestOptions {
  /** The names that agents are given; their own where there is none. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  /** What is on the disk counts, for the process may die or an append fail. */
  readonly mayFail: boolean;
  /** What is over counts, for it may be completed again. */
  readonly isLate: boolean;
}

/** Feeds one run; `each` is called for every agent, to add what others know of it. */
export function digestRun(
  digest: Digest,
  run: KernelRun,
  options: DigestOptions,
  each: (agent: Agent) => void,
): void {
  const feed = new Feed(digest, options);
  const { loop, state } = run;
  feed.state(state, (agent) => {
    each(agent);
    if (agent.turn === null) return;
    const { path, gen, turn } = agent;
    digest.is(run.isAsking({ path, gen, turn: turn.turn }));
  });
  digest.is(run.isAppending);
  digest.is(loop.dirty);
  digest.is(loop.isDegraded);
  if (loop.staged !== null) feed.state(loop.staged, () => undefined);
  const { queued } = loop;
  digest.add(queued.length);
  for (const command of queued) feed.command(command, state);
  if (options.mayFail && loop.durable.durable !== state.durable) feed.durable(loop.durable.durable);
  feed.book(run.book, state.durable);
  if (options.isLate) {
    for (const one of run.history.attempts) {
      digest.word(turnKey(one));
      digest.add(one.attempt);
    }
    for (const one of run.history.turns) digest.word(turnKey(one));
  }
}

/** See the module header. */
class Feed {
  private readonly digest: Digest;
  private readonly names: ReadonlyMap<string, string> | undefined;
  private readonly isLate: boolean;

  constructor(digest: Digest, { names, isLate }: DigestOptions) {
    this.digest = digest;
    this.names = names;
    this.isLate = isLate;
  }

  private nameOf(path: string): string {
    return this.names?.get(path) ?? path;
  }

  private path(path: string | null): void {
    this.digest.word(path === null ? "" : this.nameOf(path));
  }

  /** Agents in the order of the names that they are fed under; in the map's own, which paths alone decide, if under theirs. */
  private sorted<T extends { readonly path: AgentPath }>(agents: Iterable<T>): readonly T[] {
    const list = [...agents];
    if (this.names === undefined || list.length < 2) return list;
    return list.sort((one, other) => (this.nameOf(one.path) < this.nameOf(other.path) ? -1 : 1));
  }

  state(state: State, each: (agent: Agent) => void): void {
    this.durable(state.durable, each);
    this.volatile(state);
  }

  durable(durable: Durable, each?: (agent: Agent) => void): void {
    const { digest } = this;
    digest.add(durable.capacity);
    digest.is(durable.plan);
    digest.add(durable.turns * (this.isLate ? 1 : 0));
    this.path(durable.trying);
    digest.add(durable.settling.length);
    for (const path of durable.settling) this.path(path);
    digest.add(durable.endings.length);
    for (const path of durable.endings) this.path(path);
    digest.add(durable.retired.size);
    for (const agent of this.sorted(durable.agents.values())) {
      this.agent(agent);
      each?.(agent);
    }
  }

  private agent(agent: Agent): void {
    const { digest } = this;
    this.path(agent.path);
    digest.add(agent.gen);
    digest.word(agent.phase);
    digest.is(agent.role === "delegator");
    if (this.isLate) digest.add(agent.turns);
    digest.add(agent.unread.length);
    for (const { mail, from, withheld, execution } of agent.unread) {
      digest.word(mail);
      this.path(from);
      digest.is(withheld);
      digest.is(execution === null);
    }
    digest.is(agent.turn === null);
    if (agent.turn !== null) this.turn(agent.turn);
  }

  private turn(turn: Turn): void {
    const { digest } = this;
    digest.is(turn.open === null);
    digest.is(turn.lastResult === null);
    digest.is(turn.muted);
    if (this.isLate) digest.add(turn.attempts);
    digest.add(turn.executions.size);
    digest.add(turn.blockers.length);
    for (const { token } of turn.blockers) digest.add(token);
    const { settling } = turn;
    if (settling === null) return;
    digest.word(settling.outcome);
    digest.add(settling.failures);
    digest.is(settling.paused);
  }

  private volatile({ durable, volatile, host }: State): void {
    const { digest } = this;
    const { marks, markOrder } = volatile;
    const live = [...markOrder].filter((entry) => isLive(marks, entry));
    digest.add(live.length);
    for (const { path, record } of live) {
      this.path(path);
      digest.add(placeOf(durable, path, record));
    }
    digest.add(volatile.reservations.length);
    for (const one of volatile.reservations) {
      this.path(one.path);
      digest.word(one.start);
      digest.is(one.ready);
      digest.is(one.stamped);
      this.path(one.by?.path ?? null);
      const { mark } = one;
      if (mark === null) digest.add(-1);
      else digest.add(live.filter(({ record }) => comparePoints(record, mark) < 0).length);
    }
    digest.add(volatile.inputs.length);
    for (const at of volatile.inputs) digest.add(placeOf(durable, "/root", at));
    digest.add(volatile.notices.length);
    digest.add(volatile.holds.length);
    for (const { name, count } of volatile.holds) {
      digest.word(name);
      digest.add(count);
    }
    digest.add(volatile.handlers.length);
    for (const { turn, child, record } of volatile.handlers) {
      this.path(turn.path);
      this.path(child.path);
      digest.add(record === null ? -1 : placeOf(durable, turn.path, record));
    }
    const isStamped = volatile.stamps.size > 0 || volatile.readOnly.length > 0;
    for (const { path } of isStamped ? this.sorted(durable.agents.values()) : []) {
      digest.add(volatile.stamps.get(path)?.length ?? 0);
      digest.is(volatile.readOnly.includes(path));
    }
    if (host.limits.turns !== null) digest.add(durable.turns);
    if (host.limits.wakes !== null) digest.add(volatile.wakes);
    digest.is(volatile.limited);
    digest.is(volatile.closing);
    digest.is(volatile.closed);
  }

  /** A command that waits to be decided: whose it is, of what kind, to whom, and whether it is in time. */
  command(command: Command, { durable }: State): void {
    const { digest } = this;
    digest.word(command.kind);
    for (const value of Object.values(command) as readonly unknown[]) {
      if (typeof value === "string") {
        // Texts have a serial number, which is no part of the future.
        if (value.startsWith("/")) this.path(value);
      } else if (typeof value === "object" && value !== null && "path" in value) {
        const { path } = value as { readonly path: AgentPath };
        const live = durable.agents.get(path)?.turn;
        this.path(path);
        digest.is("turn" in value && value.turn === live?.turn);
        digest.is("attempt" in value && value.attempt === (live?.open ?? live?.attempts));
      } else if (typeof value === "number" || typeof value === "boolean") digest.add(Number(value));
    }
  }

  /** What the checkers know. */
  book(book: Book, { agents }: Durable): void {
    const { digest } = this;
    this.path(book.trying);
    digest.is(book.closing);
    digest.add(book.agents.size);
    for (const { path } of this.sorted(agents.values())) {
      const agent = book.agents.get(path);
      digest.is(agent === undefined);
      if (agent === undefined) continue;
      digest.is(book.marks.has(agent.path));
      let count = 0;
      for (const record of book.mail.unread.values()) {
        if (record.to !== agent.path) continue;
        count++;
        digest.word(record.mail);
        digest.is(record.withheld);
        digest.is(record.muted);
        digest.is(comparePoints(record.at, agent.excuse) > 0);
      }
      digest.add(count);
      const { live } = agent;
      digest.add(live === null ? 0 : 1 + live.executions.size + 8 * live.blockers.size);
      if (live === null) continue;
      digest.word(live.open?.kind ?? "");
      digest.word(live.outcome ?? "");
      digest.is(live.muted);
    }
    for (const { path, start, mark } of book.reserved.values()) {
      this.path(path);
      digest.word(start);
      digest.is(mark === null);
    }
    digest.add(book.holds.size);
  }
}

/** Where a record stands in its recipient's queue; -1 for what is no unread record of it. */
function placeOf(durable: Durable, path: AgentPath, at: Point): number {
  let place = 0;
  for (const record of durable.agents.get(path)?.unread ?? []) {
    if (samePoint(record.at, at)) return place;
    place++;
  }
  return -1;
}
