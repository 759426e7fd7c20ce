/**
 * Given, when, then over the rules themselves: a session is brought somewhere by commands, one more command is decided,
 * and its events, its answer or its refusal are compared. Belongs to no test framework: it throws `AssertionError`.
 * Knows nothing of promises, logs or behaviours; each accepted command is one commit.
 */
import assert, { AssertionError } from "node:assert";
import type { Rejection, RejectionCode } from "../errors.js";
import type { DovecoteEvent, MailType, OutcomeKind, Role, Sender } from "../events/events.js";
import { type Point, formatPoint } from "../events/point.js";
import type { Command } from "../kernel/command.js";
import { type Decision, decide } from "../kernel/decide.js";
import type { Effect } from "../kernel/effects.js";
import { copyMarker } from "../kernel/messages.js";
import type { Phase } from "../kernel/phases.js";
import { type Agent, type Host, type State, emptyState, plainHost } from "../kernel/state.js";
import { fold } from "../kernel/stage.js";
import type { AgentPath } from "../paths.js";
import { BEHAVIOR, commands } from "./commands.js";

/** What a scenario's session is opened with. */
export interface ScenarioHost {
  /** 10 unless given (W6). */
  readonly capacity?: number;
  /** The behaviours that can be started; `agent` unless given. */
  readonly behaviors?: readonly string[];
  /** Whether starts are prepared by a hook (T2); not, unless given. */
  readonly prepares?: boolean;
  /** Anything else of the host: finalisers, limits, deadlines (S3, X1, X2). */
  readonly host?: Partial<Host>;
}

/** Some of a value: objects may lack fields, lists must be whole; `undefined` says that a field is absent. */
export type Part<T> = T extends readonly (infer Item)[]
  ? readonly Part<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: Part<T[K]> | undefined }
    : T;

/** Some of an event: its type, and whatever else matters. */
export type EventPart = DovecoteEvent extends infer E
  ? E extends DovecoteEvent
    ? { readonly type: E["type"] } & Part<Omit<E, "type">>
    : never
  : never;

/** Some of an effect: its kind, and whatever else matters. */
export type EffectPart = Effect extends infer E
  ? E extends Effect
    ? { readonly kind: E["kind"] } & Part<Omit<E, "kind">>
    : never
  : never;

/** An unread record, with its text: a RESULT's is the response or the reason. */
export interface UnreadView {
  readonly mail: MailType;
  readonly from: Sender;
  readonly text: string;
}

/** An agent as a test sees it. */
export interface AgentView {
  readonly path: AgentPath;
  readonly gen: number;
  readonly role: Role;
  readonly phase: Phase;
  readonly preparing: boolean;
  readonly marked: boolean;
  /** The number of its live turn, or `null`. */
  readonly turn: number | null;
  readonly unread: readonly UnreadView[];
  readonly last: OutcomeKind | null;
}

/**
 * A session that those commands made: `session.created` and the root, then each command in turn.
 *
 * @throws AssertionError when one of them is refused.
 *
 * @example
 * given({ capacity: 1 }, commands.spawn("a"), commands.finish(turnOf("/root/a")))
 *   .when(commands.send("/root/a", "wake up"))
 *   .emits({ type: "mail.queued", path: "/root/a" }, { type: "wake.marked" }, { type: "wake.cleared" },
 *     { type: "turn.started", start: "wake" })
 */
export function given(host: ScenarioHost, ...givens: readonly Command[]): Scenario {
  const empty = emptyState(hostOf(host, plainHost([BEHAVIOR])));
  const made = new Scenario(empty, [], null).and({
    kind: "create",
    id: "scenario",
    capacity: host.capacity ?? 10,
    behavior: BEHAVIOR,
  });
  return made.and(...givens);
}

interface Decided {
  readonly command: Command;
  readonly decision: Decision;
}

/** A session at some moment, and what its newest command did. A value: going on from it twice is fine. */
export class Scenario {
  /** Everything the rules look at. */
  readonly kernel: State;
  /** The events of each commit so far. */
  readonly commits: readonly (readonly DovecoteEvent[])[];
  private readonly decided: Decided | null;

  /** Use {@link given}. */
  constructor(
    kernel: State,
    commits: readonly (readonly DovecoteEvent[])[],
    decided: Decided | null,
  ) {
    this.kernel = kernel;
    this.commits = commits;
    this.decided = decided;
  }

  /** Decides one command. What it did is compared by the calls that follow. */
  when(command: Command): Scenario {
    const decision = decide(this.kernel, command);
    if (decision.events.length === 0) {
      return new Scenario(this.kernel, this.commits, { command, decision });
    }
    const next: Point = [this.kernel.next[0] + 1, 0];
    const commits = [...this.commits, decision.events];
    return new Scenario({ ...decision.state, next }, commits, { command, decision });
  }

  /**
   * Decides further commands, all of which must be accepted.
   *
   * @throws AssertionError when one is refused.
   */
  and(...more: readonly Command[]): Scenario {
    return more.reduce<Scenario>((scenario, command) => {
      const next = scenario.when(command);
      const refusal = next.refusal;
      if (refusal !== null) fail(`given ${command.kind}`, `was refused: ${describe(refusal)}`);
      return next;
    }, this);
  }

  /**
   * The process dies and another opens the session (R1, R2): the fold of the commits, then `open`.
   * What `host` leaves out stays as it was.
   */
  reopened(host: ScenarioHost = {}): Scenario {
    const before = this.kernel.host;
    const folded = foldAll(emptyState(hostOf(host, before)), this.commits);
    return new Scenario(folded, this.commits, null).when(commands.open(host.capacity ?? null));
  }

  /**
   * The newest command gave exactly these events, in this order; each names only what matters of it.
   *
   * @throws AssertionError with the difference.
   */
  emits(...events: readonly EventPart[]): this {
    return this.compare("emits", this.happened("emits").events, events);
  }

  /**
   * Among the events of the newest command are these, in this order.
   *
   * @throws AssertionError that lists what happened instead.
   */
  includes(...events: readonly EventPart[]): this {
    const { events: actual } = this.happened("includes");
    let at = 0;
    for (const part of events) {
      const found = actual.findIndex((event, index) => index >= at && matches(event, part));
      if (found === -1) {
        const list = actual.map((event) => `\n  ${JSON.stringify(event)}`).join("");
        fail(
          this.subject("includes"),
          `has no ${JSON.stringify(part)} at its place. It emitted:${list}`,
        );
      }
      at = found + 1;
    }
    return this;
  }

  /** No event of the newest command has one of these types. */
  excludes(...types: readonly DovecoteEvent["type"][]): this {
    const actual = this.happened("excludes").events.map((event) => event.type);
    const wrong = actual.filter((type) => types.includes(type));
    if (wrong.length > 0) fail(this.subject("excludes"), `emitted ${wrong.join(", ")}`);
    return this;
  }

  /** The newest command asked the shell for exactly these effects. */
  asks(...effects: readonly EffectPart[]): this {
    return this.compare("asks", this.happened("asks").effects, effects);
  }

  /** The newest command was accepted with this answer; only what is named of it is compared. */
  answers(answer: unknown): this {
    const { outcome } = this.happened("answers");
    return this.compare("answers", outcome.ok ? outcome.answer : null, answer);
  }

  /**
   * The newest command was refused by that rule, with that code, and wrote nothing (A2, X4).
   *
   * @throws AssertionError when it was accepted, or refused otherwise.
   */
  rejected(rule: string, code: RejectionCode): this {
    const refusal = this.refusal;
    if (refusal === null) fail(this.subject("rejected"), `was accepted, not refused with ${code}`);
    const { rule: foundRule, code: foundCode } = refusal;
    this.compare("rejected", { rule: foundRule, code: foundCode }, { rule, code });
    return this.compare("rejected", this.decided?.decision.events, []);
  }

  /** Why the newest command was refused; `null` when it was not. */
  get refusal(): Rejection | null {
    const outcome = this.decided?.decision.outcome;
    return outcome === undefined || outcome.ok ? null : outcome.rejection;
  }

  /**
   * An agent as it stands now.
   *
   * @throws AssertionError when there is none at that path.
   */
  state(path: AgentPath): AgentView {
    const agent = this.kernel.durable.agents.get(path);
    if (agent === undefined) fail(`state of ${path}`, "no such agent");
    return {
      path: agent.path,
      gen: agent.gen,
      role: agent.role,
      phase: agent.phase,
      preparing: this.kernel.volatile.reservations.some((one) => one.path === path),
      marked: this.kernel.volatile.marks.has(path),
      turn: agent.turn?.turn ?? null,
      unread: this.unreadOf(agent),
      last: agent.last?.outcome ?? null,
    };
  }

  /** An agent, compared: only what is named of it. */
  agent(path: AgentPath, view: Part<AgentView>): this {
    return this.compare(`agent ${path}`, this.state(path), view);
  }

  private unreadOf(agent: Agent): readonly UnreadView[] {
    return agent.unread.toArray().map(({ mail, from, textAt }) => ({
      mail,
      from,
      text: textOf(this.commits, textAt),
    }));
  }

  private happened(check: string): Decision {
    const { decided, refusal } = this;
    if (decided === null) fail(check, "no command has been decided yet");
    if (refusal !== null) fail(this.subject(check), `was refused: ${describe(refusal)}`);
    return decided.decision;
  }

  private subject(check: string): string {
    return `${check} of ${this.decided?.command.kind ?? "nothing"}`;
  }

  private compare(check: string, actual: unknown, expected: unknown): this {
    try {
      assert.deepStrictEqual(pick(actual, expected), expected);
    } catch (error) {
      if (!(error instanceof AssertionError)) throw error;
      const { actual: found, expected: wanted, operator } = error;
      const message = `${this.subject(check)}: ${error.message}`;
      throw new AssertionError({ message, actual: found, expected: wanted, operator });
    }
    return this;
  }
}

/** Folds commits onto a state, as a reopen does (R1). */
export function foldAll(state: State, commits: readonly (readonly DovecoteEvent[])[]): State {
  let folded = state;
  for (const events of commits) {
    for (const event of events) folded = fold(folded, event);
    folded = { ...folded, next: [folded.next[0] + 1, 0] };
  }
  return folded;
}

function textOf(commits: readonly (readonly DovecoteEvent[])[], at: Point): string {
  const event = commits[at[0] - 1]?.[at[1]];
  if (event?.type === "mail.queued") {
    const { text, source, copyOf } = event;
    if (text !== undefined || source === undefined) return text ?? "";
    return (copyOf === undefined ? "" : copyMarker(copyOf)) + textOf(commits, source);
  }
  if (event?.type === "operation.planned") return event.text;
  if (event?.type === "sample.ended") {
    return typeof event.result === "string" ? event.result : JSON.stringify(event.result ?? null);
  }
  if (event?.type !== "settlement.began") fail(`text at ${formatPoint(at)}`, `is a ${event?.type}`);
  const { response, reason } = event.outcome;
  if (response === undefined) return reason ?? "";
  return "at" in response ? textOf(commits, response.at) : response.text;
}

/** The part of a value that an expectation names, so that the difference shows nothing else. */
function pick(actual: unknown, expected: unknown): unknown {
  if (typeof actual !== "object" || actual === null) return actual;
  if (typeof expected !== "object" || expected === null) return actual;
  if (Array.isArray(actual)) {
    if (!Array.isArray(expected)) return actual;
    return actual.map((item, index) =>
      index < expected.length ? pick(item, expected[index]) : (item as unknown),
    );
  }
  const picked: Record<string, unknown> = {};
  for (const key of Object.keys(expected)) {
    // A field that is expected to be absent may be absent.
    const wanted = (expected as Record<string, unknown>)[key];
    picked[key] = pick((actual as Record<string, unknown>)[key], wanted);
  }
  return picked;
}

function matches(actual: unknown, expected: unknown): boolean {
  try {
    assert.deepStrictEqual(pick(actual, expected), expected);
    return true;
  } catch {
    return false;
  }
}

function describe(refusal: Rejection): string {
  return `${refusal.rule} ${refusal.code}: ${refusal.message}`;
}

function fail(subject: string, what: string): never {
  throw new AssertionError({ message: `${subject}: ${what}` });
}

/** What a test brings, and defaults for the rest. */
function hostOf({ behaviors, prepares, host }: ScenarioHost, before: Host): Host {
  return {
    ...before,
    ...(behaviors === undefined ? {} : { behaviors: new Set(behaviors) }),
    ...(prepares === undefined ? {} : { prepares }),
    ...host,
  };
}
