/**
 * Who a target means, and who may ask: addressing and roles (A2-A7).
 */
import type { TurnRef } from "../../events/events.js";
import { ROOT, resolvePath } from "../../paths.js";
import { endingOf, turnsSpent } from "../guards.js";
import type { Stage } from "../stage.js";
import type { Agent, Turn } from "../state.js";
import { reject } from "../verdict.js";

type Refusal = ReturnType<typeof reject>;

/** Either the thing asked for, or why not. */
export type Found<T> = ({ readonly ok: true } & T) | Refusal;

/** The retained agent that a target names, read from its caller's place (A2-A4). */
export function findTarget(
  stage: Stage,
  by: TurnRef | null,
  target: unknown,
): Found<{ agent: Agent }> {
  const path = readTarget(by, target);
  if (!path.ok) return path;
  const agent = stage.agent(path.path);
  const ending = endingOf(stage.state, path.path);
  if (ending !== undefined || (agent === undefined && stage.durable.retired.has(path.path))) {
    return reject(
      "target-ended",
      "A2",
      `${path.path} has ended. Nothing was sent; spawn the path again if it is still needed.`,
    );
  }
  if (agent !== undefined) return { ok: true, agent };
  return reject(
    "target-unknown",
    "A2",
    `There is no agent ${path.path} in this session. List the agents to see who can be addressed.`,
  );
}

/** The canonical path that a target spells, whether or not somebody has it (A2, A3). */
export function readTarget(by: TurnRef | null, target: unknown): Found<{ path: Agent["path"] }> {
  if (typeof target !== "string" || target === "") {
    return reject(
      "target-empty",
      "A2",
      "The target is empty. Name an agent, such as /root/editor.",
    );
  }
  const path = resolvePath(by?.path ?? ROOT, target);
  if (path !== undefined) return { ok: true, path };
  const shown = target.length > 80 ? `${target.slice(0, 80)}...` : target;
  return reject(
    "target-malformed",
    "A2",
    `${JSON.stringify(shown)} is no agent path. Write /root or /root/segments of a-z, 0-9 and _, or a name below you.`,
  );
}

/** The caller's live turn; a call of a turn that is over, or has begun to settle, is refused (T1). */
export function findCaller(
  stage: Stage,
  by: TurnRef,
  finaliser?: number,
): Found<{ agent: Agent; turn: Turn }> {
  const live = stage.live(by);
  // A finaliser has a handle of its own, which is good for as long as its own settlement try runs (T1).
  const settles = stage.durable.trying === by.path && live?.turn.attempts === finaliser;
  if (live !== undefined && (live.turn.settling === null || settles)) return { ok: true, ...live };
  return reject(
    "turn-over",
    "T1",
    `Turn ${by.turn} of ${by.path} has ended, so its handle takes no more calls. Return from the behaviour.`,
  );
}

/** Refuses a caller whose role lacks a tool (A7); `null` when it may. */
export function roleFault(agent: Agent, tool: string): Refusal | null {
  if (agent.role === "delegator") return null;
  return reject(
    "role-lacks-tool",
    "A7",
    `${agent.path} is a communicator: it may only message. It is not offered ${tool}; ask a delegator by mail.`,
  );
}

/** Refuses every command once the session is closing (L8). */
export function closingFault(stage: Stage): Refusal | null {
  if (!stage.volatile.closing) return null;
  return reject("session-closed", "L8", "The session is closed. Open it again to go on.");
}

/** Refuses a start with a behaviour that this run was not given (R1). */
export function behaviorFault(stage: Stage, behavior: string): Refusal | null {
  if (stage.host.behaviors.has(behavior)) return null;
  const known = [...stage.host.behaviors].sort().join(", ");
  return reject(
    "behavior-unknown",
    "R1",
    `There is no behaviour ${JSON.stringify(String(behavior))}. This session was opened with: ${known}.`,
  );
}

const isPreparing = (stage: Stage, { path }: Agent): boolean =>
  stage.reservationOf(path) !== undefined;

/** Refuses a start once the session has had as many turns as it may (X2). */
export function turnsFault(stage: Stage, agent?: Agent): Refusal | null {
  // An agent that runs, or has its start reserved, needs no further turn for what is given to it.
  const served = agent !== undefined && (agent.phase !== "idle" || isPreparing(stage, agent));
  const limit = served ? null : turnsSpent(stage.state);
  if (limit === null) return null;
  return reject(
    "limit-turns",
    "X2",
    `This session may have ${limit} turns and has had them. Open it with a higher limit to go on.`,
  );
}
