/**
 * A scripted session for the benchmarks of the kernel: agents that are woken by mail, sample, send, wait and finish, and
 * a root that reads their results and spawns more. No promises, no shell: commands and what `decide` gave for them.
 */
import type { DovecoteEvent, TurnRef } from "../src/events/events.js";
import type { Command } from "../src/kernel/command.js";
import { decide } from "../src/kernel/decide.js";
import { type Host, type State, emptyState, plainHost } from "../src/kernel/state.js";
import { type AgentPath, ROOT } from "../src/paths.js";

/** What programs bring: one behaviour, no preparation. */
export const HOST: Host = plainHost(["worker"]);

/** A message of the usual length. */
export const TEXT =
  "A message of the usual length, as one agent writes it to another in the middle of its work. ";

/** What has been put to a kernel, and what came of it. */
export interface Recording {
  readonly commands: readonly Command[];
  /** The events of each commit, in order. */
  readonly commits: readonly (readonly DovecoteEvent[])[];
  readonly events: number;
}

/** The steps of a turn; an agent that waits goes on when its wait has ended. */
const SCRIPT = ["sample", "said", "send", "sample", "said", "send", "wait", "sample", "said"];

interface Live {
  readonly turn: TurnRef;
  step: number;
  attempt: number;
}

class World {
  readonly commands: Command[] = [];
  readonly commits: (readonly DovecoteEvent[])[] = [];
  events = 0;
  private state: State = emptyState(HOST);
  private readonly ready: Live[] = [];
  private readonly waiting = new Map<AgentPath, Live>();
  private readonly paths: AgentPath[] = [];
  private seed = 1;

  constructor(agents: number) {
    this.put({ kind: "create", id: "bench", capacity: agents, behavior: "worker" });
    for (let index = 0; index < agents; index++) this.spawn(null);
  }

  /** The next command that this world would put, put. */
  step(): void {
    const live = this.ready.shift();
    if (live !== undefined) return this.advance(live);
    const [path] = this.waiting.keys();
    const late = path === undefined ? undefined : this.waiting.get(path);
    if (late !== undefined && this.next(4) === 0) {
      return this.put({
        kind: "wait.timeout",
        attempt: { ...late.turn, attempt: late.attempt },
      });
    }
    this.put({ kind: "send", by: null, target: this.someone(), text: TEXT });
  }

  private spawn(by: TurnRef | null): void {
    const name = `agent_${this.paths.length}`;
    const path: AgentPath = `${ROOT}/${name}`;
    this.paths.push(path);
    this.put({ kind: "spawn", by, name, behavior: "worker", task: TEXT });
  }

  private next(below: number): number {
    this.seed = (Math.imul(this.seed, 1_103_515_245) + 12_345) >>> 0;
    return (this.seed >>> 8) % below;
  }

  private someone(): AgentPath {
    return this.paths[this.next(this.paths.length)] ?? ROOT;
  }

  private advance(live: Live): void {
    const { turn } = live;
    const step = SCRIPT[live.step++];
    if (step === undefined) {
      return this.put({ kind: "turn.finish", turn, end: { kind: "completed", response: TEXT } });
    }
    if (step === "said") {
      const attempt = { ...turn, attempt: live.attempt };
      this.put({ kind: "sample.end", attempt, result: TEXT });
    } else if (step === "send") {
      this.put({ kind: "send", by: turn, target: this.someone(), text: TEXT });
    } else {
      live.attempt++;
      if (step === "wait") {
        this.waiting.set(turn.path, live);
        return this.put({ kind: "wait", turn, timeout: undefined });
      }
      this.put({ kind: "sample.begin", turn });
    }
    this.ready.push(live);
  }

  private put(command: Command): void {
    const decision = decide(this.state, command);
    if (!decision.outcome.ok && decision.outcome.rejection.code !== "at-capacity") {
      throw new Error(`${command.kind} was refused: ${decision.outcome.rejection.code}`);
    }
    const { events } = decision;
    const [n] = decision.state.next;
    this.state = events.length === 0 ? decision.state : { ...decision.state, next: [n + 1, 0] };
    this.commands.push(command);
    if (events.length > 0) this.commits.push(events);
    this.events += events.length;
    for (const event of events) this.follow(event);
  }

  private follow(event: DovecoteEvent): void {
    if (event.type === "turn.started") {
      const { path, gen, turn } = event;
      this.ready.push({ turn: { path, gen, turn }, step: 0, attempt: 0 });
    } else if (event.type === "wait.ended") {
      const live = this.waiting.get(event.path);
      this.waiting.delete(event.path);
      if (live !== undefined) this.ready.push(live);
    }
  }
}

/** Records a session of so many agents, until it has that many events. */
export function record(agents: number, events: number): Recording {
  const world = new World(agents);
  while (world.events < events) world.step();
  return world;
}
