/** A loop with a port that does everything by hand: appends land or fail when the test says so, and all calls are noted. */
import type { DovecoteEvent } from "../../src/events/events.js";
import type { Answers, Command } from "../../src/kernel/command.js";
import type { Effect } from "../../src/kernel/effects.js";
import { Loop, type LoopPort, type Placed, type Reply } from "../../src/kernel/loop.js";
import { type State, emptyState, plainHost } from "../../src/kernel/state.js";
import { BEHAVIOR } from "../../src/testing/commands.js";

/** What the loop asked of its port, in order, in short: `append 2`, `show mail.queued`, `reply send answer`. */
export type Note = string;

/** See the module header. */
export class HandPort implements LoopPort {
  readonly loop: Loop;
  readonly notes: Note[] = [];
  readonly commits: (readonly DovecoteEvent[])[] = [];
  readonly effects: Effect[] = [];
  readonly shown: Placed[] = [];
  /** Called inside the port's calls: what a shell's callbacks may do. */
  inside: (note: Note) => void = () => {};
  private waiting: readonly DovecoteEvent[] | null = null;

  constructor(state?: State) {
    this.loop = new Loop(state ?? emptyHandState(), this);
  }

  append(n: number, events: readonly DovecoteEvent[]): void {
    if (this.waiting !== null) throw new Error("a second append was begun while one was in flight");
    this.waiting = events;
    this.note(`append ${n}`);
  }

  show(events: readonly Placed[], state: State): void {
    if (state !== this.loop.state) throw new Error("shown with another state than the loop's");
    for (const one of events) this.shown.push(one);
    this.note(
      `show ${events
        .map(({ event }) => event.type)
        .join(" ")
        .slice(0, 200)}`,
    );
  }

  perform(effect: Effect): void {
    this.effects.push(effect);
    this.note(`perform ${effect.kind}`);
  }

  flushSoon(): void {
    this.note("flush soon");
  }

  degraded(): void {
    this.note("degraded");
  }

  /** Puts a command in; its reply is noted, and kept in the value that comes back. */
  submit<C extends Command>(command: C): { reply: Reply<Answers[C["kind"]]> | null } {
    const box: { reply: Reply<Answers[C["kind"]]> | null } = { reply: null };
    this.loop.submit(command, (reply) => {
      if (box.reply !== null) throw new Error("a second reply to one command");
      box.reply = reply;
      this.note(`reply ${command.kind} ${reply.kind}`);
    });
    return box;
  }

  /** Whether an append is in flight. */
  get inFlight(): boolean {
    return this.waiting !== null;
  }

  /** The append in flight is on the disk. */
  land(): void {
    if (this.waiting === null) throw new Error("no append is in flight");
    this.commits.push(this.waiting);
    this.waiting = null;
    this.loop.appended();
  }

  /** The append in flight failed. */
  break(unknown: boolean): void {
    this.waiting = null;
    this.loop.failed(new Error("no space"), "commit-1", unknown);
  }

  /** The notes so far, which are then forgotten. */
  take(): readonly Note[] {
    return this.notes.splice(0);
  }

  private note(note: Note): void {
    this.notes.push(note);
    this.inside(note);
  }
}

/** The empty state of a session with one behaviour. */
export function emptyHandState(prepares = false): State {
  return emptyState(plainHost([BEHAVIOR], { prepares }));
}

/** A port whose session has been created, with nothing noted yet. */
export function createdPort(): HandPort {
  const port = new HandPort();
  port.submit({ kind: "create", id: "hand", capacity: 10, behavior: BEHAVIOR });
  port.land();
  port.take();
  return port;
}
