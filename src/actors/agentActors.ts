/**
 * The actors of a session: one for each agent that is live, made on first use and let go at rest.
 * They consume their agent's folded events, in order, and nothing else reaches them.
 */
import { type AnyActorRef, type AnyStateMachine, createActor } from "xstate";
import type { DovecoteEvent } from "../events/events.js";
import type { Placed } from "../kernel/loop.js";
import { PHASES, type Phase, type PhaseTable } from "../kernel/phases.js";
import type { AgentPath } from "../paths.js";
import { type Report, guarded } from "../projections/guard.js";
import { agentMachine, phaseOfValue, reactionsOf } from "./agentMachine.js";
import { type AgentWork, signalOf } from "./work.js";

/** What an inspector sees; the fields are xstate's, passed through. */
export interface Inspection {
  readonly type: string;
  readonly rootId: string;
  readonly actorRef: unknown;
  readonly event?: unknown;
  readonly snapshot?: unknown;
}

/** Gets everything that happens in an agent's actor. */
export type Inspect = (inspection: Inspection) => void;

/** An agent's actor, as a user reaches it. */
export interface AgentActor {
  readonly path: AgentPath;
  /** The state it is in: the same as the agent's phase. */
  readonly phase: Phase;
  /** A start is being prepared (T2). */
  readonly preparing: boolean;
  /** Its turn is blocked from outside: by an approval, a question to the person (T1). */
  readonly blocked: boolean;
  /** Calls back with each new phase; answers the way to stop that. */
  subscribe(listener: (phase: Phase) => void): () => void;
}

/** How actors are made. */
export interface AgentActorsOptions {
  readonly workOf: (path: AgentPath, gen: number) => AgentWork;
  readonly inspect?: Inspect | undefined;
  /** Gets what an inspector or a subscriber throws (Q1). */
  readonly onObserverError: Report;
  /** The phase table to build the machine from: the kernel's, unless a test says otherwise. */
  readonly table?: PhaseTable | undefined;
}

interface Entry {
  readonly ref: AnyActorRef;
  readonly work: AgentWork;
  readonly gen: number;
  /** A user holds it: it is kept at rest. */
  pinned: boolean;
}

/** See the module header. */
export class AgentActors {
  private readonly options: AgentActorsOptions;
  private readonly machine: AnyStateMachine;
  /** The events that are worth sending; an inspector is to see them all. */
  private readonly reactions: ReadonlySet<string> | null;
  private readonly entries = new Map<AgentPath, Entry>();
  private stopped = false;

  constructor(options: AgentActorsOptions) {
    this.options = options;
    const table = options.table ?? PHASES;
    this.machine = agentMachine(table);
    this.reactions = options.inspect === undefined ? reactionsOf(table) : null;
  }

  /** How many actors are alive. */
  get size(): number {
    return this.stopped ? 0 : this.entries.size;
  }

  /** Gives folded events to the actors of their agents, in order. */
  dispatch(placed: readonly Placed[]): void {
    if (this.stopped) return;
    for (const { event, at } of placed) {
      if (event.type === "agent.retired")
        for (const { path: gone } of event.members) this.drop(gone);
      if (this.reactions !== null && !reacts(this.reactions, event)) continue;
      const entry = this.entryFor(event);
      if (entry === undefined) continue;
      entry.ref.send(signalOf(event, at));
      if (event.type === "turn.settled" || event.type === "start.released") this.letGo(event.path);
    }
  }

  /** The work of an agent, if its actor lives: what its behaviour's handle is bound to. */
  workOf(path: AgentPath): AgentWork | undefined {
    return this.entries.get(path)?.work;
  }

  /** Reaches an agent's actor, making it if need be; it is kept from then on. In a stopped session it stands still. */
  reach(path: AgentPath, gen: number): AgentActor {
    const entry = this.entries.get(path) ?? this.make(path, gen);
    entry.pinned = true;
    const { ref } = entry;
    const report = this.options.onObserverError;
    return {
      path,
      get phase() {
        return phaseOf(ref);
      },
      get preparing() {
        return tagsOf(ref).has("preparing");
      },
      get blocked() {
        return tagsOf(ref).has("blocked");
      },
      subscribe(listener) {
        let last = phaseOf(ref);
        const tell = (): void => {
          const phase = phaseOf(ref);
          if (phase === last) return;
          last = phase;
          guarded(() => listener(phase), report);
        };
        const subscription = ref.subscribe({ next: tell });
        return () => subscription.unsubscribe();
      },
    };
  }

  /** A degraded or closed session stops its actors, it does not move them (L6). */
  stopAll(): void {
    this.stopped = true;
    for (const { ref } of this.entries.values()) ref.stop();
  }

  private entryFor(event: DovecoteEvent): Entry | undefined {
    if (!("path" in event)) return undefined;
    const known = this.entries.get(event.path);
    if (known !== undefined) return known;
    const begins =
      event.type === "turn.started" || (event.type === "start.reserved" && event.start !== "spawn");
    return begins ? this.make(event.path, event.gen) : undefined;
  }

  private make(path: AgentPath, gen: number): Entry {
    const work = this.options.workOf(path, gen);
    const { inspect, onObserverError } = this.options;
    const look = (seen: unknown): void =>
      guarded(() => inspect?.(seen as Inspection), onObserverError);
    const ref = createActor(this.machine, {
      id: path,
      input: { work },
      ...(inspect === undefined ? {} : { inspect: look }),
    }) as AnyActorRef;
    const entry: Entry = { ref, work, gen, pinned: false };
    this.entries.set(path, entry);
    // A stopped session moves nobody, so an actor that is made now never runs (L6).
    if (!this.stopped) ref.start();
    return entry;
  }

  private drop(path: AgentPath): void {
    this.entries.get(path)?.ref.stop();
    this.entries.delete(path);
  }

  private letGo(path: AgentPath): void {
    const entry = this.entries.get(path);
    if (entry === undefined || entry.pinned || phaseOf(entry.ref) !== "idle") return;
    this.drop(path);
  }
}

/** Mail is common, and only what a handler waits for moves an actor. */
function reacts(reactions: ReadonlySet<string>, event: DovecoteEvent): boolean {
  if (event.type === "mail.queued") return event.withheld === true;
  return reactions.has(event.type);
}

function phaseOf(ref: AnyActorRef): Phase {
  return phaseOfValue((ref.getSnapshot() as { value: unknown }).value);
}

function tagsOf(ref: AnyActorRef): ReadonlySet<string> {
  return (ref.getSnapshot() as { tags: ReadonlySet<string> }).tags;
}
