/**
 * The operation layer: a message to an agent with a copy for its direct parent, planned first, then sent to each by
 * itself (section 11). What was planned and done is looked up by whoever asks; no rule here remembers an operation.
 */
import { Bug } from "../../errors.js";
import type { OperationPlanned, Recipient } from "../../events/operations.js";
import type { AgentRef, TurnRef } from "../../events/refs.js";
import type { Answers, CommandOf, OfPlan, RecipientResult } from "../command.js";
import { senderOf } from "../command.js";
import { MAX_MESSAGE_BYTES, messageIds, messageText, utf8Bytes } from "../messages.js";
import { isAddressable, parentEvidence, verifiedParent } from "../parents.js";
import { policiesOf } from "../presets.js";
import type { Stage } from "../stage.js";
import { textFault } from "../text.js";
import { type Verdict, accept, reject } from "../verdict.js";
import { fullFault, isStamping, mailMarks, tell } from "./mail.js";
import { type Found, findCaller, findTarget, readTarget } from "./targets.js";

/** This layer works by the preset `peer`, whatever its session was made with (section 12). */
const PEER = policiesOf("peer");

type Refusal = ReturnType<typeof reject>;

/** The original recipient: who mail to that path would reach now, ended or not (O1, O4). */
export function findRecipient(
  stage: Stage,
  by: TurnRef | null,
  target: unknown,
  requireLive: boolean,
): Found<{ child: AgentRef }> {
  const found = findTarget(stage, by, target);
  if (found.ok) return { ok: true, child: { path: found.agent.path, gen: found.agent.gen } };
  const place = found.rejection.code === "target-ended" ? readTarget(by, target) : found;
  if (!place.ok) return place;
  if (requireLive) {
    return reject(
      "target-ended",
      "O4",
      `${place.path} has ended, and a live agent is required. Nothing was sent; leave requireLive out to have it recorded.`,
    );
  }
  const { path } = place;
  const gen = stage.agent(path)?.gen ?? stage.durable.retired.get(path)?.gen;
  return gen === undefined ? found : { ok: true, child: { path, gen } };
}

/** Refuses what is no body of a message (M1, O4); `null` when it is one. */
export function bodyFault(text: unknown): Verdict<never> | null {
  const fault = textFault(text, "message");
  if (fault !== null) return fault;
  const bytes = utf8Bytes(text as string);
  if (bytes <= MAX_MESSAGE_BYTES) return null;
  return reject(
    "message-too-long",
    "O4",
    `The message takes ${bytes} bytes of at most ${MAX_MESSAGE_BYTES}. Put what is long into a file and refer to it.`,
  );
}

/** Refuses the layer where messages reach what their sender owns and nothing else (J2). */
function ownerFault(stage: Stage): Refusal | null {
  if (stage.policies.addressing !== "owner") return null;
  return reject(
    "role-lacks-tool",
    "J2",
    "In a session of jobs a message goes to a job, by its id. Send it there.",
  );
}

/** Fixes the message, its recipients, the evidence and the ids, before anything is sent (O1). */
export function plan(
  stage: Stage,
  command: CommandOf<"operation.plan">,
): Verdict<Answers["operation.plan"]> {
  const { by, operation, child, text, requireLive, report } = command;
  const caller = by === null ? null : findCaller(stage, by);
  if (caller?.ok === false) return caller;
  const fault = ownerFault(stage) ?? bodyFault(text) ?? replacedFault(stage, child, requireLive);
  if (fault !== null) return fault;
  const evidence = parentEvidence(stage.state, child, report);
  const verified = verifiedParent(evidence);
  // Whoever writes to its own child knows what it wrote.
  const isSender = verified?.path === by?.path && verified?.gen === by?.gen;
  const parent = isSender ? undefined : verified;
  const at = stage.emit({
    type: "operation.planned",
    cause: caller?.turn.told ?? "person:peer",
    operation,
    from: senderOf(by),
    text,
    child,
    evidence,
    messages: messageIds(stage.durable.id, operation),
    ...(by === null ? {} : { by }),
    ...(parent === undefined ? {} : { parent }),
    ...(requireLive ? { requireLive: true } : {}),
    ...(isStamping(stage, by) ? { stamped: true } : {}),
  });
  return accept(() => ({ at }));
}

/** Writes the start marker, if the recipient may be sent to now; else the result says why not, for good (O2, O3, O5). */
export function attempt(
  stage: Stage,
  command: CommandOf<"operation.attempt">,
): Verdict<Answers["operation.attempt"]> {
  const { recipient, at: plan } = command;
  const fault = sendFault(stage, command);
  if (fault !== null) {
    const at = conclude(stage, command, fault);
    return accept(() => ({ at, ended: fault }));
  }
  const { operation } = command.plan;
  const at = stage.emit({ type: "operation.attempted", cause: plan, operation, plan, recipient });
  return accept(() => ({ at, ended: null }));
}

/** Queues the message in the session's own log; it marks nobody (O6). */
export function append(
  stage: Stage,
  command: CommandOf<"operation.append">,
): Verdict<Answers["operation.append"]> {
  const { plan, recipient, at: source } = command;
  const to = recipientOf(plan, recipient);
  const fault = replacedFault(stage, to, plan.requireLive === true) ?? fullFault(stage, to.path);
  if (fault !== null) return fault;
  const retained = stage.retained(to) !== undefined;
  const stamped = plan.stamped === true || isStamping(stage, plan.by ?? null);
  const at = stage.emit({
    type: "mail.queued",
    cause: source,
    path: to.path,
    gen: to.gen,
    mail: "MAIL",
    from: plan.from,
    source,
    message: plan.messages[recipient],
    ...(plan.by === undefined ? {} : { by: plan.by }),
    ...(recipient === "parent" ? { copyOf: plan.child } : {}),
    // Nobody reads what an ended agent is sent, and its stamp would be its successor's.
    ...(stamped && retained ? { stamped: true } : {}),
  });
  if (retained) tell(stage, to, at, mailMarks(PEER, plan.from, to.path));
  return accept(() => ({ at }));
}

/** Records how it ended for one recipient (O5). */
export function result(
  stage: Stage,
  command: CommandOf<"operation.result">,
): Verdict<Answers["operation.result"]> {
  const { end, code, rule, reason } = command;
  const why = code === undefined ? {} : { code, ...(rule === undefined ? {} : { rule }) };
  const words = reason === undefined ? {} : { reason };
  const at = conclude(stage, command, { end, ...why, ...words });
  return accept(() => ({ at }));
}

function conclude(
  stage: Stage,
  { plan, at, recipient }: OfPlan,
  ended: RecipientResult,
): ReturnType<Stage["emit"]> {
  const { operation, by } = plan;
  const to = plan[recipient];
  const reached = ended.end === "published" || ended.end === "replayed";
  return stage.emit({
    type: "operation.resulted",
    cause: at,
    operation,
    plan: at,
    recipient,
    ...ended,
    ...(reached && to !== undefined ? { to } : {}),
    ...(by === undefined ? {} : { by }),
  });
}

/** Why a recipient may not be sent to now; `null` when it may. Judged anew at each new append (O5). */
function sendFault(stage: Stage, { plan, recipient }: OfPlan): RecipientResult | null {
  const live = plan.requireLive === true;
  const gone = replacedFault(stage, plan.child, live);
  if (recipient === "child") return gone === null ? null : { end: "refused", ...why(gone) };
  if (gone !== null) {
    return {
      end: "refused",
      code: "child-not-addressable",
      rule: "O3",
      reason: `no copy is sent, for ${plan.child.path}, generation ${plan.child.gen}, can't be safely addressed any more`,
    };
  }
  const unreached = replacedFault(stage, recipientOf(plan, "parent"), live);
  if (unreached !== null) return { end: "skipped", ...why(unreached) };
  const bytes = utf8Bytes(messageText(plan, "parent"));
  if (bytes <= MAX_MESSAGE_BYTES) return null;
  return {
    end: "refused",
    code: "copy-too-long",
    rule: "O4",
    reason: `The copy takes ${bytes} bytes with its marker, of at most ${MAX_MESSAGE_BYTES}. The message itself stands; send a shorter one to have it copied.`,
  };
}

function why({ rejection }: Refusal): Pick<RecipientResult, "code" | "rule" | "reason"> {
  return { code: rejection.code, rule: rejection.rule, reason: rejection.message };
}

/** Refuses an identity that mail to its path would not reach now (O2, O4). */
function replacedFault(stage: Stage, ref: AgentRef, live: boolean): Refusal | null {
  if (isAddressable(stage.state, ref, live)) return null;
  const who = `${ref.path}, generation ${ref.gen},`;
  return isAddressable(stage.state, ref, false)
    ? reject("target-ended", "O4", `${who} has ended, and a live agent is required.`)
    : reject(
        "target-replaced",
        "O2",
        `${who} is not whom mail to its path would reach now. Nothing was sent to it; look at its path again.`,
      );
}

/** A parent that is not verified is no recipient, and nobody asks to send to it (O4). */
function recipientOf(plan: OperationPlanned, recipient: Recipient): AgentRef {
  const to = plan[recipient];
  if (to === undefined) throw new Bug(`the operation ${plan.operation} has no ${recipient}`);
  return to;
}
