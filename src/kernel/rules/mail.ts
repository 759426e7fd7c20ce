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
  WaitEnd,
} from "../../events/events.js";
import type { Point } from "../../events/point.js";
import { type Answers, type CommandOf, senderOf } from "../command.js";
import { beginPrompt, startGuard } from "../offers.js";
import { type Stage, turnRef } from "../stage.js";
import type { Agent } from "../state.js";
import { textFault } from "../text.js";
import { type Verdict, accept } from "../verdict.js";
import { behaviorFault, findCaller, findTarget } from "./targets.js";

/** SendMessage (M1, M3, M7). */
export function send(stage: Stage, command: CommandOf<"send">): Verdict<Answers["send"]> {
  const caller = command.by === null ? null : findCaller(stage, command.by);
  if (caller?.ok === false) return caller;
  const target = findTarget(stage, command.by, command.target);
  if (!target.ok) return target;
  const fault = textFault(command.text, "message");
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
  });
  tell(stage, target.agent, record, marks("MAIL", from, path));
  return accept((after) => ({ held: isHeld(after, path) }));
}

/** Whether capacity alone keeps an idle recipient from starting (M7). */
function isHeld(stage: Stage, path: Agent["path"]): boolean {
  const agent = stage.agent(path);
  return agent !== undefined && startGuard(stage.state, agent)?.guard === "capacity";
}

/** The person's text (W8): mail to the root that starts it when idle, and comes first. */
export function prompt(stage: Stage, command: CommandOf<"prompt">): Verdict<Answers["prompt"]> {
  const target = findTarget(stage, null, "/root");
  if (!target.ok) return target;
  const fault = textFault(command.text, "prompt") ?? behaviorFault(stage, target.agent.behavior);
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

/** After a record was queued: sets the mark, and ends a wait (W1, V1). `mark` is false for recovery too (W9). */
export function tell(stage: Stage, ref: AgentRef, record: Point, mark: boolean): void {
  if (mark && !stage.volatile.marks.has(ref.path)) {
    stage.emit({ type: "wake.marked", cause: record, path: ref.path, gen: ref.gen, record });
  }
  const agent = stage.retained(ref);
  if (agent?.phase !== "waiting") return;
  const input = agent.unread.toArray().some((one) => one.mail === "INPUT");
  endWait(stage, agent, input ? "input" : "mail", record);
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
  for (const { mail, from } of agent.unread) {
    const key = `${mail} ${from}`;
    counts.set(key, { mail, from, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** The boundary of a sample: all unread mail, oldest first, in one event that names the sample (M5). */
export function deliver(stage: Stage, agent: Agent, attempt: number, cause: Cause): void {
  const { path, gen, turn, unread } = agent;
  if (turn !== null && unread.length > 0) {
    const records = unread.toArray().map((record) => record.at);
    stage.emit({ type: "mail.delivered", cause, path, gen, turn: turn.turn, attempt, records });
  }
  clearMark(stage, agent, "delivered", cause);
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
