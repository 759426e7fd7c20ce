/**
 * Mail: accepting it, marking and releasing its recipient, and giving it at a boundary (M3-M8, W1, V1).
 */
import type {
  AgentRef,
  Cause,
  EventOf,
  MailCount,
  MailType,
  Sender,
  TurnRef,
  WaitEnd,
} from "../../events/events.js";
import type { Point } from "../../events/point.js";
import { type Answers, type CommandOf, senderOf } from "../command.js";
import { countMail } from "../evolveMail.js";
import { endingOf, isReadOnly, startGuard } from "../guards.js";
import { beginPrompt } from "../offers.js";
import { emptyRow } from "../persistent.js";
import { type Stage, turnRef } from "../stage.js";
import type { Policies } from "../presets.js";
import { ROOT } from "../../paths.js";
import type { Agent, Unread } from "../state.js";
import { textFault } from "../text.js";
import { type Verdict, accept, reject } from "../verdict.js";
import { boundsFault, findAddressee, isJob, readOnlyFault } from "./jobs.js";
import { behaviorFault, findCaller, findTarget, turnsFault } from "./targets.js";

/** SendMessage (M1, M3, M7). */
export function send(stage: Stage, command: CommandOf<"send">): Verdict<Answers["send"]> {
  const caller = command.by === null ? null : findCaller(stage, command.by, command.finaliser);
  if (caller?.ok === false) return caller;
  const target = findAddressee(stage, command.by, command.target);
  if (!target.ok) return target;
  const fault =
    readOnlyFault(stage, isStamping(stage, command.by), "sent") ??
    textFault(command.text, "message") ??
    boundsFault(stage, target.agent, command.text) ??
    fullFault(stage, target.agent.path);
  if (fault !== null) return fault;
  const { path, gen } = target.agent;
  const from = senderOf(command.by);
  const record = stage.emit({
    type: "mail.queued",
    cause: caller?.turn.told ?? "person:send",
    path,
    gen,
    mail: "MAIL",
    from,
    text: command.text,
    ...(command.by === null ? {} : { by: command.by }),
    ...(isStamping(stage, command.by) ? { stamped: true } : {}),
  });
  tell(stage, target.agent, record, mailMarks(stage.policies, from, path));
  return accept((after) => ({
    record,
    path,
    held: isHeld(after, path),
    waiting: countMail(after.agent(path)?.unread ?? emptyRow()),
  }));
}

/** Whether what a caller sends or gives as a task is stamped: under Plan, or from a read-only turn (P2). */
export function isStamping(stage: Stage, by: TurnRef | null): boolean {
  return by === null ? stage.durable.plan : isReadOnly(stage.state, by.path);
}

/** Refuses MAIL to a mailbox that holds as much as the session allows (X2). RESULT and EXECUTION are never refused. */
export function fullFault(stage: Stage, path: Agent["path"]): ReturnType<typeof reject> | null {
  const limit = stage.host.limits.unread;
  const unread = stage.agent(path)?.unread;
  if (limit === null || (unread !== undefined && unread.length < limit)) return null;
  const ended = stage.durable.retired.get(path)?.expired ?? 0;
  const mail = unread === undefined ? ended : countMail(unread);
  if (mail < limit) return null;
  return reject(
    "mailbox-full",
    "X2",
    `${path} has ${mail} unread messages, the limit of this session. Let it read them first.`,
  );
}

/** Whether capacity alone keeps an idle recipient from starting (M7). */
function isHeld(stage: Stage, path: Agent["path"]): boolean {
  if (stage.policies.atCapacity === "refuse") return false;
  const agent = stage.agent(path);
  return agent !== undefined && startGuard(stage.state, agent)?.guard === "capacity";
}

/** The person's text (W8): mail to the root that starts it when idle, and comes first. */
export function prompt(stage: Stage, command: CommandOf<"prompt">): Verdict<Answers["prompt"]> {
  const target = findTarget(stage, null, "/root");
  if (!target.ok) return target;
  const fault =
    textFault(command.text, "prompt") ??
    behaviorFault(stage, target.agent.behavior) ??
    turnsFault(stage, target.agent);
  if (fault !== null) return fault;
  const { path, gen } = target.agent;
  const input = stage.emit({
    type: "mail.queued",
    cause: "person:prompt",
    path,
    gen,
    mail: "INPUT",
    from: "person",
    text: command.text,
  });
  tell(stage, target.agent, input, false);
  beginPrompt(stage);
  return accept(() => ({ input }));
}

/** Which accepted records mark their recipient (W1): EXECUTION, self-mail and INPUT (which has its own way in, W8) do not. */
export function marks(mail: MailType, from: Sender, to: Agent["path"]): boolean {
  return (mail === "MAIL" || mail === "RESULT") && from !== to;
}

/** Whether MAIL marks its recipient: in a way of working where it sets something going (W1, J1, O6). */
export function mailMarks(policies: Policies, from: Sender, to: Agent["path"]): boolean {
  return policies.activation === "marks" && marks("MAIL", from, to);
}

/** After a record was queued: sets the mark, and ends a wait (W1, V1). `mark` is false for recovery too (W9). */
export function tell(stage: Stage, ref: AgentRef, record: Point, mark: boolean): void {
  if (
    mark &&
    !isJob(stage, ref.path) &&
    !stage.volatile.marks.has(ref.path) &&
    endingOf(stage.state, ref.path) === undefined
  ) {
    stage.emit({ type: "wake.marked", cause: record, path: ref.path, gen: ref.gen, record });
  }
  const agent = stage.retained(ref);
  if (agent?.phase === "waiting") endWait(stage, agent, wakesWait(agent) ?? "mail", record);
}

/** Why the unread mail of an agent ends its wait; `null` when there is none that counts: withheld does not (V1, S7). */
export function wakesWait(agent: Agent): "mail" | "input" | null {
  let why: "mail" | null = null;
  for (const record of agent.unread) {
    if (record.mail === "INPUT") return "input";
    // A wait for jobs ends when one of them has ended, which its RESULT says (J1).
    if (agent.turn?.forJobs === true && record.mail !== "RESULT") continue;
    if (!record.withheld) why = "mail";
  }
  return why;
}

/** Ends the wait of a waiting agent, with its answer: why, and counts by type and sender (V2). */
export function endWait(stage: Stage, agent: Agent, why: WaitEnd, cause: Cause): void {
  const turn = agent.turn;
  if (turn?.open == null) return;
  const attempt = { ...turnRef(agent, turn), attempt: turn.open };
  stage.emit({ type: "wait.ended", cause, ...attempt, why, unread: countUnread(agent) });
  stage.effect({ kind: "timer.disarm", timer: waitTimer(attempt) });
}

/** The name of a wait's timer: unique among all waits of a run (V4). */
export function waitTimer(
  attempt: EventOf<"wait.began"> | { path: string; gen: number; turn: number; attempt: number },
): string {
  return `wait:${attempt.path}#${attempt.gen}.${attempt.turn}.${attempt.attempt}`;
}

/** Unread records by type and sender, in the order of their first ones (V2). */
export function countUnread(agent: Agent): readonly MailCount[] {
  const counts = new Map<string, MailCount>();
  for (const { mail, from, withheld } of agent.unread) {
    if (withheld) continue;
    const key = `${mail} ${from}`;
    counts.set(key, { mail, from, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** The boundary of a sample: all unread mail, oldest first, in one event that names the sample (M5). */
export function deliver(stage: Stage, agent: Agent, attempt: number, cause: Cause): void {
  const { path, gen, turn } = agent;
  if (turn === null) return;
  const boundary = { cause, path, gen, turn: turn.turn, attempt };
  const records = deliverable(agent).map((record) => record.at);
  if (records.length > 0) stage.emit({ type: "mail.delivered", ...boundary, records });
  const notices = path === ROOT ? stage.volatile.notices.toArray() : [];
  if (notices.length > 0) stage.emit({ type: "notice.delivered", ...boundary, notices });
  clearMark(stage, agent, "delivered", cause);
}

/** What a boundary takes: all unread mail but what handlers have (M5, S7). */
export function deliverable(agent: Agent): readonly Unread[] {
  return agent.unread.toArray().filter((record) => !record.withheld);
}

/** Takes a mark away; nothing happens where there is none (W1). */
export function clearMark(
  stage: Stage,
  ref: AgentRef,
  why: EventOf<"wake.cleared">["why"],
  cause: Cause,
): void {
  if (!stage.volatile.marks.has(ref.path)) return;
  stage.emit({ type: "wake.cleared", cause, path: ref.path, gen: ref.gen, why });
}
