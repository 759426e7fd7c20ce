/**
 * Sending to an agent with a copy for its parent (section 11): each step is a commit of its own, so that whatever dies in
 * between, repeating the operation sends to nobody twice. It decides nothing of who may be sent to; the kernel does.
 */
import { BadArgument, Refused } from "../../errors.js";
import type { Recipient } from "../../events/operations.js";
import type { AgentRef, TurnRef } from "../../events/refs.js";
import { type OfPlan, type RecipientResult, senderOf } from "../../kernel/command.js";
import { bodyFault, findRecipient } from "../../kernel/rules/operations.js";
import { findCaller, readTarget } from "../../kernel/rules/targets.js";
import type { ParentReport } from "../../kernel/parents.js";
import { Stage } from "../../kernel/stage.js";
import type { Ports } from "../ports.js";
import type { Shell } from "../shell.js";
import type { PeerMessageOptions, PeerMessageResult, PeerRecipientResult } from "./api.js";
import type { Inbox } from "./inboxes.js";
import { Order } from "./order.js";
import type { PlanBook, Planned } from "./planBook.js";
import {
  closedFirst,
  endOf,
  messageOf,
  nobodyToCopyTo,
  notAttempted,
  pruned,
  receiptOf,
  resultOf,
  sameMessage,
  untold,
} from "./results.js";

/** What operations are made with. */
export interface OperationParts {
  readonly shell: Shell;
  readonly ports: Ports;
  readonly plans: PlanBook;
  readonly inbox: Inbox;
  readonly askHost: (agent: AgentRef) => Promise<ParentReport>;
  /** Why nothing new is taken any more; `null` while it is. */
  readonly over: () => Error | null;
  /** An operation has ended: the session may have come to rest. */
  readonly rested: () => void;
}

interface Request {
  readonly by: TurnRef | null;
  readonly target: string;
  readonly text: string;
  /** `null`: the library makes one. */
  readonly operation: string | null;
  readonly replayOnly: boolean;
  readonly requireLive: boolean;
}

const LONGEST_ID_UNITS = 256;

/** See the module header. */
export class Operations {
  private readonly parts: OperationParts;
  private readonly order = new Order();

  constructor(parts: OperationParts) {
    this.parts = parts;
  }

  /** Whether no operation is under way (Q2). */
  get resting(): boolean {
    return this.order.size === 0;
  }

  /** Resolves when no operation is under way (L8). */
  allEnded(): Promise<void> {
    return this.order.allEnded();
  }

  /** Sends, or goes on with what was sent before under the same operation id (O1, O5). */
  async send(
    by: TurnRef | null,
    target: string,
    text: string,
    options: PeerMessageOptions,
  ): Promise<PeerMessageResult> {
    const { operationId, replayOnly = false, requireLive = false } = options;
    checkOptions(options);
    const over = this.parts.over();
    if (over !== null) throw over;
    const operation = operationId ?? null;
    const request = { by, target, text, operation, replayOnly, requireLive };
    // One sender's messages keep their order (M4), and one operation is done once at a time.
    const names = [`from ${senderOf(by)}`];
    if (operation !== null) names.push(`operation ${operation}`);
    const done = this.order.after(names, () => this.run(request));
    const rested = (): void => this.parts.rested();
    void this.order.allEnded().then(rested);
    return done;
  }

  private async run(request: Request): Promise<PeerMessageResult> {
    const { by } = request;
    const caller = by === null ? null : findCaller(new Stage(this.parts.shell.loop.state), by);
    if (caller?.ok === false) throw new Refused(caller.rejection);
    const { operation, replayOnly } = request;
    if (operation === null)
      return this.carryOut(await this.plan(request, await this.newId()), false, true);
    const before = await this.parts.plans.planOf(operation);
    if (before.kind === "pruned") return pruned(operation);
    if (before.kind === "found") {
      checkSame(request, before);
      return this.carryOut(before, replayOnly, false);
    }
    if (replayOnly) throw unknownOperation(operation);
    return this.carryOut(await this.plan(request, operation), false, true);
  }

  /** An id that no operation has: ids of the ports may begin anew in another process. */
  private async newId(): Promise<string> {
    const { ports, plans } = this.parts;
    for (;;) {
      const id = ports.id();
      if ((await plans.planOf(id)).kind === "missing") return id;
    }
  }

  /** The original recipient first: where it can't be resolved, nobody is asked about its parent (O1). */
  private async plan(request: Request, operation: string): Promise<Planned> {
    const { shell, askHost, plans } = this.parts;
    const { by, target, text, requireLive } = request;
    const found = findRecipient(new Stage(shell.loop.state), by, target, requireLive);
    if (!found.ok) throw new Refused(found.rejection);
    const fault = bodyFault(text);
    if (fault?.ok === false) throw new Refused(fault.rejection);
    const { child } = found;
    const report = await askHost(child);
    const kind = "operation.plan";
    const planned = await shell.ask({ kind, by, operation, child, text, requireLive, report });
    return plans.planAt(planned.at);
  }

  /** The child first, then its parent, whatever became of the child (O3). */
  private async carryOut(
    planned: Planned,
    replayOnly: boolean,
    fresh: boolean,
  ): Promise<PeerMessageResult> {
    const { plan, at } = planned;
    const to = (recipient: Recipient): Promise<PeerRecipientResult> =>
      this.reach({ plan, at, recipient }, replayOnly, fresh);
    const child = await to("child");
    const parent = plan.parent === undefined ? nobodyToCopyTo(plan) : await to("parent");
    return resultOf(plan, child, parent);
  }

  private async reach(
    of: OfPlan,
    replayOnly: boolean,
    fresh: boolean,
  ): Promise<PeerRecipientResult> {
    try {
      if (!fresh) {
        const progress = await this.parts.plans.progress(of.plan, of.recipient);
        if (progress.kind === "ended") return await this.ended(of, progress.result);
        if (progress.kind === "began") return await this.replay(of);
      }
      if (replayOnly) return notAttempted(of);
      const { ended } = await this.parts.shell.ask({ kind: "operation.attempt", ...of });
      return ended === null ? await this.append(of) : endOf(of, ended);
    } catch (error) {
      // The plan is there, so the caller hears how far it came, and repeats it after a reopen (L8).
      if (error instanceof Refused && error.code === "session-closed") return closedFirst(of);
      throw error;
    }
  }

  /** It has a result, and is not sent to again: where its message is now is looked up (O5, O6). */
  private async ended(of: OfPlan, result: RecipientResult | null): Promise<PeerRecipientResult> {
    if (result === null) return untold(of, "what became of it has been cut from the history");
    if (result.end !== "published" && result.end !== "replayed") return endOf(of, result);
    const { id, to } = messageOf(of);
    const there = await this.parts.inbox.lookup(to, id);
    return there.kind === "found"
      ? receiptOf(of, there.place, there.place)
      : receiptOf(of, "unknown");
  }

  private async append(of: OfPlan): Promise<PeerRecipientResult> {
    const answer = await this.parts.inbox.append(messageOf(of));
    switch (answer.kind) {
      case "appended":
        await this.conclude(of, { end: "published" });
        return receiptOf(of, "published", answer.place ?? "pending");
      case "present":
        await this.conclude(of, { end: "replayed" });
        return receiptOf(of, "duplicate", answer.place);
      case "conflict":
        return this.conclude(of, OTHER_MESSAGE);
      case "refused": {
        const { code = "inbox-refused", rule = "O4", reason } = answer;
        return this.conclude(of, { end: "refused", code, rule, reason });
      }
      case "untold":
        // No result: the next repeat looks whether it is there.
        return untold(of, answer.reason);
    }
  }

  /** The start marker is there and no result: history decides, and nothing is appended (O5). */
  private async replay(of: OfPlan): Promise<PeerRecipientResult> {
    const message = messageOf(of);
    const there = await this.parts.inbox.lookup(message.to, message.id);
    switch (there.kind) {
      case "found":
        if (!sameMessage(there.message, message)) return this.conclude(of, OTHER_MESSAGE);
        await this.conclude(of, { end: "replayed" });
        return receiptOf(of, "duplicate", there.place);
      case "missing":
      case "pruned":
        return this.conclude(of, HISTORY[there.kind]);
      case "untold":
        return untold(of, there.reason);
    }
  }

  private async conclude(of: OfPlan, result: RecipientResult): Promise<PeerRecipientResult> {
    await this.parts.shell.ask({ kind: "operation.result", ...of, ...result });
    return endOf(of, result);
  }
}

const OTHER_MESSAGE: RecipientResult = {
  end: "refused",
  code: "message-conflict",
  rule: "O5",
  reason: "the inbox holds another message under its id; nothing was appended",
};

const HISTORY: Readonly<Record<"missing" | "pruned", RecipientResult>> = {
  missing: {
    end: "unknown",
    code: "history-missing",
    rule: "O5",
    reason:
      "sending to it had begun, and its inbox does not have the message; it is not sent again",
  },
  pruned: {
    end: "unknown",
    code: "history-pruned",
    rule: "O5",
    reason: "sending to it had begun, and its inbox keeps no history of then; it is not sent again",
  },
};

function checkOptions({ operationId, replayOnly, requireLive }: PeerMessageOptions): void {
  for (const [name, flag] of Object.entries({ replayOnly, requireLive })) {
    if (flag === undefined || typeof flag === "boolean") continue;
    throw new BadArgument(`\`${name}\` is true or false.`, "O5");
  }
  if (operationId === undefined) {
    if (replayOnly !== true) return;
    throw new BadArgument("`replayOnly` needs the `operationId` to replay.", "O5");
  }
  const isText = typeof operationId === "string" && operationId.isWellFormed();
  if (isText && operationId !== "" && operationId.length <= LONGEST_ID_UNITS) return;
  throw new BadArgument(
    `An operation id is a well-formed text of 1 to ${LONGEST_ID_UNITS} characters.`,
    "O5",
  );
}

/** The same id stands for the same message: sender, recipient, body and `requireLive` (O5). */
function checkSame({ by, target, text, requireLive }: Request, { plan }: Planned): void {
  const path = readTarget(by, target);
  if (!path.ok) throw new Refused(path.rejection);
  const others = [
    senderOf(by) === plan.from ? [] : ["sender"],
    path.path === plan.child.path ? [] : ["target"],
    text === plan.text ? [] : ["text"],
    requireLive === (plan.requireLive ?? false) ? [] : ["requireLive"],
  ].flat();
  if (others.length === 0) return;
  throw new Refused({
    code: "operation-reused",
    rule: "O5",
    message: `The operation id ${JSON.stringify(plan.operation)} was used for another message: not the same ${others.join(" and ")}. Nothing was sent; give each message an id of its own.`,
  });
}

function unknownOperation(operation: string): Refused {
  const message = `There is no plan of the operation ${JSON.stringify(operation)}, so there is nothing to replay. Nothing was sent; repeat it without replayOnly to send it.`;
  return new Refused({ code: "operation-unknown", rule: "O5", message });
}
