/**
 * The XState machine of an agent, built from the kernel's phase table. It adds to the table what only an actor has:
 * `active` holds `running` and `waiting`, so that a wait does not end the turn; work is invoked by being in a state.
 * Preparing is a tag of `idle`, blocked a tag of `active`.
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
const ENTRY: Partial<Record<EventType, string>> = {
  "settlement.attempted": "#trying",
  "settlement.failed": "#held",
};

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

/** Events that the phase table does not speak of, and that set a tag, or start something, all the same. */
const BESIDE: readonly EventType[] = [
  "start.reserved",
  "start.released",
  "blocker.added",
  "blocker.released",
  "mail.queued",
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
          { guard: "isLastBlocker", target: "clear", actions: "releaseBlocker" },
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
const act = (run: (step: Step) => void) => (step: unknown) => run(step as Step);
const test = (holds: (event: Signal) => boolean) => (step: unknown) => holds((step as Step).event);

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
        type: "parallel",
        invoke: invoke("turn"),
        on: { "mail.queued": { guard: "isWithheld", actions: "handleResult" } },
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
    actors: { turn: turnActor, wait: waitActor, settlement: settlementActor, resources },
    guards: {
      isLastBlocker: test(({ event }) => event.type === "blocker.released" && event.left === 0),
      isWithheld: test(({ event }) => event.type === "mail.queued" && event.withheld === true),
    },
    actions: {
      releaseWait: act(({ context, event }) => {
        if (event.type === "wait.ended") context.work.releaseWait(event as Signal<"wait.ended">);
      }),
      startExecution: act(({ context, event }) =>
        context.work.startExecution(event as Signal<"execution.yielded">),
      ),
      handleResult: act(({ context, event }) =>
        context.work.handleResult(event as Signal<"mail.queued">),
      ),
      releaseBlocker: act(({ context, event }) =>
        context.work.releaseBlocker(event as Signal<"blocker.released">),
      ),
    },
  });
}

/** The phase that a machine's state value spells. */
export function phaseOfValue(value: unknown): Phase {
  if (typeof value === "string") return value as Phase;
  const [[outer, inner] = ["idle", undefined]] = Object.entries(value as Record<string, unknown>);
  return (outer === "active" ? (inner as { work: Phase }).work : outer) as Phase;
}
