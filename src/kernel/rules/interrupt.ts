/**
 * Interrupts: one agent is stopped, its descendants go on, its mail stays (I1-I5).
 */
import type { Cause, InterruptFound } from "../../events/events.js";
import { ROOT } from "../../paths.js";
import type { Answers, CommandOf } from "../command.js";
import type { Stage } from "../stage.js";
import type { Agent, Reservation } from "../state.js";
import { shortReason } from "../text.js";
import { type Verdict, accept, reject } from "../verdict.js";
import { findOwned, readOnlyFault } from "./jobs.js";
import { clearMark, isStamping } from "./mail.js";
import { beginSettlement, partialOf } from "./settle.js";
import { release } from "./starts.js";
import { type Found, findCaller, findTarget, readTarget, roleFault } from "./targets.js";

/** InterruptAgent by an agent, or the host's interrupt (I1). */
export function interrupt(
  stage: Stage,
  command: CommandOf<"interrupt">,
): Verdict<Answers["interrupt"]> {
  const cause = findAsker(stage, command);
  if (!cause.ok) return cause;
  const spawning =
    command.by === null && command.job !== true ? findSpawning(stage, command.target) : undefined;
  if (spawning !== undefined) return stopSpawn(stage, spawning, command, cause.cause);
  const target = findStopped(stage, command);
  if (!target.ok) return target;
  const fault = command.by === null ? null : forbidden(target.agent, command.by.path);
  if (fault !== null) return fault;
  const found = stop(stage, target.agent, command, cause.cause);
  return accept(() => ({ path: target.agent.path, found }));
}

/** Whom to stop: anybody for the host, and where jobs have owners only what the caller owns (I1, J2, J4). */
function findStopped(stage: Stage, command: CommandOf<"interrupt">): Found<{ agent: Agent }> {
  const { by, target, job } = command;
  const owned = job === true || (by !== null && stage.policies.addressing === "owner");
  if (!owned) return findTarget(stage, by, target);
  const found = findOwned(stage, by, target, "stopped");
  if (!found.ok) return found;
  return readOnlyFault(stage, isStamping(stage, by), "stopped") ?? found;
}

function findAsker(stage: Stage, command: CommandOf<"interrupt">): Found<{ cause: Cause }> {
  if (command.by === null) return { ok: true, cause: "host:interrupt" };
  const caller = findCaller(stage, command.by);
  if (!caller.ok) return caller;
  const fault = roleFault(caller.agent, "InterruptAgent");
  return fault ?? { ok: true, cause: caller.turn.told };
}

function forbidden(agent: Agent, caller: Agent["path"]): ReturnType<typeof reject> | null {
  if (agent.path === ROOT) {
    return reject(
      "interrupt-root",
      "I1",
      "An agent may not interrupt the root. Send it a message.",
    );
  }
  if (agent.path === caller) {
    return reject(
      "interrupt-self",
      "I1",
      "An agent may not interrupt itself. End the turn instead.",
    );
  }
  return null;
}

/** A spawn under way: unknown to all but the host's interrupt (T3, I3). */
function findSpawning(stage: Stage, target: string): Reservation | undefined {
  const path = readTarget(null, target);
  const one = path.ok ? stage.reservationOf(path.path) : undefined;
  return one?.start === "spawn" ? one : undefined;
}

function stopSpawn(
  stage: Stage,
  one: Reservation,
  command: CommandOf<"interrupt">,
  cause: Cause,
): Verdict<Answers["interrupt"]> {
  const at = stage.emit({
    type: "agent.interrupted",
    cause,
    path: one.path,
    gen: one.gen,
    found: "preparing",
    reason: reasonOf(command),
  });
  release(stage, one, "interrupted", at);
  return accept(() => ({ path: one.path, found: "preparing" }));
}

function reasonOf(command: Pick<CommandOf<"interrupt">, "by" | "reason">): string {
  // A caller without types may give anything; an odd reason is no reason to keep an agent running.
  const reason = typeof command.reason === "string" ? command.reason.trim() : "";
  if (reason !== "") return shortReason(reason);
  return command.by === null ? "interrupted by the host" : `interrupted by ${command.by.path}`;
}

/** Stops one agent, whatever it is doing (I2-I4). `muted`: it is stopped with a tree, and its RESULT marks nobody (I6). */
export function stop(
  stage: Stage,
  agent: Agent,
  command: Pick<CommandOf<"interrupt">, "by" | "reason">,
  cause: Cause,
  muted = false,
): InterruptFound {
  const reservation = stage.reservationOf(agent.path);
  const found = foundAt(agent, reservation);
  const reason = reasonOf(command);
  const at = stage.emit({
    type: "agent.interrupted",
    cause,
    path: agent.path,
    gen: agent.gen,
    found,
    reason,
    ...(agent.turn === null ? {} : { turn: agent.turn.turn }),
    ...(command.by === null ? {} : { by: command.by }),
    ...(muted ? { muted: true } : {}),
  });
  clearMark(stage, agent, "interrupted", at);
  if (reservation !== undefined) release(stage, reservation, "interrupted", at);
  if (found === "active" && agent.turn !== null) {
    const partial = partialOf(agent.turn);
    const outcome = { kind: "interrupted", reason, partial } as const;
    beginSettlement(stage, agent, agent.turn, outcome, at, true);
  }
  return found;
}

function foundAt(agent: Agent, reservation: Reservation | undefined): InterruptFound {
  if (agent.phase === "settling") return "settling";
  if (agent.phase !== "idle") return "active";
  return reservation === undefined ? "idle" : "preparing";
}
