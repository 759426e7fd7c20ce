/**
 * The XState machine of an agent, built from the kernel's phase table. It adds to the table what only an actor has:
 * `active` holds `running` and `waiting`, so that a wait does not end the turn; work is invoked by being in a state.
 * It decides nothing: every transition is a folded event.
 */
import {
  type AnyStateMachine,
  type EventObject,
  createMachine,
  fromCallback,
  fromPromise,
} from "xstate";
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

/** The turn: runs once, for as long as the actor is `active`. */
const turnActor = fromPromise<void, InvokeInput>(({ input, signal }) =>
  input.work.runTurn(input.signal as Signal<"turn.started">, signal),
);

/** The wait: held for as long as the actor is `waiting`. */
const waitActor = fromCallback<EventObject, InvokeInput>(({ input }) =>
  input.work.holdWait(input.signal as Signal<"wait.began">),
);

/** One settlement try. */
const settlementActor = fromPromise<void, InvokeInput>(({ input, signal }) =>
  input.work.trySettlement(input.signal as Signal<"settlement.attempted">, signal),
);

/** What the turn started lives as long as the machine at the most. */
const resources = fromCallback<EventObject, MachineInput>(
  ({ input }) =>
    () =>
      input.work.dropAll(),
);

/** Where an event leads when it does not lead to the initial state of its phase. */
const ENTRY: Partial<Record<EventType, string>> = { "settlement.attempted": "#trying" };

/** What an event starts besides moving the agent. */
const ACTIONS: Partial<Record<EventType, string>> = { "execution.yielded": "startExecution" };

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
    const actions = ACTIONS[event];
    if (actions !== undefined) transition.actions = actions;
    on[event] = transition;
  }
  return on;
}

/** Events that move the tag of an idle agent. */
const TAGGING: readonly EventType[] = ["start.reserved", "start.released"];

/**
 * The events that move some agent, or start something: all that a machine of this table ever reacts to. Most events
 * are none of these, and sending one costs as much as a transition.
 */
export function reactionsOf(table: PhaseTable): ReadonlySet<string> {
  const events = new Set<string>(TAGGING);
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

/**
 * Builds the machine. `table` is the kernel's own except in the tests that show that every state is needed.
 */
export function agentMachine(table: PhaseTable = PHASES): AnyStateMachine {
  const config = {
    id: "agent",
    context: ({ input }: { input: MachineInput }) => ({ work: input.work }),
    initial: "idle",
    invoke: {
      id: "resources",
      src: "resources",
      input: ({ context }: { context: MachineInput }) => ({ work: context.work }),
    },
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
        initial: "running",
        invoke: invoke("turn"),
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
      },
      settling: {
        id: "settling",
        initial: "held",
        on: transitionsOf(table, "settling"),
        states: { held: {}, trying: { id: "trying", invoke: invoke("settlement") } },
      },
    },
  };
  return createMachine(config as Parameters<typeof createMachine>[0], {
    actors: { turn: turnActor, wait: waitActor, settlement: settlementActor, resources },
    actions: {
      releaseWait: (step: unknown) => {
        const { context, event } = step as { context: MachineInput; event: Signal };
        if (event.type === "wait.ended") context.work.releaseWait(event as Signal<"wait.ended">);
      },
      startExecution: (step: unknown) => {
        const { context, event } = step as { context: MachineInput; event: Signal };
        context.work.startExecution(event as Signal<"execution.yielded">);
      },
    },
  });
}

/** The phase that a machine's state value spells. */
export function phaseOfValue(value: unknown): Phase {
  if (typeof value === "string") return value as Phase;
  const [[outer, inner] = ["idle", undefined]] = Object.entries(value as Record<string, unknown>);
  return (outer === "active" ? inner : outer) as Phase;
}
