/**
 * The agent's machine as a table: the same states, transitions and work as `agentMachine`, at a tenth of the cost.
 * XState's own `transition` says once for each state and event where it leads and what it starts, stops and calls; the
 * answer is kept and used for every agent. So the machine stays the only description, and nothing here knows a state.
 */
import {
  type ActorLogic,
  type AnyStateMachine,
  type EventObject,
  type Snapshot,
  initialTransition,
  transition,
} from "xstate";
import { ACTIONS, GUARDS, type MachineInput, TASKS } from "./agentMachine.js";
import type { AgentWork, Signal } from "./work.js";

/** A state of the machine, and the ways out of it that have been asked for. */
interface Node {
  readonly value: unknown;
  readonly tags: ReadonlySet<string>;
  readonly machine: unknown;
  readonly edges: Map<string, Edge>;
}

/** Where an event leads, and what is done on the way, in order. */
interface Edge {
  readonly to: Node;
  readonly steps: readonly Step[];
}

type Step = (run: Running, signal: Signal) => void;

/** The work of one actor, and how to stop each task of it that is under way, oldest first. */
interface Running {
  readonly work: AgentWork;
  readonly stops: Map<string, () => void>;
}

/** What such an actor's snapshot holds, beside what every snapshot does. */
type CompiledSnapshot = Snapshot<unknown> & {
  readonly value: unknown;
  readonly tags: ReadonlySet<string>;
  readonly node: Node;
  readonly run: Running;
};

type Logic = ActorLogic<CompiledSnapshot, EventObject, MachineInput>;

/** The shape of an action that `transition` asks for. */
interface Asked {
  readonly type: string;
  readonly params?: unknown;
}

const NO_WORK = { work: {} as AgentWork };
const INITIAL = { type: "xstate.init" } as unknown as Signal;

/** Actor logic that moves like `machine`. Tables are filled as states and events are met. */
export function compiled(machine: AnyStateMachine): Logic {
  const nodes = new Map<string, Node>();
  const nodeOf = (snapshot: { readonly value: unknown; readonly tags: Set<string> }): Node => {
    const key = JSON.stringify(snapshot.value);
    const known = nodes.get(key);
    if (known !== undefined) return known;
    const { value, tags } = snapshot;
    const node = { value, tags, machine: snapshot, edges: new Map<string, Edge>() };
    nodes.set(key, node);
    return node;
  };
  const edgeOf = (node: Node, signal: Signal, key: string): Edge => {
    const [snapshot, actions] = transition(machine, node.machine as never, signal);
    const edge = { to: nodeOf(snapshot), steps: (actions as readonly Asked[]).map(stepOf) };
    node.edges.set(key, edge);
    return edge;
  };
  const [first, begin] = initialTransition(machine, NO_WORK);
  const initial = nodeOf(first);
  const steps = (begin as readonly Asked[]).map(stepOf);
  return {
    getInitialSnapshot: (_scope, { work }) =>
      snapshotOf("active", initial, { work, stops: new Map() }),
    start: ({ run }) => {
      for (const step of steps) step(run, INITIAL);
    },
    transition: (snapshot, event) => {
      const { node, run } = snapshot;
      if (event.type === "xstate.stop") return stopped(node, run);
      const signal = event as Signal;
      const key = keyOf(signal);
      const edge = node.edges.get(key) ?? edgeOf(node, signal, key);
      for (const step of edge.steps) step(run, signal);
      return edge.to === node ? snapshot : snapshotOf("active", edge.to, run);
    },
    getPersistedSnapshot: (snapshot) => snapshot,
  };
}

/** An event of a type that a guard looks into leads to one of two places. */
function keyOf(signal: Signal): string {
  const guard = GUARDS[signal.type];
  return guard === undefined || guard(signal) ? signal.type : `${signal.type} unless`;
}

function snapshotOf(status: "active" | "stopped", node: Node, run: Running): CompiledSnapshot {
  const { value, tags } = node;
  return { status, output: undefined, error: undefined, value, tags, node, run };
}

function stopped(node: Node, run: Running): CompiledSnapshot {
  for (const stop of run.stops.values()) stop();
  run.stops.clear();
  return snapshotOf("stopped", node, run);
}

/** What an action of the machine does to an actor. */
function stepOf({ type, params }: Asked): Step {
  if (type === "xstate.spawnChild") return startOf((params as { id: string }).id);
  if (type === "xstate.stopChild") return stopOf((params as { id: string }).id);
  const act = ACTIONS[type];
  if (act === undefined) throw new TypeError(`the machine has an unknown action ${type}`);
  return ({ work }, signal) => act(work, signal);
}

function startOf(id: string): Step {
  const task = TASKS[id];
  if (task === undefined) throw new TypeError(`the machine has an unknown task ${id}`);
  return ({ work, stops }, signal) => stops.set(id, task(work, signal));
}

function stopOf(id: string): Step {
  return ({ stops }) => {
    const stop = stops.get(id);
    stops.delete(id);
    stop?.();
  };
}
