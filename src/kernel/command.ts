/**
 * What can be put to the kernel: requests of behaviours and hosts, and completions of what the shell was asked to do.
 * Callers are known from their live turn (A6): `by: null` is the host.
 */
import type {
  AgentRef,
  AttemptRef,
  InterruptFound,
  Json,
  Role,
  Sender,
  TurnRef,
  Usage,
} from "../events/events.js";
import type { OperationPlanned, OperationResulted, Recipient } from "../events/operations.js";
import type { Point } from "../events/point.js";
import type { AgentPath } from "../paths.js";
import type { ParentReport } from "./parents.js";
import type { PresetName } from "./presets.js";
import type { Unread } from "./state.js";

/** One recipient of a plan, which the shell has read from where it stands: the kernel keeps none. */
export interface OfPlan {
  readonly plan: OperationPlanned;
  readonly at: Point;
  readonly recipient: Recipient;
}

/** What became of one recipient (O5). */
export type RecipientResult = Pick<OperationResulted, "end" | "code" | "rule" | "reason">;

/** How a behaviour's turn came to its end. `sample` says that the response equals the newest sample's result (M6). */
export type TurnEnd =
  | { readonly kind: "completed"; readonly response: string | { readonly sample: true } }
  | { readonly kind: "errored"; readonly reason: string };

/** Everything that can be decided. */
export type Command =
  | {
      readonly kind: "create";
      readonly id: string;
      readonly capacity: number;
      readonly behavior: string;
      /** `tree` unless given (section 12). */
      readonly preset?: PresetName;
    }
  | { readonly kind: "open"; readonly capacity: number | null }
  | { readonly kind: "close" }
  | { readonly kind: "flush" }
  | { readonly kind: "setPlan"; readonly on: boolean }
  | { readonly kind: "hold"; readonly name: string }
  | { readonly kind: "unhold"; readonly name: string }
  | { readonly kind: "notify"; readonly text: string }
  | { readonly kind: "end"; readonly target: string }
  | { readonly kind: "interruptTree"; readonly target: string; readonly reason?: string }
  | { readonly kind: "setCapacity"; readonly capacity: number }
  | {
      readonly kind: "spawn";
      readonly by: TurnRef | null;
      /** Whose child; the caller where absent, `/root` for the host. */
      readonly parent?: string;
      readonly name: string;
      readonly behavior: string;
      readonly role?: Role;
      readonly task: string;
    }
  | {
      readonly kind: "send";
      readonly by: TurnRef | null;
      readonly target: string;
      readonly text: string;
      /** The turn settles, and a finaliser of this try sends (T1). */
      readonly finaliser?: number;
      /** Written in the mail's commit, with the answer: a repeated request is found by it (M3). */
      readonly key?: string;
    }
  | { readonly kind: "prompt"; readonly text: string; readonly key?: string }
  | { readonly kind: "assign"; readonly target: string; readonly task: string }
  | {
      readonly kind: "interrupt";
      readonly by: TurnRef | null;
      readonly target: string;
      /** It is a job that is to be stopped, by its id or path (J2). */
      readonly job?: true;
      readonly reason?: string;
    }
  | { readonly kind: "sample.begin"; readonly turn: TurnRef }
  | {
      readonly kind: "sample.end";
      readonly attempt: AttemptRef;
      readonly result?: Json;
      readonly opaque?: true;
      readonly failed?: string;
      readonly usage?: Usage;
    }
  | { readonly kind: "partial"; readonly turn: TurnRef; readonly text: string }
  | {
      readonly kind: "record";
      readonly turn: TurnRef;
      readonly entry: Json;
      readonly finaliser?: number;
    }
  | { readonly kind: "block"; readonly turn: TurnRef; readonly label: string }
  | {
      readonly kind: "unblock";
      readonly turn: TurnRef;
      readonly token: number;
      readonly answer?: string;
    }
  | { readonly kind: "takeResult"; readonly turn: TurnRef; readonly child: string }
  | {
      readonly kind: "handler.end";
      readonly turn: TurnRef;
      readonly record: Point;
      readonly failed?: string;
    }
  | {
      readonly kind: "wait";
      readonly turn: TurnRef;
      readonly timeout: unknown;
      readonly for?: "jobs";
    }
  | { readonly kind: "wait.timeout"; readonly attempt: AttemptRef }
  | { readonly kind: "yield"; readonly turn: TurnRef; readonly command: string }
  | {
      readonly kind: "execution.complete";
      readonly turn: TurnRef;
      readonly execution: number;
      readonly text: string;
      readonly stopped: boolean;
    }
  | { readonly kind: "turn.timeout"; readonly turn: TurnRef }
  | { readonly kind: "settlement.fail"; readonly attempt: AttemptRef; readonly reason: string }
  | { readonly kind: "settlement.retry"; readonly turn: TurnRef }
  | { readonly kind: "turn.finish"; readonly turn: TurnRef; readonly end: TurnEnd }
  | { readonly kind: "settlement.end"; readonly attempt: AttemptRef }
  /** Fixes everything about a message before any of it is sent (O1); `report` is what the host says of the parent. */
  | {
      readonly kind: "operation.plan";
      readonly by: TurnRef | null;
      readonly operation: string;
      readonly child: AgentRef;
      readonly text: string;
      readonly requireLive: boolean;
      readonly report: ParentReport;
    }
  /** Begins to send to one recipient, or says why not, for good (O3, O5). */
  | ({ readonly kind: "operation.attempt" } & OfPlan)
  /** Puts the message into the session's own log: the inbox of those for whom the host keeps none (O6). */
  | ({ readonly kind: "operation.append" } & OfPlan)
  /** One recipient is done with (O5). */
  | ({ readonly kind: "operation.result" } & OfPlan & RecipientResult)
  | {
      readonly kind: "prepared";
      readonly reservation: number;
      readonly failed?: string;
      readonly late?: true;
    };

/** A command of one kind. */
export type CommandOf<Kind extends Command["kind"]> = Extract<Command, { readonly kind: Kind }>;

/** A start that could not be committed at once: its reservation tells what became of it (T3, T7). */
export interface Pending {
  readonly reservation: number;
}

/** What a command answers when it is not refused. */
export interface Answers {
  create: null;
  open: { readonly recovered: readonly TurnRef[]; readonly unread: number };
  close: null;
  flush: null;
  setCapacity: null;
  setPlan: null;
  hold: null;
  unhold: null;
  notify: null;
  /** The top and all below it that end with it. */
  end: { readonly top: AgentRef };
  interruptTree: { readonly stopped: readonly Answers["interrupt"][] };
  spawn: { readonly path: AgentPath; readonly pending: Pending | null };
  /** `held` is the one answer of M7 that is not empty: capacity alone keeps an idle recipient from starting. */
  send: {
    readonly record: Point;
    readonly path: AgentPath;
    readonly held: boolean;
    /** How much MAIL waits for the recipient now (J4). */
    readonly waiting: number;
  };
  /** The order point of the INPUT: the turn that reads it gives `prompt` its outcome (W8). */
  prompt: { readonly input: Point };
  assign: { readonly path: AgentPath; readonly pending: Pending | null };
  interrupt: { readonly path: AgentPath; readonly found: InterruptFound };
  "sample.begin": {
    readonly attempt: AttemptRef;
    readonly mail: readonly Unread[];
    readonly notices: readonly Point[];
  };
  "sample.end": null;
  partial: null;
  record: null;
  block: { readonly token: number };
  unblock: null;
  takeResult: { readonly child: AgentRef };
  "handler.end": null;
  "turn.timeout": null;
  "settlement.fail": null;
  "settlement.retry": null;
  wait: { readonly attempt: AttemptRef };
  "wait.timeout": null;
  yield: { readonly execution: number };
  "execution.complete": null;
  "turn.finish": null;
  "settlement.end": null;
  prepared: null;
  "operation.plan": { readonly at: Point };
  /** `ended` where nothing may be sent; else the message may be appended now. */
  "operation.attempt": { readonly at: Point; readonly ended: RecipientResult | null };
  "operation.append": { readonly at: Point };
  "operation.result": { readonly at: Point };
}

/** Who a send or a task comes from. */
export function senderOf(by: TurnRef | null): Sender {
  return by === null ? "person" : by.path;
}
