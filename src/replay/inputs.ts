/**
 * What was put to the kernel, read back from what it made of it: each decision begins with an event that tells its
 * command. No rule is here: what follows from a command is asked of the kernel.
 */
import type { DovecoteEvent, EventOf, EventType } from "../events/events.js";
import type { OperationPlanned, Recipient } from "../events/operations.js";
import type { Point } from "../events/point.js";
import { formatPoint, samePoint } from "../events/point.js";
import type { AttemptRef, TurnRef } from "../events/refs.js";
import type { Command, OfPlan } from "../kernel/command.js";
import { type ParentReport, SILENT } from "../kernel/parents.js";
import type { State } from "../kernel/state.js";
import { type AgentPath, parentPath } from "../paths.js";

/** Where a decision begins: the state it met, and its events, with those that follow in the same commit. */
export interface Beginning {
  readonly state: State;
  readonly events: readonly DovecoteEvent[];
  /** Messages of the operation layer that have been planned, by the point of their plan. */
  readonly plans: ReadonlyMap<string, OperationPlanned>;
}

type Reader<Type extends EventType> = (
  event: EventOf<Type>,
  beginning: Beginning,
) => Command | undefined;

/**
 * The command that a decision carried out; `undefined` when its first event begins none.
 *
 * @example inputAt({ state, events: commit.events.slice(index), plans: new Map() })
 */
export function inputAt(beginning: Beginning): Command | undefined {
  const [first] = beginning.events;
  if (first === undefined) return undefined;
  const read = READERS[first.type] as Reader<EventType> | undefined;
  return read?.(first, beginning);
}

const turnOf = ({ path, gen, turn }: TurnRef): TurnRef => ({ path, gen, turn });
const attemptOf = ({ path, gen, turn, attempt }: AttemptRef): AttemptRef => ({
  path,
  gen,
  turn,
  attempt,
});

/** The try of an agent whose turn settles: what finalisers of it send is told by it (T1). */
function finaliserOf(state: State, path: AgentPath): { readonly finaliser?: number } {
  const turn = state.durable.agents.get(path)?.turn;
  return turn?.settling == null ? {} : { finaliser: turn.attempts };
}

/** The first event of a type after the first one. */
function next<Type extends EventType>(
  { events }: Beginning,
  type: Type,
  holds: (event: EventOf<Type>) => boolean = () => true,
): EventOf<Type> | undefined {
  return events.find(
    (event): event is EventOf<Type> => event.type === type && holds(event as EventOf<Type>),
  );
}

function inlineText(
  source: { readonly text: string } | { readonly at: Point } | undefined,
): string {
  return source !== undefined && "text" in source ? source.text : "";
}

const READERS: { readonly [Type in EventType]?: Reader<Type> } = {
  "session.created": ({ id, capacity, preset }, beginning) => {
    const behavior = next(beginning, "agent.spawned")?.behavior ?? "";
    return { kind: "create", id, capacity, behavior, ...(preset === undefined ? {} : { preset }) };
  },
  "session.opened": (_, { events }) => {
    const changed = events[1];
    const isChange = changed?.type === "capacity.changed";
    return { kind: "open", capacity: isChange ? changed.to : null };
  },
  "session.closing": () => ({ kind: "close" }),
  "capacity.changed": ({ to }) => ({ kind: "setCapacity", capacity: to }),
  "plan.switched": ({ on }) => ({ kind: "setPlan", on }),
  "hold.taken": ({ name }) => ({ kind: "hold", name }),
  "hold.released": ({ name }) => ({ kind: "unhold", name }),
  "notice.queued": ({ text }) => ({ kind: "notify", text }),
  "agent.ending": ({ path }) => ({ kind: "end", target: path }),
  "agent.interrupted": interruptOf,
  "agent.spawned": (event, beginning) => {
    const task = inlineText(next(beginning, "turn.started")?.task);
    return spawnOf(event, task);
  },
  "start.reserved": (event) => {
    if (event.start === "spawn") return spawnOf(event, inlineText(event.task));
    if (event.start !== "assignment") return undefined;
    return { kind: "assign", target: event.path, task: inlineText(event.task) };
  },
  "start.prepared": ({ reservation }) => ({ kind: "prepared", reservation }),
  "start.released": releaseOf,
  "turn.started": assignmentOf,
  "wake.cleared": (event, beginning) => {
    if (event.why === "started") {
      const started = next(beginning, "turn.started", ({ path }) => path === event.path);
      return started === undefined ? undefined : assignmentOf(started);
    }
    const turn = beginning.state.durable.agents.get(event.path)?.turn;
    if (event.why !== "delivered" || turn == null) return undefined;
    return { kind: "sample.begin", turn: turnOf({ ...event, turn: turn.turn }) };
  },
  "mail.queued": mailOf,
  "mail.delivered": (event) => ({ kind: "sample.begin", turn: turnOf(event) }),
  "notice.delivered": (event) => ({ kind: "sample.begin", turn: turnOf(event) }),
  "sample.began": (event) => ({ kind: "sample.begin", turn: turnOf(event) }),
  "sample.ended": ({ result, opaque, failed, usage, ...event }) => ({
    kind: "sample.end",
    attempt: attemptOf(event),
    ...(result === undefined ? {} : { result }),
    ...(opaque === undefined ? {} : { opaque }),
    ...(failed === undefined ? {} : { failed }),
    ...(usage === undefined ? {} : { usage }),
  }),
  "partial.recorded": (event) => ({ kind: "partial", turn: turnOf(event), text: event.text }),
  "transcript.recorded": (event, { state }) => ({
    kind: "record",
    turn: turnOf(event),
    entry: event.entry,
    ...finaliserOf(state, event.path),
  }),
  "wait.began": (event) => ({
    kind: "wait",
    turn: turnOf(event),
    timeout: event.timeoutMs,
    ...(event.for === undefined ? {} : { for: event.for }),
  }),
  "wait.ended": (event, beginning) =>
    event.cause === "clock:timeout"
      ? { kind: "wait.timeout", attempt: attemptOf(event) }
      : endOf(event, beginning),
  "blocker.added": (event) => ({ kind: "block", turn: turnOf(event), label: event.label }),
  "blocker.released": (event, beginning) => {
    if (event.cause !== "person:answer") return endOf(event, beginning);
    const { token, answer } = event;
    const said = answer === undefined ? {} : { answer };
    return { kind: "unblock", turn: turnOf(event), token, ...said };
  },
  "execution.yielded": (event) => ({ kind: "yield", turn: turnOf(event), command: event.command }),
  "execution.completed": (event, beginning) => ({
    kind: "execution.complete",
    turn: turnOf(event),
    execution: event.execution,
    text: next(beginning, "mail.queued")?.text ?? "",
    stopped: event.stopped === true,
  }),
  "handler.registered": (event) => ({
    kind: "takeResult",
    turn: turnOf(event),
    child: event.child.path,
  }),
  "mail.consumed": ({ record }, { state }) => handledOf(state, record),
  "mail.returned": ({ record, warning }, { state }) =>
    handledOf(state, record, warning.replace("its handler failed: ", "")),
  "settlement.began": endOf,
  "turn.extended": (event) => {
    const said = "at" in event.response ? ({ sample: true } as const) : event.response.text;
    return { kind: "turn.finish", turn: turnOf(event), end: { kind: "completed", response: said } };
  },
  "settlement.failed": (event) => ({
    kind: "settlement.fail",
    attempt: attemptOf(event),
    reason: event.reason,
  }),
  "settlement.resumed": (event) => ({ kind: "settlement.retry", turn: turnOf(event) }),
  "turn.settled": (event, { state }) => {
    const attempt = state.durable.agents.get(event.path)?.turn?.attempts ?? 0;
    return { kind: "settlement.end", attempt: { ...turnOf(event), attempt } };
  },
  "operation.planned": (event) => ({
    kind: "operation.plan",
    by: event.by ?? null,
    operation: event.operation,
    child: event.child,
    text: event.text,
    requireLive: event.requireLive === true,
    report: reportOf(event),
  }),
  "operation.attempted": ({ plan, recipient }, beginning) =>
    ofPlan(beginning, plan, recipient, (of) => ({ kind: "operation.attempt", ...of })),
  "operation.resulted": ({ plan, recipient, end, code, rule, reason }, beginning) =>
    ofPlan(beginning, plan, recipient, (of) => ({
      kind: "operation.result",
      ...of,
      end,
      ...(code === undefined ? {} : { code }),
      ...(rule === undefined ? {} : { rule }),
      ...(reason === undefined ? {} : { reason }),
    })),
};

function ofPlan(
  { plans }: Beginning,
  at: Point,
  recipient: Recipient,
  make: (of: OfPlan) => Command,
): Command | undefined {
  const plan = plans.get(formatPoint(at));
  return plan === undefined ? undefined : make({ plan, at, recipient });
}

function reportOf({ evidence: { host, unusable } }: OperationPlanned): ParentReport {
  if (unusable !== undefined) return { kind: "unusable", why: unusable };
  if (host === undefined) return SILENT;
  return host === null ? { kind: "none" } : { kind: "parent", parent: host };
}

function spawnOf(
  event: EventOf<"agent.spawned"> | EventOf<"start.reserved">,
  task: string,
): Command {
  const { path, behavior, role, by } = event;
  const parent = parentPath(path) ?? "/root";
  return {
    kind: "spawn",
    by: by ?? null,
    ...(by === undefined ? { parent } : {}),
    name: path.slice(parent.length + 1),
    behavior,
    role,
    task,
  };
}

function assignmentOf(event: EventOf<"turn.started">): Command | undefined {
  if (event.start !== "assignment") return undefined;
  return { kind: "assign", target: event.path, task: inlineText(event.task) };
}

/** A whole tree is stopped deepest first, and only its top is not muted (I6). */
function interruptOf(
  event: EventOf<"agent.interrupted">,
  beginning: Beginning,
): Command | undefined {
  const { by, reason } = event;
  if (event.muted === true) return treeOf(beginning);
  return { kind: "interrupt", by: by ?? null, target: event.path, reason };
}

function treeOf(beginning: Beginning): Command | undefined {
  const top = next(beginning, "agent.interrupted", ({ muted }) => muted !== true);
  if (top === undefined) return undefined;
  return { kind: "interruptTree", target: top.path, reason: top.reason };
}

function releaseOf(
  { cause, reservation, reason = "" }: EventOf<"start.released">,
  beginning: Beginning,
): Command | undefined {
  if (cause === "clock:prepare") return { kind: "prepared", reservation, late: true };
  if (cause === "work:prepare") return { kind: "prepared", reservation, failed: reason };
  return cause === "host:interrupt" ? treeOf(beginning) : undefined;
}

function mailOf(event: EventOf<"mail.queued">, beginning: Beginning): Command | undefined {
  const { mail, by, path, text = "", message, source } = event;
  if (message !== undefined && source !== undefined) {
    const recipient = event.copyOf === undefined ? "child" : "parent";
    return ofPlan(beginning, source, recipient, (of) => ({ kind: "operation.append", ...of }));
  }
  if (mail === "INPUT") return { kind: "prompt", text };
  if (mail !== "MAIL") return undefined;
  const tried = by === undefined ? {} : finaliserOf(beginning.state, by.path);
  return { kind: "send", by: by ?? null, target: path, text, ...tried };
}

function handledOf(state: State, record: Point, failed?: string): Command | undefined {
  const { handlers } = state.volatile;
  const one = handlers.find(
    (handler) => handler.record !== null && samePoint(handler.record, record),
  );
  if (one === undefined) return undefined;
  return {
    kind: "handler.end",
    turn: one.turn,
    record,
    ...(failed === undefined ? {} : { failed }),
  };
}

/** A behaviour that returned or threw, or a turn that passed its deadline (S1, X1). */
function endOf(first: TurnRef, beginning: Beginning): Command | undefined {
  const turn = turnOf(first);
  const began = next(beginning, "settlement.began", ({ path }) => path === turn.path);
  if (began === undefined) return undefined;
  if (began.cause === "clock:deadline") return { kind: "turn.timeout", turn };
  const { kind, reason = "", response, repaired } = began.outcome;
  if (kind === "errored") return { kind: "turn.finish", turn, end: { kind, reason } };
  if (kind !== "completed") return undefined;
  const text = inlineText(response);
  // What was ill-formed is not kept; any lone surrogate in its place is repaired the same way (S6).
  const said = repaired === true ? text.replace("\uFFFD", "\uD800") : text;
  const isSample = response !== undefined && "at" in response;
  return { kind: "turn.finish", turn, end: { kind, response: isSample ? { sample: true } : said } };
}
