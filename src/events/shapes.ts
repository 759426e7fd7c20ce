/**
 * What each event looks like when it is read back: a table of its fields, checked by the compiler against the types
 * in events.ts. Fields that the table does not name are let through (L4). Checks form, never meaning.
 */
import type { EventOf, EventType } from "./events.js";
import type { StoredEvent } from "./upcasters.js";

type Check = (value: unknown) => boolean;
interface Optional {
  readonly optional: Check;
}

/** Every field of an event, each with its check, in the form its type asks for. */
type Shape<E> = {
  readonly [K in Exclude<keyof E, "type">]-?: object extends Pick<E, K> ? Optional : Check;
};

const optional = (check: Check): Optional => ({ optional: check });

const string: Check = (value) => typeof value === "string";
const count: Check = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;
const yes: Check = (value) => value === true;
const flag: Check = (value) => typeof value === "boolean";
const usage: Check = (value) =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((amount) => typeof amount === "number");
const json: Check = (value) => value !== undefined;
// The grammar of paths.ts as one expression, for this is asked of every event that is read; a test holds them equal.
const PATH = /^\/root(?:\/[a-z0-9_]{1,64}){0,15}$/;
const path: Check = (value) => typeof value === "string" && PATH.test(value);
const sender: Check = (value) => value === "person" || path(value);

function oneOf(...names: readonly string[]): Check {
  const known = new Set<unknown>(names);
  return (value) => known.has(value);
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function fields(shape: Readonly<Record<string, Check | Optional>>): Check {
  const table = compile(shape);
  return (value) =>
    typeof value === "object" &&
    value !== null &&
    faultIn(table, value as StoredEvent) === undefined;
}

const point: Check = (value) =>
  Array.isArray(value) && value.length === 2 && count(value[0]) && count(value[1]);
const CAUSE = /^(?:host|person|clock|work):/;
const cause: Check = (value) => (typeof value === "string" ? CAUSE.test(value) : point(value));

const agent = { path, gen: count };
const turn = { ...agent, turn: count };
const attempt = { ...turn, attempt: count };
const agentRef = fields(agent);
const turnRef = fields(turn);
const inlineText = fields({ text: string });
const textElsewhere = fields({ at: point });
const textSource: Check = (value) => inlineText(value) || textElsewhere(value);

const mail = oneOf("MAIL", "RESULT", "EXECUTION", "INPUT");
const outcomeKind = oneOf("completed", "errored", "interrupted");
const role = oneOf("delegator", "communicator");
const start = oneOf("spawn", "wake", "assignment", "prompt");
const outcome = fields({
  kind: outcomeKind,
  response: optional(textSource),
  reason: optional(string),
  partial: optional(listOf(point)),
  repaired: optional(yes),
});

const recipient = oneOf("child", "parent");
const claim: Check = (value) => value === null || agentRef(value);
const evidence = fields({
  answer: oneOf("verified", "absent", "uncertain", "conflict"),
  session: optional(claim),
  host: optional(claim),
  unusable: optional(string),
});

const forkedFrom = fields({ session: string, at: point, hash: string, changes: listOf(string) });

const SHAPES: { readonly [T in EventType]: Shape<EventOf<T>> } = {
  "session.created": {
    cause,
    id: string,
    capacity: count,
    preset: optional(oneOf("jobs", "peer")),
    parent: optional(forkedFrom),
  },
  "session.opened": { cause, run: count },
  "session.recovered": { cause, turns: count, unread: count },
  "session.closing": { cause, run: count },
  "session.closed": { cause, run: count },
  "capacity.changed": { cause, from: count, to: count },
  "agent.spawned": {
    cause,
    ...agent,
    behavior: string,
    role,
    by: optional(turnRef),
    job: optional(count),
  },
  "agent.interrupted": {
    cause,
    ...agent,
    found: oneOf("idle", "preparing", "active", "settling"),
    reason: string,
    turn: optional(count),
    by: optional(turnRef),
    muted: optional(yes),
  },
  "agent.ending": { cause, ...agent },
  "agent.retired": { cause, ...agent, members: listOf(agentRef) },
  "plan.switched": { cause, on: flag },
  "start.reserved": {
    cause,
    ...agent,
    start,
    reservation: count,
    behavior: string,
    role,
    task: optional(textSource),
    from: optional(sender),
    by: optional(turnRef),
    stamped: optional(yes),
    mark: optional(point),
  },
  "start.claimed": { cause, ...agent, reservation: count, input: point },
  "start.prepared": { cause, ...agent, reservation: count },
  "start.released": {
    cause,
    ...agent,
    reservation: count,
    why: oneOf("failed", "timeout", "interrupted", "spawner settled", "held", "ended", "closed"),
    reason: optional(string),
  },
  "turn.started": {
    cause,
    ...turn,
    start,
    reservation: optional(count),
    task: optional(textSource),
    from: optional(sender),
    stamped: optional(yes),
  },
  "turn.extended": { cause, ...turn, response: textSource },
  "turn.settled": { cause, ...turn, outcome: outcomeKind, failed: optional(string) },
  "sample.began": { cause, ...attempt },
  "sample.ended": {
    cause,
    ...attempt,
    result: optional(json),
    opaque: optional(yes),
    failed: optional(string),
    usage: optional(usage),
  },
  "partial.recorded": { cause, ...attempt, text: string },
  "transcript.recorded": { cause, ...turn, entry: json },
  "mail.queued": {
    cause,
    ...agent,
    mail,
    from: sender,
    text: optional(string),
    source: optional(point),
    outcome: optional(outcomeKind),
    execution: optional(count),
    by: optional(turnRef),
    stamped: optional(yes),
    withheld: optional(yes),
    failed: optional(string),
    message: optional(string),
    copyOf: optional(agentRef),
  },
  "mail.delivered": { cause, ...attempt, records: listOf(point) },
  "mail.moved": { cause, ...agent, record: point, from: agentRef },
  "mail.consumed": { cause, ...agent, record: point },
  "mail.returned": { cause, ...agent, record: point, warning: string },
  "handler.registered": { cause, ...turn, child: agentRef },
  "notice.queued": { cause, ...agent, text: string },
  "notice.delivered": { cause, ...attempt, notices: listOf(point) },
  "hold.taken": { cause, name: string },
  "hold.released": { cause, name: string },
  "wake.limited": { cause, ...agent, limit: count },
  "blocker.added": { cause, ...turn, token: count, label: string },
  "blocker.released": { cause, ...turn, token: count, left: count, answer: optional(string) },
  "wake.marked": { cause, ...agent, record: point },
  "wake.cleared": {
    cause,
    ...agent,
    why: oneOf("delivered", "started", "errored", "interrupted", "ended"),
  },
  "wait.began": { cause, ...attempt, timeoutMs: count, for: optional(oneOf("jobs")) },
  "wait.ended": {
    cause,
    ...attempt,
    why: oneOf("mail", "input", "timeout", "interrupted", "settled"),
    unread: listOf(fields({ mail, from: sender, count })),
  },
  "execution.yielded": { cause, ...turn, execution: count, command: string },
  "execution.completed": { cause, ...turn, execution: count, stopped: optional(yes) },
  "settlement.began": { cause, ...turn, outcome },
  "settlement.attempted": { cause, ...attempt },
  "settlement.resumed": { cause, ...turn },
  "settlement.failed": { cause, ...attempt, reason: string },
  "operation.planned": {
    cause,
    operation: string,
    from: sender,
    by: optional(turnRef),
    text: string,
    child: agentRef,
    parent: optional(agentRef),
    evidence,
    messages: fields({ child: string, parent: string }),
    requireLive: optional(yes),
    stamped: optional(yes),
  },
  "operation.attempted": { cause, operation: string, plan: point, recipient },
  "operation.resulted": {
    cause,
    operation: string,
    plan: point,
    recipient,
    end: oneOf("published", "replayed", "refused", "skipped", "unknown"),
    to: optional(agentRef),
    by: optional(turnRef),
    code: optional(string),
    rule: optional(string),
    reason: optional(string),
  },
};

interface Field {
  readonly name: string;
  readonly check: Check;
  readonly required: boolean;
}

function compile(shape: Readonly<Record<string, Check | Optional>>): readonly Field[] {
  return Object.entries(shape).map(([name, rule]) =>
    typeof rule === "function"
      ? { name, check: rule, required: true }
      : { name, check: rule.optional, required: false },
  );
}

function faultIn(table: readonly Field[], value: StoredEvent): string | undefined {
  for (const rule of table) {
    const field = value[rule.name];
    if (field === undefined ? rule.required : !rule.check(field)) return rule.name;
  }
  return undefined;
}

const TABLES = new Map<string, readonly Field[]>(
  Object.entries(SHAPES).map(([type, shape]) => [type, compile(shape)]),
);

/**
 * The first field of an event that is missing or malformed; `undefined` when its form is right, `"type"` when its type
 * is unknown to this version (L3, L4).
 */
export function shapeFault(type: string, event: StoredEvent): string | undefined {
  const table = TABLES.get(type);
  return table === undefined ? "type" : faultIn(table, event);
}
