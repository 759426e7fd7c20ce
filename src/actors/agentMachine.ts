/**
 * The XState machine of an agent, built from the kernel's phase table. It adds to the table what only an actor has:
 * `active` holds `running` and `waiting`, so that a wait does not end the turn; work is invoked by being in a state.
 * Preparing is a tag of `idle`, blocked a tag of `active`.
 * It decides nothing: every transition is a folded event.
 */
import { type AnyStateMachine, type EventObject, createMachine, fromCallback } from "xstate";
import type { EventType } from "../events/events.js";
import { PHASES, type Phase, type PhaseTable } from "../kernel/phases.js";
import type { AgentWork, Signal } from "./work.js";

/** What a machine is made with. */
export interface MachineInput {
  readonly work: AgentWork;
}

interface InvokeInput {
  readonly work: AgentWork;
  readonly signal: Signal;
}

/** Work that lasts as long as a state: started on entering it; what it gives back stops it on leaving. */
type Task = (work: AgentWork, signal: Signal) => () => void;

/** What a machine runs, by name: the machine invokes each as an actor of its own. */
const TASKS: Readonly<Record<string, Task>> = {
  /** The turn: runs once, for as long as the actor is `active`. */
  turn: (work, started) => work.runTurn(started as Signal<"turn.started">),
  /** The wait: held for as long as the actor is `waiting`. */
  wait: (work, began) => work.holdWait(began as Signal<"wait.began">),
  /** One settlement try. */
  settlement: (work, attempted) =>
    abortable((stop) => work.trySettlement(attempted as Signal<"settlement.attempted">, stop)),
  /** What the turn started lives as long as the machine at the most. */
  resources: (work) => () => work.dropAll(),
};

/** Work with a signal that aborts when it is stopped before it has ended. */
function abortable(run: (stop: AbortSignal) => Promise<void>): () => void {
  const controller = new AbortController();
  let running = true;
  void run(controller.signal).then(() => (running = false));
  return () => {
    if (running) controller.abort();
  };
}

function taskActor(name: string) {
  return fromCallback<EventObject, InvokeInput>(({ input }) =>
    TASKS[name]?.(input.work, input.signal),
  );
}

/** What the machine calls on its way, by name. */
const ACTIONS: Readonly<Record<string, (work: AgentWork, signal: Signal) => void>> = {
  releaseWait: (work, ended) => {
    if (ended.event.type === "wait.ended") work.releaseWait(ended as Signal<"wait.ended">);
  },
  startExecution: (work, yielded) => work.startExecution(yielded as Signal<"execution.yielded">),
  extendTurn: (work, extended) => work.extendTurn(extended as Signal<"turn.extended">),
  handleResult: (work, queued) => work.handleResult(queued as Signal<"mail.queued">),
  stopHandler: (work, returned) => work.stopHandler(returned as Signal<"mail.returned">),
  releaseBlocker: (work, released) => work.releaseBlocker(released as Signal<"blocker.released">),
};

/** The events that a guard looks into, and what it asks: nothing else but an event's type moves a machine. */
const GUARDS: Readonly<Partial<Record<string, (signal: Signal) => boolean>>> = {
  "blocker.released": ({ event }) => event.type === "blocker.released" && event.left === 0,
  "mail.queued": ({ event }) => event.type === "mail.queued" && event.withheld === true,
};

/** Where an event leads when it does not lead to the initial state of its phase. */
const ENTRY: Partial<Record<EventType, string>> = {
  "settlement.attempted": "#trying",
  "settlement.failed": "#held",
};

/** What an event starts besides moving the agent. */
const STARTS: Partial<Record<EventType, string>> = {
  "execution.yielded": "startExecution",
  "turn.extended": "extendTurn",
};

interface TransitionConfig {
  target?: string;
  reenter?: boolean;
  actions?: string;
}

/** The transitions of one phase, read from the table. */
function transitionsOf(table: PhaseTable, phase: Phase): Record<string, TransitionConfig> {
  const on: Record<string, TransitionConfig> = {};
  for (const [event, target] of Object.entries(table[phase]) as [EventType, Phase][]) {
    const transition: TransitionConfig = {};
    const entry = ENTRY[event] ?? (target === phase ? undefined : `#${target}`);
    if (entry !== undefined) Object.assign(transition, { target: entry, reenter: true });
    const actions = STARTS[event];
    if (actions !== undefined) transition.actions = actions;
    on[event] = transition;
  }
  return on;
}

/** Events that the phase table does not speak of, and that set a tag, or start something, all the same. */
const BESIDE: readonly EventType[] = [
  "start.reserved",
  "start.released",
  "blocker.added",
  "blocker.released",
  "mail.queued",
  "mail.returned",
];

/**
 * The events that move some agent, or start something: all that a machine of this table ever reacts to. Most events
 * are none of these, and sending one costs as much as a transition.
 */
export function reactionsOf(table: PhaseTable): ReadonlySet<string> {
  const events = new Set<string>(BESIDE);
  for (const phase of Object.keys(table) as Phase[]) {
    for (const [event, { target, actions }] of Object.entries(transitionsOf(table, phase))) {
      if (target !== undefined || actions !== undefined) events.add(event);
    }
  }
  return events;
}

const invoke = (id: string): object => ({
  id,
  src: id,
  input: ({ context, event }: { context: MachineInput; event: Signal }): InvokeInput => ({
    work: context.work,
    signal: event,
  }),
});

/** The two sides of a live turn. */
function workStates(table: PhaseTable): object {
  return {
    initial: "running",
    states: {
      running: { id: "running", on: transitionsOf(table, "running") },
      waiting: {
        id: "waiting",
        invoke: invoke("wait"),
        // An exit action runs before the invoked wait is stopped: the answer goes first, then the hold.
        exit: "releaseWait",
        on: transitionsOf(table, "waiting"),
      },
    },
  };
}

/** Whether something outside blocks a live turn (T1): a tag beside its two sides. */
const ATTENTION = {
  initial: "clear",
  states: {
    clear: { on: { "blocker.added": "blocked" } },
    blocked: {
      tags: "blocked",
      on: {
        "blocker.released": [
          { guard: "holds", target: "clear", actions: "releaseBlocker" },
          { actions: "releaseBlocker" },
        ],
      },
    },
  },
};

interface Step {
  readonly context: MachineInput;
  readonly event: Signal;
}

/** An action or guard of ours: xstate's own types can't follow a machine that is built from a table. */
const act = (run: (work: AgentWork, signal: Signal) => void) => (step: unknown) => {
  const { context, event } = step as Step;
  run(context.work, event);
};
const holds = (step: unknown): boolean => {
  const { event } = step as Step;
  return GUARDS[event.type]?.(event) ?? true;
};

/**
 * Builds the machine. `table` is the kernel's own except in the tests that show that every state is needed.
 */
export function agentMachine(table: PhaseTable = PHASES): AnyStateMachine {
  const config = {
    id: "agent",
    context: ({ input }: { input: MachineInput }) => ({ work: input.work }),
    initial: "idle",
    invoke: invoke("resources"),
    states: {
      idle: {
        id: "idle",
        initial: "resting",
        on: transitionsOf(table, "idle"),
        states: {
          resting: { on: { "start.reserved": "preparing" } },
          preparing: { tags: "preparing", on: { "start.released": "resting" } },
        },
      },
      active: {
        type: "parallel",
        invoke: invoke("turn"),
        on: {
          "mail.queued": { guard: "holds", actions: "handleResult" },
          "mail.returned": { actions: "stopHandler" },
        },
        states: { work: workStates(table), attention: ATTENTION },
      },
      settling: {
        id: "settling",
        initial: "held",
        on: transitionsOf(table, "settling"),
        states: { held: { id: "held" }, trying: { id: "trying", invoke: invoke("settlement") } },
      },
    },
  };
  return createMachine(config as Parameters<typeof createMachine>[0], {
    actors: Object.fromEntries(Object.keys(TASKS).map((name) => [name, taskActor(name)])),
    guards: { holds },
    actions: Object.fromEntries(Object.entries(ACTIONS).map(([name, run]) => [name, act(run)])),
  });
}

/** The phase that a machine's state value spells. */
export function phaseOfValue(value: unknown): Phase {
  if (typeof value === "string") return value as Phase;
  const [[outer, inner] = ["idle", undefined]] = Object.entries(value as Record<string, unknown>);
  return (outer === "active" ? (inner as { work: Phase }).work : outer) as Phase;
}
