/**
 * Explicit starts: spawn and assignment, and what becomes of reservations (T2, T3, T6, T7, W2).
 */
import type { Cause, EventOf, Role, TurnRef } from "../../events/events.js";
import { MAX_SEGMENTS, ROOT, depthOf, isAgentName } from "../../paths.js";
import type { AgentPath } from "../../paths.js";
import { type Answers, type CommandOf, senderOf } from "../command.js";
import { freeSlots, mayGrow } from "../guards.js";
import { begin, prepareTimer } from "../offers.js";
import type { Stage } from "../stage.js";
import type { Agent, Reservation } from "../state.js";
import { shortReason, textFault } from "../text.js";
import { type Verdict, DONE, accept, reject } from "../verdict.js";
import { isJob, jobSpawnFault } from "./jobs.js";
import { isStamping } from "./mail.js";
import {
  type Found,
  behaviorFault,
  findCaller,
  findTarget,
  roleFault,
  turnsFault,
} from "./targets.js";

/** Spawn: identity, task and start of the turn in one commit (T3). */
export function spawn(stage: Stage, command: CommandOf<"spawn">): Verdict<Answers["spawn"]> {
  const above = findParent(stage, command);
  if (!above.ok) return above;
  const path = findPlace(stage, above.agent, command.name);
  if (!path.ok) return path;
  const fault =
    textFault(command.task, "task") ??
    behaviorFault(stage, command.behavior) ??
    unknownRole(command.role) ??
    turnsFault(stage) ??
    agentsFault(stage);
  if (fault !== null) return fault;
  if (!mayGrow(stage.state)) return atCapacity(stage, `${path.path} was not spawned`, "T3");
  const reservation = begin(stage, {
    path: path.path,
    gen: (stage.durable.retired.get(path.path)?.gen ?? 0) + 1,
    start: "spawn",
    behavior: command.behavior,
    role: command.role ?? DEFAULT_ROLE,
    task: { text: command.task },
    from: senderOf(command.by),
    by: command.by,
    stamped: isStamping(stage, command.by),
    cause: above.cause,
  });
  return accept(() => ({ path: path.path, pending: pendingOf(reservation) }));
}

/** Refuses a role that the log could not be read back with; `null` when it is one, or is left out (A7). */
function unknownRole(role: unknown): ReturnType<typeof reject> | null {
  if (role === undefined || role === "delegator" || role === "communicator") return null;
  return reject(
    "role-unknown",
    "A7",
    "A role is `delegator` or `communicator`. Name one of the two, or leave it out for `delegator`.",
  );
}

function pendingOf(reservation: number | null): { readonly reservation: number } | null {
  return reservation === null ? null : { reservation };
}

function findParent(
  stage: Stage,
  command: CommandOf<"spawn">,
): Found<{ agent: Agent; cause: Cause }> {
  if (command.by === null) {
    const parent = findTarget(stage, null, command.parent ?? ROOT);
    return parent.ok ? { ...parent, cause: "host:spawn" } : parent;
  }
  const caller = findCaller(stage, command.by);
  if (!caller.ok) return caller;
  const fault = jobSpawnFault(stage, command.by) ?? roleFault(caller.agent, "Agent (spawn)");
  return fault ?? { ok: true, agent: caller.agent, cause: caller.turn.told };
}

function findPlace(stage: Stage, parent: Agent, name: unknown): Found<{ path: AgentPath }> {
  if (typeof name !== "string" || !isAgentName(name)) {
    return reject(
      "name-invalid",
      "A1",
      "An agent's name is 1 to 64 of a-z, 0-9 and _, and not `root`. Choose such a name.",
    );
  }
  if (depthOf(parent.path) >= MAX_SEGMENTS) {
    return reject(
      "path-too-deep",
      "A1",
      `A path has at most ${MAX_SEGMENTS} segments, so ${parent.path} can have no children. Spawn higher up.`,
    );
  }
  const path: AgentPath = `${parent.path}/${name}`;
  if (stage.agent(path) === undefined && stage.reservationOf(path) === undefined) {
    return { ok: true, path };
  }
  return reject(
    "path-taken",
    "A5",
    `${path} is taken by an agent of this session. Message that one, or choose another name.`,
  );
}

/** Refuses a new identity once the session retains as many agents as it may (X2). */
function agentsFault(stage: Stage): ReturnType<typeof reject> | null {
  const limit = stage.host.limits.agents;
  const spawning = stage.volatile.reservations.filter((one) => one.start === "spawn").length;
  if (limit === null || stage.durable.agents.size - 1 + spawning < limit) return null;
  return reject(
    "limit-agents",
    "X2",
    `This session may retain ${limit} agents and does. End one, or use one that is there.`,
  );
}

function atCapacity(stage: Stage, what: string, rule: string): ReturnType<typeof reject> {
  return reject(
    "at-capacity",
    rule,
    `All ${stage.durable.capacity} slots are in use or promised to woken agents; ${what}. Wait for a RESULT, then try again.`,
  );
}

/** The host starts an idle agent with a task (T6). */
export function assign(stage: Stage, command: CommandOf<"assign">): Verdict<Answers["assign"]> {
  const target = findTarget(stage, null, command.target);
  if (!target.ok) return target;
  const { agent } = target;
  const fault =
    textFault(command.task, "task") ??
    behaviorFault(stage, agent.behavior) ??
    turnsFault(stage, agent);
  if (fault !== null) return fault;
  if (isJob(stage, agent.path) && agent.phase === "idle") {
    return reject(
      "job-ended",
      "J6",
      `The job ${agent.path} ended, and a job has one turn. Nothing was started; spawn another one.`,
    );
  }
  if (agent.phase !== "idle" || stage.reservationOf(agent.path) !== undefined) {
    return reject(
      "not-idle",
      "T6",
      `${agent.path} is ${agent.phase === "idle" ? "being prepared" : agent.phase}. Send it a message, or assign when it is idle.`,
    );
  }
  if (agent.path !== ROOT && freeSlots(stage.state) <= 0) {
    return atCapacity(stage, `${agent.path} was not started`, "T6");
  }
  const reservation = begin(stage, {
    path: agent.path,
    gen: agent.gen,
    start: "assignment",
    behavior: agent.behavior,
    role: agent.role,
    task: { text: command.task },
    from: "person",
    by: null,
    stamped: isStamping(stage, null),
    cause: "host:assign",
  });
  return accept(() => ({ path: agent.path, pending: pendingOf(reservation) }));
}

/** The host's preparation has answered, or its time is up. What no longer matches is dropped (T2). */
export function prepared(stage: Stage, command: CommandOf<"prepared">): Verdict<null> {
  const one = stage.volatile.reservations.find((r) => r.reservation === command.reservation);
  if (one === undefined || one.ready) return DONE;
  if (command.late === true) release(stage, one, "timeout", "clock:prepare");
  else if (command.failed !== undefined)
    release(stage, one, "failed", "work:prepare", shortReason(command.failed));
  else {
    stage.effect({ kind: "timer.disarm", timer: prepareTimer(one.reservation) });
    stage.emit({
      type: "start.prepared",
      cause: one.at,
      path: one.path,
      gen: one.gen,
      reservation: one.reservation,
    });
  }
  return DONE;
}

/** Gives a reservation up: its slot is free at once, its mark is not restored (T2, T4). */
export function release(
  stage: Stage,
  one: Reservation,
  why: EventOf<"start.released">["why"],
  cause: Cause,
  reason?: string,
): void {
  stage.emit({
    type: "start.released",
    cause,
    path: one.path,
    gen: one.gen,
    reservation: one.reservation,
    why,
    ...(reason === undefined ? {} : { reason }),
  });
  if (one.ready) return;
  stage.effect({ kind: "timer.disarm", timer: prepareTimer(one.reservation) });
  stage.effect({ kind: "prepare.abort", reservation: one.reservation });
}

/** Spawns that a turn had under way end with it (T3). */
export function releaseSpawns(stage: Stage, by: TurnRef, cause: Cause): void {
  for (const one of stage.volatile.reservations) {
    if (one.start !== "spawn" || one.by === null || !sameTurn(one.by, by)) continue;
    release(stage, one, "spawner settled", cause);
  }
}

function sameTurn(one: TurnRef, other: TurnRef): boolean {
  return one.path === other.path && one.gen === other.gen && one.turn === other.turn;
}

/** The role a new agent gets unless one is given (A7). */
export const DEFAULT_ROLE: Role = "delegator";
