/**
 * The books that checkers look at: what the events so far say, kept in the plainest way. A second opinion, which shares
 * no code with the kernel's folds or the projections. It judges nothing.
 */
import type {
  AgentRef,
  DovecoteEvent,
  EventOf,
  OutcomeKind,
  StartKind,
  TurnRef,
} from "../../events/events.js";
import { type Point, comparePoints } from "../../events/point.js";
import type { AgentPath } from "../../paths.js";
import { type BookTurn, advance, freshTurn } from "./bookTurn.js";
import { MailBook } from "./mailBook.js";
import { PlanBook } from "./planBook.js";

/** A retained agent. */
export interface BookAgent {
  readonly path: AgentPath;
  readonly gen: number;
  readonly parent: AgentPath | null;
  readonly turns: number;
  readonly live: BookTurn | null;
  /** The newest event that excuses waking mail from before it: a start, a failed turn, an interrupt. */
  readonly excuse: Point;
}

/** A reserved start. */
export interface BookReservation {
  readonly path: AgentPath;
  readonly start: StartKind;
  readonly by: TurnRef | null;
  /** The mark that it took (T4). */
  readonly mark: Point | null;
}

/** A settled turn whose RESULT has not been queued yet. */
export interface Owed {
  readonly turn: TurnRef;
  readonly parent: AgentPath;
  readonly outcome: OutcomeKind;
  readonly muted: boolean;
}

const NO_POINT: Point = [0, 0];

/** See the module header. */
export class Book {
  capacity = 0;
  run = 0;
  closing = false;
  /** Turns of a run before are being settled: from `session.opened` to `session.recovered` (R2). */
  recovering = false;
  /** The agent whose settlement runs. */
  trying: AgentPath | null = null;
  agents = new Map<AgentPath, BookAgent>();
  /** The newest generation of retired paths. */
  retired = new Map<AgentPath, number>();
  /** Tops of subtrees that are being ended. */
  ending = new Set<AgentPath>();
  marks = new Map<AgentPath, Point>();
  holds = new Map<string, number>();
  /** Reservations of this run, by number. */
  reserved = new Map<number, BookReservation>();
  /** How many turns have started in all, and how many by waking since the person wrote. */
  turns = 0;
  wakes = 0;
  mail = new MailBook();
  plan = new PlanBook();
  /** RESULTs that must follow at once. */
  owed: readonly Owed[] = [];

  /** A copy that goes on by itself. */
  fork(): Book {
    const twin = new Book();
    twin.capacity = this.capacity;
    twin.run = this.run;
    twin.closing = this.closing;
    twin.recovering = this.recovering;
    twin.trying = this.trying;
    twin.agents = new Map(this.agents);
    if (this.retired.size > 0) twin.retired = new Map(this.retired);
    if (this.ending.size > 0) twin.ending = new Set(this.ending);
    if (this.marks.size > 0) twin.marks = new Map(this.marks);
    if (this.holds.size > 0) twin.holds = new Map(this.holds);
    if (this.reserved.size > 0) twin.reserved = new Map(this.reserved);
    twin.turns = this.turns;
    twin.wakes = this.wakes;
    twin.mail = this.mail.fork();
    twin.plan = this.plan.fork();
    twin.owed = this.owed;
    return twin;
  }

  /** Slots in use (W6). */
  get used(): number {
    let used = 0;
    for (const { path } of this.reserved.values()) if (path !== "/root") used++;
    for (const { path, live } of this.agents.values())
      if (live !== null && path !== "/root") used++;
    return used;
  }

  /** Whether an agent has a live turn. */
  isLive(path: AgentPath): boolean {
    return (this.agents.get(path)?.live ?? null) !== null;
  }

  /** Whether an agent has a reservation. */
  isReserved(path: AgentPath): boolean {
    for (const one of this.reserved.values()) if (one.path === path) return true;
    return false;
  }

  /** The live turn of that number. */
  turnOf(ref: TurnRef): BookTurn | undefined {
    const agent = this.agents.get(ref.path);
    if (agent?.gen !== ref.gen || agent.live?.turn !== ref.turn) return undefined;
    return agent.live;
  }

  /** The subtree that is being ended and holds this path. */
  endingOf(path: AgentPath): AgentPath | undefined {
    for (const top of this.ending) if (path === top || path.startsWith(`${top}/`)) return top;
    return undefined;
  }

  /** Whether waking mail that came at `at` need not wake its recipient any more. */
  isExcused(path: AgentPath, at: Point): boolean {
    const agent = this.agents.get(path);
    return agent === undefined || comparePoints(agent.excuse, at) > 0;
  }

  /** Enters one event. */
  enter(event: DovecoteEvent, at: Point): void {
    this.plan.enter(event, at);
    switch (event.type) {
      case "mail.queued":
        this.enterQueued(event, at);
        break;
      case "mail.moved":
      case "mail.delivered":
      case "mail.consumed":
      case "mail.returned":
        this.mail.enter(event, at);
        break;
      case "agent.spawned":
      case "agent.ending":
      case "agent.retired":
      case "agent.interrupted":
      case "wake.marked":
      case "wake.cleared":
        this.enterAgent(event, at);
        break;
      case "start.reserved":
      case "start.claimed":
      case "start.released":
      case "turn.started":
        this.enterStart(event, at);
        break;
      case "settlement.began":
      case "settlement.attempted":
      case "settlement.failed":
      case "turn.settled":
        this.enterSettlement(event, at);
        break;
      default:
        this.enterSession(event, at);
        this.enterTurn(event);
    }
  }

  private enterQueued(event: EventOf<"mail.queued">, at: Point): void {
    const peer = event.message !== undefined;
    if (event.from === "person" && !peer) this.wakes = 0;
    const [owed] = this.owed;
    const muted = peer || (event.mail === "RESULT" && owed?.muted === true);
    if (event.mail === "RESULT") this.owed = this.owed.slice(1);
    this.mail.queue(event, at, muted);
  }

  private enterSession(event: DovecoteEvent, at: Point): void {
    switch (event.type) {
      case "session.created":
        this.capacity = event.capacity;
        break;
      case "session.opened":
        this.open(event.run, at);
        break;
      case "session.recovered":
        this.recovering = false;
        for (const agent of this.agents.values()) this.put(agent, { excuse: at });
        break;
      case "session.closing":
        this.closing = true;
        break;
      case "capacity.changed":
        this.capacity = event.to;
        break;
      case "hold.taken":
        this.holds.set(event.name, (this.holds.get(event.name) ?? 0) + 1);
        break;
      case "hold.released":
        this.holds.set(event.name, (this.holds.get(event.name) ?? 0) - 1);
        if (this.holds.get(event.name) === 0) this.holds.delete(event.name);
        break;
      default:
    }
  }

  /** What belongs to one run is gone with it (W9). */
  private open(run: number, at: Point): void {
    this.run = run;
    this.closing = false;
    this.marks.clear();
    this.holds.clear();
    this.reserved.clear();
    this.wakes = 0;
    this.mail.age();
    let live = false;
    for (const agent of this.agents.values()) {
      if (agent.live !== null) live = true;
      this.put(agent, { excuse: at });
    }
    this.recovering = live;
  }

  private put(agent: BookAgent, to: Partial<BookAgent>): void {
    this.agents.set(agent.path, { ...agent, ...to });
  }

  private putTurn(path: AgentPath, to: Partial<BookTurn>): void {
    const agent = this.agents.get(path);
    if (agent?.live != null) this.put(agent, { live: { ...agent.live, ...to } });
  }

  private excuse(path: AgentPath, at: Point): void {
    const agent = this.agents.get(path);
    if (agent !== undefined) this.put(agent, { excuse: at });
  }

  private enterAgent(
    event: EventOf<
      | "agent.spawned"
      | "agent.ending"
      | "agent.retired"
      | "agent.interrupted"
      | "wake.marked"
      | "wake.cleared"
    >,
    at: Point,
  ): void {
    switch (event.type) {
      case "agent.spawned": {
        const { path, gen } = event;
        const parent =
          path === "/root" ? null : (path.slice(0, path.lastIndexOf("/")) as AgentPath);
        this.agents.set(path, { path, gen, parent, turns: 0, live: null, excuse: NO_POINT });
        break;
      }
      case "agent.ending":
        this.ending.add(event.path);
        break;
      case "agent.retired":
        this.ending.delete(event.path);
        for (const member of event.members) this.retire(member);
        break;
      case "agent.interrupted":
        this.excuse(event.path, at);
        if (event.muted === true) this.putTurn(event.path, { muted: true });
        break;
      case "wake.marked":
        this.marks.set(event.path, event.record);
        break;
      case "wake.cleared":
        this.marks.delete(event.path);
        break;
    }
  }

  private retire(ref: AgentRef): void {
    this.agents.delete(ref.path);
    this.marks.delete(ref.path);
    this.retired.set(ref.path, ref.gen);
    this.mail.expire(ref);
  }

  private enterStart(
    event: EventOf<"start.reserved" | "start.claimed" | "start.released" | "turn.started">,
    at: Point,
  ): void {
    switch (event.type) {
      case "start.reserved": {
        const { path, start, by = null, mark = null } = event;
        this.reserved.set(event.reservation, { path, start, by, mark });
        this.excuse(path, at);
        break;
      }
      case "start.claimed": {
        const { path } = event;
        this.reserved.set(event.reservation, { path, start: "prompt", by: null, mark: null });
        this.excuse(path, at);
        break;
      }
      case "start.released":
        this.reserved.delete(event.reservation);
        break;
      case "turn.started":
        this.startTurn(event, at);
        break;
    }
  }

  private startTurn(event: EventOf<"turn.started">, at: Point): void {
    this.turns++;
    if (event.start === "wake") this.wakes++;
    if (event.reservation !== undefined) this.reserved.delete(event.reservation);
    const agent = this.agents.get(event.path);
    if (agent === undefined) return;
    const live = freshTurn(event.turn);
    // What came while it was prepared waits for its own wake (T4).
    const excuse = event.reservation === undefined ? at : agent.excuse;
    this.put(agent, { turns: event.turn, live, excuse });
  }

  private enterSettlement(
    event: EventOf<
      "settlement.began" | "settlement.attempted" | "settlement.failed" | "turn.settled"
    >,
    at: Point,
  ): void {
    const { path } = event;
    switch (event.type) {
      case "settlement.began":
        if (this.turnOf(event) !== undefined)
          this.putTurn(path, { open: null, outcome: event.outcome.kind });
        break;
      case "settlement.attempted":
        this.trying = path;
        if (this.turnOf(event) !== undefined) this.putTurn(path, { attempts: event.attempt });
        break;
      case "settlement.failed":
        if (this.trying === path) this.trying = null;
        break;
      case "turn.settled":
        this.settle(event, at);
        break;
    }
  }

  private settle(event: EventOf<"turn.settled">, at: Point): void {
    const { path, outcome } = event;
    if (this.trying === path) this.trying = null;
    const agent = this.agents.get(path);
    if (agent === undefined) return;
    const muted = agent.live?.muted === true;
    // An errored turn is not started again by old mail, nor the root after an interrupt (W5, I5).
    const excused = outcome === "errored" || (outcome === "interrupted" && path === "/root");
    this.put(agent, { live: null, excuse: excused ? at : agent.excuse });
    if (agent.parent === null) return;
    this.owed = [...this.owed, { turn: event, parent: agent.parent, outcome, muted }];
  }

  private enterTurn(event: DovecoteEvent): void {
    if (!("turn" in event) || event.turn === undefined) return;
    const ref = event as TurnRef;
    const live = this.turnOf(ref);
    const to = live === undefined ? null : advance(live, event);
    if (to !== null) this.putTurn(ref.path, to);
  }
}
