/**
 * Answers that come later than their command: the outcome of the turn that reads an INPUT (W8), and what became of a
 * reserved start (T3). They are read from the folded events, so that they say what the log says.
 */
import { Refused, type RejectionCode } from "../errors.js";
import type { AgentRef, DovecoteEvent, EventOf } from "../events/events.js";
import { type Point, formatPoint } from "../events/point.js";
import type { Placed } from "../kernel/loop.js";
import { ROOT } from "../paths.js";

/** Who waits for an answer. */
export interface Waiter<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** Where a turn's end stands: its `settlement.began` and its `turn.settled`. */
export interface Ended {
  readonly began: Point;
  readonly settled: Point;
}

interface Prompt extends Waiter<Ended> {
  /** The root turn that read the INPUT, once one has; 0 while that is looked up in the log. */
  turn: number | null;
}

/** What a look-up in the log has found out about an INPUT. */
export interface Found {
  /** The turn that reads it, which is live; `null` when none has yet. */
  readBy(turn: number | null): void;
  /** That turn has settled. */
  settled(ended: Ended): void;
}

/** See the module header. */
export class Later {
  private readonly prompts = new Map<string, Prompt>();
  private readonly starts = new Map<number, Waiter<void>>();
  private readonly ends = new Map<string, readonly Waiter<void>[]>();
  private readonly settlements = new Map<number, Point>();
  /** The reservation of a root start that an INPUT waits for. */
  private prompting: number | null = null;

  /** Resolves with the end of the root turn that reads this INPUT (W8). */
  outcomeOf(input: Point, waiter: Waiter<Ended>): void {
    this.prompts.set(formatPoint(input), { ...waiter, turn: null });
  }

  /**
   * The same for an INPUT that an earlier request queued (M3): whether a turn has read it is looked up by the caller,
   * who says so in the end; what happens meanwhile is seen here.
   */
  outcomeAgain(input: Point, waiter: Waiter<Ended>): Found {
    const key = formatPoint(input);
    const prompt: Prompt = { ...waiter, turn: 0 };
    this.prompts.set(key, prompt);
    return {
      readBy: (turn) => {
        if (prompt.turn === 0) prompt.turn = turn;
      },
      settled: (ended) => {
        this.prompts.delete(key);
        waiter.resolve(ended);
      },
    };
  }

  /** Resolves when the reserved start has been committed; rejects when it was given up. */
  startOf(reservation: number, waiter: Waiter<void>): void {
    this.starts.set(reservation, waiter);
  }

  /** Resolves when the subtree has been retired (A5). */
  endOf(top: AgentRef, waiter: Waiter<void>): void {
    const key = `${top.path}#${top.gen}`;
    this.ends.set(key, [...(this.ends.get(key) ?? []), waiter]);
  }

  shown(placed: readonly Placed[]): void {
    for (const { event, at } of placed) this.see(event, at);
  }

  /** The session can't answer any more (L6, L8). */
  failAll(error: Error): void {
    const waiters = [
      ...this.prompts.values(),
      ...this.starts.values(),
      ...[...this.ends.values()].flat(),
    ];
    this.ends.clear();
    this.prompts.clear();
    this.starts.clear();
    for (const waiter of waiters) waiter.reject(error);
  }

  private see(event: DovecoteEvent, at: Point): void {
    switch (event.type) {
      case "mail.delivered":
        if (event.path === ROOT) this.read(event);
        break;
      case "settlement.began":
        if (event.path === ROOT) this.settlements.set(event.turn, at);
        break;
      case "turn.settled":
        if (event.path === ROOT) this.settled(event.turn, at);
        break;
      case "agent.retired":
        for (const member of event.members) this.retired(member);
        break;
      case "turn.started":
        if (event.reservation !== undefined) this.started(event.reservation);
        break;
      case "start.reserved":
        if (event.path === ROOT && event.start === "prompt") this.prompting = event.reservation;
        break;
      case "start.claimed":
        this.prompting = event.reservation;
        break;
      case "start.released":
        this.released(event);
        break;
      default:
    }
  }

  private read(event: EventOf<"mail.delivered">): void {
    for (const record of event.records) {
      const prompt = this.prompts.get(formatPoint(record));
      if (prompt !== undefined) prompt.turn = event.turn;
    }
  }

  private settled(turn: number, settled: Point): void {
    const began = this.settlements.get(turn);
    this.settlements.delete(turn);
    if (began === undefined) return;
    for (const [key, prompt] of this.prompts) {
      if (prompt.turn !== turn) continue;
      this.prompts.delete(key);
      prompt.resolve({ began, settled });
    }
  }

  private retired({ path, gen }: AgentRef): void {
    const key = `${path}#${gen}`;
    for (const waiter of this.ends.get(key) ?? []) waiter.resolve();
    this.ends.delete(key);
  }

  private started(reservation: number): void {
    this.starts.get(reservation)?.resolve();
    this.starts.delete(reservation);
  }

  private released(event: EventOf<"start.released">): void {
    const waiter = this.starts.get(event.reservation);
    this.starts.delete(event.reservation);
    waiter?.reject(releasedError(event));
    if (event.path === ROOT && this.prompting === event.reservation) {
      this.failUnread(releasedError(event));
    }
  }

  /** No turn will come to read an INPUT by itself: it stays unread, and `prompt` says so (W8, X2). */
  failUnread(error: Error): void {
    for (const [key, prompt] of this.prompts) {
      if (prompt.turn !== null) continue;
      this.prompts.delete(key);
      prompt.reject(error);
    }
  }
}

const RELEASED: Record<EventOf<"start.released">["why"], [RejectionCode, string, string]> = {
  failed: ["start-failed", "T2", "its preparation failed"],
  timeout: ["start-failed", "T2", "its preparation ran out of time"],
  interrupted: ["start-interrupted", "I3", "it was interrupted while it was being prepared"],
  "spawner settled": ["start-interrupted", "T3", "the turn that asked for it ended first"],
  held: ["start-interrupted", "W7", "a hold was taken on the root"],
  ended: ["start-interrupted", "A5", "its subtree was ended"],
  closed: ["session-closed", "L8", "the session was closed"],
};

function releasedError(event: EventOf<"start.released">): Refused {
  const [code, rule, why] = RELEASED[event.why];
  const reason = event.reason === undefined ? "" : `: ${event.reason}`;
  const message = `${event.path} was not started: ${why}${reason}. Nothing was changed; try again.`;
  return new Refused({ code, rule, message });
}
