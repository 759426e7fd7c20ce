/**
 * Tells a session step by step for examples: each call puts one command to the kernel in a commit of its own, and the
 * events are kept with their order points. Paths stand for their newest turn.
 */
import type {
  AttemptRef,
  DovecoteEvent,
  EventType,
  Json,
  TurnRef,
} from "../../src/events/events.js";
import type { Command } from "../../src/kernel/command.js";
import { decide } from "../../src/kernel/decide.js";
import type { Placed } from "../../src/kernel/loop.js";
import type { PresetName } from "../../src/kernel/presets.js";
import { type State, emptyState, plainHost } from "../../src/kernel/state.js";
import { type AgentPath, ROOT } from "../../src/paths.js";

/** See the module header. */
export class Story {
  readonly log: Placed[] = [];
  state: State;

  constructor(
    options: {
      readonly capacity?: number;
      readonly prepares?: boolean;
      readonly preset?: PresetName;
    } = {},
  ) {
    this.state = emptyState(plainHost(["worker"], { prepares: options.prepares ?? false }));
    const { capacity = 10, preset = "tree" } = options;
    this.put({ kind: "create", id: "s", capacity, behavior: "worker", preset });
  }

  put(command: Command): this {
    const [n, index] = this.state.next;
    const first: State["next"] = index === 0 ? this.state.next : [n + 1, 0];
    const { state, events } = decide({ ...this.state, next: first }, command);
    if (events.length === 0) return this;
    this.state = state;
    events.forEach((event, i) => this.log.push({ event, at: [n + (index === 0 ? 0 : 1), i] }));
    return this;
  }

  prompt(text: string): this {
    return this.put({ kind: "prompt", text });
  }

  spawn(by: AgentPath, name: string, task = "a task"): this {
    return this.put({ kind: "spawn", by: this.turn(by), name, behavior: "worker", task });
  }

  send(by: AgentPath | "person", target: string, text = "a message"): this {
    return this.put({ kind: "send", by: by === "person" ? null : this.turn(by), target, text });
  }

  /** A whole sample: its boundary, then its result. */
  sample(by: AgentPath, result: Json = "a result"): this {
    return this.beginSample(by).endSample(by, result);
  }

  beginSample(by: AgentPath): this {
    return this.put({ kind: "sample.begin", turn: this.turn(by) });
  }

  endSample(by: AgentPath, result: Json): this {
    return this.put({ kind: "sample.end", attempt: this.attempt(by), result });
  }

  wait(by: AgentPath): this {
    return this.put({ kind: "wait", turn: this.turn(by), timeout: 30_000 });
  }

  timeout(by: AgentPath): this {
    return this.put({ kind: "wait.timeout", attempt: this.attempt(by) });
  }

  finish(by: AgentPath, response = "done"): this {
    return this.put({
      kind: "turn.finish",
      turn: this.turn(by),
      end: { kind: "completed", response },
    });
  }

  fail(by: AgentPath, reason: string): this {
    return this.put({ kind: "turn.finish", turn: this.turn(by), end: { kind: "errored", reason } });
  }

  interrupt(by: AgentPath | null, target: string): this {
    return this.put({ kind: "interrupt", by: by === null ? null : this.turn(by), target });
  }

  reopen(): this {
    return this.put({ kind: "open", capacity: null });
  }

  /** The live turn of an agent. */
  turn(path: AgentPath): TurnRef {
    const agent = this.state.durable.agents.get(path);
    if (agent?.turn == null) throw new Error(`${path} has no turn`);
    return { path, gen: agent.gen, turn: agent.turn.turn };
  }

  attempt(path: AgentPath): AttemptRef {
    const open = this.state.durable.agents.get(path)?.turn?.open;
    return { ...this.turn(path), attempt: open ?? 0 };
  }

  /** The newest event of a type, with its place. */
  last<T extends EventType>(type: T): { readonly event: DovecoteEvent; readonly at: Placed["at"] } {
    const found = this.log.findLast(({ event }) => event.type === type);
    if (found === undefined) throw new Error(`no ${type} yet`);
    return found;
  }
}

/** A small survey of the usual events: spawns, mail, a wait, a timeout, a wake, an error, an interrupt. */
export function survey(): Story {
  const story = new Story({ capacity: 20 }).prompt("survey it").sample(ROOT);
  const names = [
    "docs",
    "events",
    "kernel",
    "log",
    "fuzz",
    "tools",
    "tests",
    "style",
    "bench",
    "cli",
  ];
  for (const name of names) story.spawn(ROOT, name);
  story.wait(ROOT).sample("/root/docs").sample("/root/events");
  story.spawn("/root/kernel", "phases").spawn("/root/kernel", "offers").wait("/root/kernel");
  story.send("/root/events", "/root/docs", "the union changed");
  story.finish("/root/kernel/phases").sample("/root/kernel").wait("/root/kernel");
  story.finish("/root/docs").sample(ROOT).wait(ROOT).timeout("/root/kernel");
  story.send("/root/events", "/root/docs", "once more").fail("/root/bench", "no numbers");
  story.sample(ROOT).interrupt(ROOT, "kernel/offers").finish("/root/kernel").finish("/root/docs");
  for (const name of ["events", "log", "fuzz", "tools"]) story.finish(`${ROOT}/${name}`);
  story.wait(ROOT).sample(ROOT).interrupt(null, "style").finish(ROOT, "the survey");
  story.finish("/root/tests").sample(ROOT);
  return story.reopen();
}

/** A job that is sent to, answers once more, and is waited for; another one that is stopped. */
export function workedOff(): Story {
  const story = new Story({ preset: "jobs" }).prompt("get it done");
  story.spawn(ROOT, "build").spawn(ROOT, "lint").send(ROOT, "j1", "mind the cache");
  story.finish("/root/build", "built").sample("/root/build").finish("/root/build", "built anew");
  story.put({ kind: "wait", turn: story.turn(ROOT), timeout: 30_000, for: "jobs" }).sample(ROOT);
  story.put({ kind: "interrupt", by: story.turn(ROOT), target: "j2", job: true });
  return story.sample(ROOT).finish(ROOT).reopen();
}
