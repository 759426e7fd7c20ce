/**
 * Where an operation's steps stand in the session's log: looked up by its id before anything is decided, and held nowhere
 * (O5). What retention has cut is told apart from what was never there.
 */
import { Bug } from "../../errors.js";
import type { DovecoteEvent } from "../../events/events.js";
import type { OperationPlanned, OperationResulted, Recipient } from "../../events/operations.js";
import type { Point } from "../../events/point.js";
import type { OfPlan } from "../../kernel/command.js";
import { readPlace, stepKey } from "../../kernel/keys.js";
import type { SessionReader } from "../../log/log.js";
import type { Texts } from "../texts.js";

/** A plan, with where it stands. */
export type Planned = Omit<OfPlan, "recipient">;

/** What the log has of an operation's plan. */
export type KeptPlan =
  | ({ readonly kind: "found" } & Planned)
  | { readonly kind: "missing" }
  | { readonly kind: "pruned" };

/** What the log has under a key. */
export type Kept =
  | { readonly kind: "found"; readonly event: DovecoteEvent; readonly at: Point }
  | { readonly kind: "missing" }
  | { readonly kind: "pruned" };

/** See the module header. */
export class PlanBook {
  private readonly log: SessionReader;
  private readonly texts: Texts;

  constructor(log: SessionReader, texts: Texts) {
    this.log = log;
    this.texts = texts;
  }

  /** What a key stands for. */
  async find(key: string): Promise<Kept> {
    const value = await this.log.lookup(key);
    if (value === undefined) return { kind: "missing" };
    const at = readPlace(value);
    if (at === undefined) throw new Bug(`the key ${JSON.stringify(key)} stands for no event`);
    const event = await this.texts.find(at);
    return event === undefined ? { kind: "pruned" } : { kind: "found", event, at };
  }

  /** The plan of an operation. */
  async planOf(operation: string): Promise<KeptPlan> {
    const found = await this.find(stepKey("planned", operation));
    if (found.kind !== "found") return found;
    return { kind: "found", plan: asPlan(found.event), at: found.at };
  }

  /** The plan that stands at a point. */
  async planAt(at: Point): Promise<Planned> {
    return { plan: asPlan(await this.texts.event(at)), at };
  }

  /** How far an operation has come with one recipient: not begun, begun, or ended for good. */
  async progress({ operation }: OperationPlanned, recipient: Recipient): Promise<Progress> {
    const ended = await this.find(stepKey(`${recipient}.resulted`, operation));
    if (ended.kind === "pruned") return { kind: "ended", result: null };
    if (ended.kind === "found") return { kind: "ended", result: asResult(ended.event) };
    const began = await this.find(stepKey(`${recipient}.attempted`, operation));
    return { kind: began.kind === "missing" ? "fresh" : "began" };
  }
}

/** See {@link PlanBook.progress}. */
export type Progress =
  | { readonly kind: "fresh" }
  | { readonly kind: "began" }
  /** `null`: what the result was has been cut. */
  | { readonly kind: "ended"; readonly result: OperationResulted | null };

function asResult(event: DovecoteEvent): OperationResulted {
  if (event.type !== "operation.resulted") throw new Bug(`${event.type} is no result`);
  return event;
}

function asPlan(event: DovecoteEvent): OperationPlanned {
  if (event.type !== "operation.planned") throw new Bug(`${event.type} is no plan`);
  return event;
}
