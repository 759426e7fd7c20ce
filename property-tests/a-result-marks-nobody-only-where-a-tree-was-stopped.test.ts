/** Which RESULTs mark nobody: those of a stopped tree's members but its top, of recovery, and those that a handler has (I6, S8, R2, S7, W1). */
import { expect, it } from "vitest";
import type { Command } from "../src/kernel/command.js";
import type { AnyReply } from "../src/kernel/loop.js";
import type { AgentPath } from "../src/paths.js";
import { everyProgram } from "./support/play.js";

/** What each request that has just been answered stops, in order, and whether it mutes it. */
class Requests {
  private readonly stops: { readonly path: string; readonly muted: boolean }[] = [];
  private ending: AgentPath | null = null;

  take(command: Command, reply: AnyReply): void {
    if (reply.kind !== "answer" || reply.answer === null) return;
    const { answer } = reply;
    if (command.kind === "interrupt" && "found" in answer) {
      this.stops.push({ path: answer.path, muted: false });
    }
    if (command.kind === "interruptTree" && "stopped" in answer) {
      // The top comes last: its members are stopped deepest first.
      const top = answer.stopped.at(-1)?.path;
      for (const { path } of answer.stopped) this.stops.push({ path, muted: path !== top });
    }
  }

  ends(path: AgentPath): void {
    this.ending = path;
  }

  /** Whether the next interrupt, of that agent, mutes it. */
  next(path: AgentPath): boolean {
    const isMember = this.ending !== null && path.startsWith(this.ending);
    if (this.ending !== null && isMember) {
      const top = this.ending;
      if (path === top) this.ending = null;
      return path !== top;
    }
    const stop = this.stops.shift();
    if (stop?.path !== path) throw new Error(`${path} was stopped instead of ${stop?.path}`);
    return stop.muted;
  }
}

it("I6 A5 mutes exactly the members of a tree that is stopped, its top apart", () => {
  everyProgram(() => {
    let requests = new Requests();
    return {
      event({ event }) {
        if (event.type === "session.opened") requests = new Requests();
        if (event.type === "agent.ending") requests.ends(event.path);
        if (event.type !== "agent.interrupted") return;
        const { path, muted = false } = event;
        expect([path, muted]).toEqual([path, requests.next(path)]);
      },
      replied: (command, reply) => requests.take(command, reply),
    };
  });
});

it("I6 S8 R2 S7 W1 marks a recipient by every RESULT but those", () => {
  everyProgram(() => {
    let isRecovering = false;
    let due: readonly AgentPath[] = [];
    const muted = new Set<string>();
    return {
      event({ event }, { book }) {
        if (event.type === "session.opened") isRecovering = event.run > 1;
        if (event.type === "wake.marked") due = due.filter((path) => path !== event.path);
        if (event.type === "agent.interrupted" && event.muted === true) {
          muted.add(`${event.path}#${event.gen}.${event.turn}`);
        }
        if (event.type !== "mail.queued" || event.mail !== "RESULT") return;
        const { path, gen, turn } = event.by ?? { path: "", gen: 0, turn: 0 };
        const isQuiet =
          isRecovering || event.withheld === true || muted.has(`${path}#${gen}.${turn}`);
        const isMarked = book.marks.has(event.path) || book.endingOf(event.path) !== undefined;
        if (!isQuiet && !isMarked) due = [...due, event.path];
      },
      shown() {
        isRecovering = false;
        expect(due).toEqual([]);
      },
    };
  });
});
