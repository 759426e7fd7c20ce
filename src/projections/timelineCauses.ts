/**
 * Where causes lead: for each event of a log, who did it and through which record, found again by its order point.
 * It keeps no texts.
 */
import type { Cause, DovecoteEvent, EventOf, MailType, Sender, TurnRef } from "../events/events.js";
import { type Point, formatPoint } from "../events/point.js";
import type { Placed } from "../kernel/loop.js";

/** What made something happen: by whom, in which of its turns, and through which record, where there is one. */
export interface TimelineCause {
  readonly by: Sender | "host" | "clock" | "work";
  readonly turn: TurnRef | null;
  readonly mail: MailType | null;
  readonly record: Point | null;
}

/** See the module header. */
export class CauseIndex {
  private readonly causes = new Map<string, TimelineCause>();
  private readonly waits = new Map<string, Point>();

  /** Takes the next event of the log. */
  add({ event, at }: Placed): void {
    this.causes.set(formatPoint(at), this.causeIn(event, at));
    if (event.type === "wait.began") this.waits.set(waitKey(event), at);
  }

  /** What a cause means to people: whoever acted there, not merely the event before. */
  explain(cause: Cause): TimelineCause {
    if (typeof cause === "string") return outside(cause);
    return this.causes.get(formatPoint(cause)) ?? outside("host:unknown");
  }

  /** Where the wait began that ends with this event. */
  waitOf(event: EventOf<"wait.ended">): Point | undefined {
    return this.waits.get(waitKey(event));
  }

  private causeIn(event: DovecoteEvent, at: Point): TimelineCause {
    switch (event.type) {
      case "mail.queued":
        return through(event.mail, event.from, event.by ?? null, at);
      case "turn.started":
      case "sample.began":
      case "sample.ended":
      case "wait.began":
      case "wait.ended":
      case "partial.recorded":
      case "mail.delivered":
      case "settlement.attempted":
      case "transcript.recorded":
      case "execution.yielded":
      case "execution.completed":
        return ofTurn(event);
      // An end that nobody asked for is its turn's own; an interrupt's, its asker's.
      case "settlement.began":
        return this.explain(event.cause);
      case "agent.interrupted":
        return event.by === undefined ? this.explain(event.cause) : ofTurn(event.by);
      default:
        return this.explain(event.cause);
    }
  }
}

function waitKey(ref: TurnRef & { readonly attempt: number }): string {
  return `${ref.path}#${ref.gen}.${ref.turn}.${ref.attempt}`;
}

function through(mail: MailType, from: Sender, turn: TurnRef | null, record: Point): TimelineCause {
  return { by: from, turn, mail, record };
}

function ofTurn({ path, gen, turn }: TurnRef): TimelineCause {
  return { by: path, turn: { path, gen, turn }, mail: null, record: null };
}

function outside(cause: string): TimelineCause {
  const source = cause.slice(0, cause.indexOf(":"));
  const by =
    source === "person" || source === "clock" || source === "work" ? source : ("host" as const);
  return { by, turn: null, mail: null, record: null };
}
