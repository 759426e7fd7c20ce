/**
 * Whole subtrees: interrupting one, and ending one for good (I6, A5).
 */
import type { AgentRef, Cause } from "../../events/events.js";
import { ROOT, comparePaths, depthOf, isWithin } from "../../paths.js";
import type { AgentPath } from "../../paths.js";
import type { Answers, CommandOf } from "../command.js";
import type { Stage } from "../stage.js";
import type { Agent } from "../state.js";
import { type Verdict, accept, reject } from "../verdict.js";
import { stop } from "./interrupt.js";
import { release } from "./starts.js";
import { findTarget } from "./targets.js";

/** Agents of a subtree, deepest first, then by path (A5, R2). */
export function subtree(stage: Stage, top: AgentPath): readonly Agent[] {
  return [...stage.durable.agents.values()]
    .filter((agent) => isWithin(agent.path, top))
    .sort(deepestFirst);
}

/** The order in which agents of a tree are settled. */
export function deepestFirst(a: Agent, b: Agent): number {
  return depthOf(b.path) - depthOf(a.path) || comparePaths(a.path, b.path);
}

/** Stops an agent and all below it; RESULTs between its members mark nobody, the top's wakes outward (I6). */
export function interruptTree(
  stage: Stage,
  command: CommandOf<"interruptTree">,
): Verdict<Answers["interruptTree"]> {
  const target = findTarget(stage, null, command.target);
  if (!target.ok) return target;
  const top = target.agent.path;
  const stopped = stopTree(stage, top, command.reason, "host:interrupt", "interrupted");
  return accept(() => ({ stopped }));
}

function stopTree(
  stage: Stage,
  top: AgentPath,
  reason: string | undefined,
  cause: Cause,
  why: "interrupted" | "ended",
): readonly Answers["interrupt"][] {
  // A spawn under way has no identity yet; its reservation goes all the same.
  for (const one of stage.volatile.reservations) {
    if (one.start === "spawn" && isWithin(one.path, top)) release(stage, one, why, cause);
  }
  const request = { by: null, ...(reason === undefined ? {} : { reason }) };
  return subtree(stage, top).map((agent) => ({
    path: agent.path,
    found: stop(stage, stage.agent(agent.path) ?? agent, request, cause, agent.path !== top),
  }));
}

/**
 * Ends an agent and all below it: interrupts and settles them, deepest first, then retires their identities (A5).
 * From here on nothing of the subtree starts, and sends into it are refused as ended.
 */
export function end(stage: Stage, command: CommandOf<"end">): Verdict<Answers["end"]> {
  const target = findTarget(stage, null, command.target);
  if (!target.ok) return target;
  const { path, gen } = target.agent;
  if (path === ROOT) {
    return reject("end-root", "A5", "The root can't be ended. Close the session instead.");
  }
  const at = stage.emit({ type: "agent.ending", cause: "host:end", path, gen });
  stopTree(stage, path, "ended by the host", at, "ended");
  return accept(() => ({ top: { path, gen } }));
}

/** Once no turn of an ending subtree is live, its identities go, in one commit (A5). */
export function retireEnded(stage: Stage): void {
  for (const top of stage.durable.endings) {
    const members = subtree(stage, top);
    if (members.some((agent) => agent.turn !== null)) continue;
    const refs: readonly AgentRef[] = members.map(({ path, gen }) => ({ path, gen }));
    const first = refs.find((ref) => ref.path === top);
    if (first === undefined) continue;
    stage.emit({ type: "agent.retired", cause: "host:end", ...first, members: refs });
  }
}
