/**
 * Texts by order point: the kernel keeps points, the shell loads what stands there at the moment it is needed.
 * Recent events are kept, up to a bound; older ones come from the log.
 */
import { Bug, LogCut } from "../errors.js";
import type { DovecoteEvent, EventOf, Json, OutcomeKind, TextSource } from "../events/events.js";
import { type Point, comparePoints, formatPoint } from "../events/point.js";
import type { Placed } from "../kernel/loop.js";
import { copyMarker } from "../kernel/messages.js";
import { preview } from "../kernel/preview.js";
import type { Unread } from "../kernel/state.js";
import type { SessionReader } from "../log/log.js";
import type { MailRecord, TurnOutcome } from "./api.js";

/** How much text of recent events is kept, in UTF-16 code units. */
const KEPT_UNITS = 2 * 1024 * 1024;

/** What is needed of a record to read it. */
type RecordRef = Pick<Unread, "at" | "textAt" | "mail" | "from" | "warning">;

interface Kept {
  readonly event: DovecoteEvent;
  readonly n: number;
  readonly weight: number;
}

/** See the module header. */
export class Texts {
  private readonly log: SessionReader;
  private readonly kept = new Map<string, Kept>();
  /** MAIL carries an opaque mark, as messages to jobs do (J5). */
  marksMail = false;
  private weight = 0;
  private committed = 0;

  constructor(log: SessionReader) {
    this.log = log;
    this.committed = log.head().position;
  }

  /** Keeps events that were just shown. Those that no commit carries yet are never let go. */
  remember(placed: readonly Placed[]): void {
    for (const { event, at } of placed) {
      const weight = weightOf(event);
      if (weight === 0) continue;
      this.kept.set(formatPoint(at), { event, n: at[0], weight });
      this.weight += weight;
    }
    if (this.weight > KEPT_UNITS) this.letGo();
  }

  /** The log's head is at `n`: everything up to it can be read from there. */
  confirm(n: number): void {
    this.committed = n;
  }

  /** The newest durable commit. */
  get position(): number {
    return this.committed;
  }

  /** The event at a point. @throws LogCut when retention has cut it (S6). */
  async event(at: Point): Promise<DovecoteEvent> {
    const event = await this.find(at);
    if (event !== undefined) return event;
    const anchor = this.log.anchor()?.position ?? 0;
    const { session } = this.log;
    if (at[0] <= anchor) throw new LogCut({ session, position: at[0], anchor });
    throw new Bug(`there is no event at ${formatPoint(at)}`);
  }

  /** The same; `undefined` when the log has none there, or has it no longer. */
  async find(at: Point): Promise<DovecoteEvent | undefined> {
    const kept = this.kept.get(formatPoint(at));
    return kept?.event ?? (await this.log.get(at[0]))?.events[at[1]];
  }

  /** The text that an event holds or points to, whole. */
  async text(at: Point): Promise<string> {
    const event = await this.event(at);
    switch (event.type) {
      case "mail.queued":
        return this.mailText(event);
      case "operation.planned":
        return event.text;
      case "settlement.began":
        return (await this.outcomeOf(event)).text;
      case "sample.ended":
        return event.failed ?? jsonText(event.result ?? "");
      case "turn.started":
      case "start.reserved":
        return event.task === undefined ? "" : this.source(event.task);
      case "turn.extended":
        return this.source(event.response);
      case "partial.recorded":
        return event.text;
      case "transcript.recorded":
        return jsonText(event.entry);
      case "agent.interrupted":
        return event.reason;
      case "notice.queued":
        return event.text;
      case "blocker.released":
        return event.answer ?? "";
      case "execution.yielded":
        return event.command;
      default:
        throw new Bug(`${event.type} at ${formatPoint(at)} holds no text`);
    }
  }

  private async mailText({ text, source, copyOf }: EventOf<"mail.queued">): Promise<string> {
    if (text !== undefined || source === undefined) return text ?? "";
    const whole = await this.text(source);
    return copyOf === undefined ? whole : copyMarker(copyOf) + whole;
  }

  /** The text of a source. */
  async source(source: TextSource): Promise<string> {
    return "text" in source ? source.text : this.text(source.at);
  }

  /** An unread or delivered record as its reader sees it (M2, S6). */
  async record(record: RecordRef): Promise<MailRecord> {
    const { mail: type, from, textAt } = record;
    const warning = record.warning === null ? {} : { warning: record.warning };
    const result = type === "RESULT" ? await this.resultAt(record.at) : undefined;
    const whole = result === undefined ? await this.text(textAt) : result.text;
    const long = (type === "RESULT" || type === "EXECUTION") && from !== "person";
    const text = long ? preview(whole, { path: from, at: textAt }) : whole;
    const mark = type === "MAIL" && this.marksMail ? { mark: record.at.map(base36).join("x") } : {};
    if (result === undefined) return { type, from, text, ...warning, ...mark };
    return { type, from, text, outcome: result.kind, ...warning };
  }

  private async resultAt(at: Point): Promise<TurnOutcome> {
    const event = await this.event(at);
    if (event.type !== "mail.queued") throw new Bug(`no RESULT at ${formatPoint(at)}`);
    return this.resultOf(event, at);
  }

  /** What a boundary gives: mail and the host's notices, oldest first (M5, W7). */
  async boundary(
    mail: readonly RecordRef[],
    notices: readonly Point[],
  ): Promise<readonly MailRecord[]> {
    const given: { readonly at: Point; readonly record: MailRecord }[] = [];
    for (const one of mail) given.push({ at: one.at, record: await this.record(one) });
    for (const at of notices) {
      given.push({ at, record: { type: "NOTICE", from: "host", text: await this.text(at) } });
    }
    return given.sort((a, b) => comparePoints(a.at, b.at)).map(({ record }) => record);
  }

  /** The whole of a RESULT that was queued (S7): its settlement's outcome, or why ending the turn failed (S3). */
  async resultOf(queued: EventOf<"mail.queued">, at: Point): Promise<TurnOutcome> {
    if (queued.source === undefined) throw new Bug(`no RESULT at ${formatPoint(at)}`);
    const outcome = await this.outcome(queued.source);
    return queued.failed === undefined ? outcome : failedOutcome(outcome, queued.failed);
  }

  /** How a turn ended, from its `settlement.began` and its `turn.settled` (S1, S3). */
  async settled(began: Point, settledAt: Point): Promise<TurnOutcome> {
    const outcome = await this.outcome(began);
    const event = await this.event(settledAt);
    if (event.type !== "turn.settled" || event.failed === undefined) return outcome;
    return failedOutcome(outcome, event.failed);
  }

  /** A settlement's outcome with its text whole (S1). */
  async outcome(began: Point): Promise<TurnOutcome> {
    const event = await this.event(began);
    if (event.type !== "settlement.began") throw new Bug(`no settlement at ${formatPoint(began)}`);
    return this.outcomeOf(event);
  }

  private async outcomeOf(event: EventOf<"settlement.began">): Promise<TurnOutcome> {
    const { path, turn, outcome } = event;
    const { kind, reason } = outcome;
    const said = await Promise.all((outcome.partial ?? []).map((at) => this.text(at)));
    const response = outcome.response === undefined ? "" : await this.source(outcome.response);
    const text = kind === "completed" ? response : cutShort(kind, reason ?? "", said.join(""));
    return {
      kind,
      path,
      turn,
      text,
      ...(reason === undefined ? {} : { reason }),
      ...(outcome.repaired === undefined ? {} : { repaired: true }),
    };
  }

  private letGo(): void {
    for (const [key, { n, weight }] of this.kept) {
      if (this.weight <= KEPT_UNITS / 2) return;
      if (n > this.committed) continue;
      this.kept.delete(key);
      this.weight -= weight;
    }
  }
}

const base36 = (n: number): string => n.toString(36);

function jsonText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A turn whose end failed for good counts as errored; its response can still be read (S3). */
function failedOutcome(outcome: TurnOutcome, reason: string): TurnOutcome {
  const text = `The turn could not be ended: ${reason}.\n\nIts response was:\n${outcome.text}`;
  return { ...outcome, kind: "errored", reason, text };
}

/** What a turn that did not complete says to its parent (S1). */
function cutShort(kind: OutcomeKind, reason: string, said: string): string {
  if (kind === "errored") return `The turn failed: ${reason}`;
  const partial = said === "" ? "" : `\n\nWhat it had said:\n${said}`;
  return `The turn was interrupted: ${reason}. Its effects may be partial.${partial}`;
}

/** How much text an event holds, in UTF-16 code units, roughly; 0 where none of it is kept. */
export function weightOf(event: DovecoteEvent): number {
  switch (event.type) {
    case "mail.queued":
      return 64 + (event.text?.length ?? 0);
    case "partial.recorded":
    case "operation.planned":
      return 64 + event.text.length;
    case "sample.ended":
      return 64 + (typeof event.result === "string" ? event.result.length : 256);
    case "turn.extended":
      return 64 + textLength(event.response);
    case "settlement.began":
      return 64 + textLength(event.outcome.response);
    case "turn.started":
    case "start.reserved":
      return 64 + textLength(event.task);
    // These can be read before any commit carries them.
    case "notice.queued":
      return 64 + event.text.length;
    case "blocker.released":
      return 64 + (event.answer?.length ?? 0);
    case "transcript.recorded":
    case "execution.yielded":
      return 256;
    default:
      return 0;
  }
}

function textLength(source: TextSource | undefined): number {
  return source !== undefined && "text" in source ? source.text.length : 0;
}
