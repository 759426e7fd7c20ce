/**
 * The books that checkers look at: what the events so far say, kept in the plainest way. A second opinion, which shares
 * no code with the kernel's folds or the projections. It judges nothing.
 */
import type {
  AgentRef,
  DovecoteEvent,
  MailType,
  OutcomeKind,
  Sender,
  TurnRef,
} from "../events/events.js";
import { type Point, comparePoints, formatPoint } from "../events/point.js";
import type { AgentPath } from "../paths.js";

/** An accepted record that nobody has taken yet. */
export interface BookRecord {
  readonly at: Point;
  readonly to: AgentPath;
  readonly gen: number;
  readonly mail: MailType;
  readonly from: Sender;
  readonly execution: number | null;
  readonly withheld: boolean;
}

/** A live turn. */
export interface BookTurn {
  readonly turn: number;
  /** The open sample or wait. */
  open: { readonly kind: "sample" | "wait"; readonly attempt: number } | null;
  attempts: number;
  outcome: OutcomeKind | null;
  readonly executions: Set<number>;
  readonly blockers: Set<number>;
}

/** A retained agent. */
export interface BookAgent {
  readonly path: AgentPath;
  readonly gen: number;
  readonly parent: AgentPath | null;
  turns: number;
  live: BookTurn | null;
}

/** A settled turn whose RESULT has not been queued yet. */
export interface Owed {
  readonly turn: TurnRef;
  readonly parent: AgentPath;
  readonly outcome: OutcomeKind;
}

/** See the module header. */
export class Book {
  capacity = 0;
  run = 0;
  closing = false;
  /** The agent whose settlement runs. */
  trying: AgentPath | null = null;
  readonly agents = new Map<AgentPath, BookAgent>();
  /** The newest generation of retired paths. */
  readonly retired = new Map<AgentPath, number>();
  /** Tops of subtrees that are being ended. */
  readonly ending = new Set<AgentPath>();
  readonly marks = new Map<AgentPath, Point>();
  readonly holds = new Map<string, number>();
  /** Reservations of this run, by number. */
  readonly reserved = new Map<number, AgentPath>();
  /** Unread records by the point of their place in the queue. */
  readonly unread = new Map<string, BookRecord>();
  /** How many records have been accepted, and how many have left their queues for good, by where to. */
  readonly counts = { accepted: 0, delivered: 0, consumed: 0, expired: 0 };
  /** RESULTs that must follow at once. */
  owed: Owed[] = [];

  /** Slots in use (W6). */
  get used(): number {
    let used = 0;
    for (const path of this.reserved.values()) if (path !== "/root") used++;
    for (const { path, live } of this.agents.values())
      if (live !== null && path !== "/root") used++;
    return used;
  }

  /** The unread records of an agent, oldest first (M4). */
  queueOf({ path, gen }: AgentRef): readonly BookRecord[] {
    return [...this.unread.values()]
      .filter((record) => record.to === path && record.gen === gen)
      .sort((one, other) => comparePoints(one.at, other.at));
  }

  /** The live turn of that number. */
  turnOf(ref: TurnRef): BookTurn | undefined {
    const agent = this.agents.get(ref.path);
    return agent?.gen === ref.gen && agent.live?.turn === ref.turn ? agent.live : undefined;
  }

  /** The subtree that is being ended and holds this path. */
  endingOf(path: AgentPath): AgentPath | undefined {
    return [...this.ending].find((top) => path === top || path.startsWith(`${top}/`));
  }

  /** Enters one event. */
  enter(event: DovecoteEvent, at: Point): void {
    this.enterSession(event);
    this.enterAgent(event);
    this.enterTurn(event);
    this.enterAttempt(event);
    this.enterMail(event, at);
  }

  private enterSession(event: DovecoteEvent): void {
    switch (event.type) {
      case "session.created":
        this.capacity = event.capacity;
        break;
      case "session.opened":
        this.run = event.run;
        this.closing = false;
        this.marks.clear();
        this.holds.clear();
        this.reserved.clear();
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

  private enterAgent(event: DovecoteEvent): void {
    switch (event.type) {
      case "agent.spawned": {
        const { path, gen } = event;
        const parent =
          path === "/root" ? null : (path.slice(0, path.lastIndexOf("/")) as AgentPath);
        this.agents.set(path, { path, gen, parent, turns: 0, live: null });
        break;
      }
      case "agent.ending":
        this.ending.add(event.path);
        break;
      case "agent.retired":
        this.ending.delete(event.path);
        for (const { path, gen } of event.members) this.retire({ path, gen });
        break;
      case "wake.marked":
        this.marks.set(event.path, event.record);
        break;
      case "wake.cleared":
        this.marks.delete(event.path);
        break;
      case "start.reserved":
        this.reserved.set(event.reservation, event.path);
        break;
      case "start.released":
        this.reserved.delete(event.reservation);
        break;
      default:
    }
  }

  private retire(ref: AgentRef): void {
    this.agents.delete(ref.path);
    this.marks.delete(ref.path);
    this.retired.set(ref.path, ref.gen);
    this.counts.expired += this.queueOf(ref).length;
  }

  private enterTurn(event: DovecoteEvent): void {
    switch (event.type) {
      case "turn.started": {
        const agent = this.agents.get(event.path);
        if (event.reservation !== undefined) this.reserved.delete(event.reservation);
        if (agent === undefined) break;
        agent.turns = event.turn;
        const [executions, blockers] = [new Set<number>(), new Set<number>()];
        agent.live = {
          turn: event.turn,
          open: null,
          attempts: 0,
          outcome: null,
          executions,
          blockers,
        };
        break;
      }
      case "settlement.began": {
        const live = this.turnOf(event);
        if (live === undefined) break;
        live.open = null;
        live.outcome = event.outcome.kind;
        break;
      }
      case "settlement.attempted":
        this.trying = event.path;
        break;
      case "settlement.failed":
        if (this.trying === event.path) this.trying = null;
        break;
      case "turn.settled": {
        const agent = this.agents.get(event.path);
        if (this.trying === event.path) this.trying = null;
        if (agent === undefined) break;
        agent.live = null;
        if (agent.parent === null) break;
        this.owed.push({ turn: event, parent: agent.parent, outcome: event.outcome });
        break;
      }
      default:
    }
  }

  private enterAttempt(event: DovecoteEvent): void {
    const live =
      "turn" in event && event.turn !== undefined ? this.turnOf(event as TurnRef) : undefined;
    if (live === undefined) return;
    switch (event.type) {
      case "sample.began":
      case "wait.began":
        live.open = {
          kind: event.type === "sample.began" ? "sample" : "wait",
          attempt: event.attempt,
        };
        live.attempts = event.attempt;
        break;
      case "settlement.attempted":
        live.attempts = event.attempt;
        break;
      case "sample.ended":
      case "wait.ended":
        live.open = null;
        break;
      case "execution.yielded":
        live.executions.add(event.execution);
        break;
      case "execution.completed":
        live.executions.delete(event.execution);
        break;
      case "blocker.added":
        live.blockers.add(event.token);
        break;
      case "blocker.released":
        live.blockers.delete(event.token);
        break;
      default:
    }
  }

  private enterMail(event: DovecoteEvent, at: Point): void {
    switch (event.type) {
      case "mail.queued": {
        const { path: to, gen, mail, from, execution = null, withheld = false } = event;
        this.unread.set(formatPoint(at), { at, to, gen, mail, from, execution, withheld });
        this.counts.accepted++;
        if (mail === "RESULT") this.owed.shift();
        break;
      }
      case "mail.moved": {
        const record = this.take(event.record);
        if (record === undefined) break;
        const { path: to, gen } = event;
        this.unread.set(formatPoint(at), { ...record, at, to, gen });
        break;
      }
      case "mail.delivered":
        for (const record of event.records) if (this.take(record)) this.counts.delivered++;
        break;
      case "mail.consumed":
        if (this.take(event.record)) this.counts.consumed++;
        break;
      case "mail.returned": {
        const key = formatPoint(event.record);
        const record = this.unread.get(key);
        if (record !== undefined) this.unread.set(key, { ...record, withheld: false });
        break;
      }
      default:
    }
  }

  private take(point: Point): BookRecord | undefined {
    const key = formatPoint(point);
    const record = this.unread.get(key);
    this.unread.delete(key);
    return record;
  }
}
