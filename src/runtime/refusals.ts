/**
 * Refusals of the shell's own: what a closed session, an interrupted turn, or a request out of place is told (X4).
 */
import { Refused } from "../errors.js";
import { startGuard } from "../kernel/guards.js";
import { turnsFault } from "../kernel/rules/targets.js";
import { Stage } from "../kernel/stage.js";
import type { State } from "../kernel/state.js";
import { type AgentPath, ROOT } from "../paths.js";

/** Nobody to answer (T1). */
export function notBlocked(path: AgentPath): Refused {
  const message = `No question of ${path} waits for an answer. List the agents to see who is blocked.`;
  return new Refused({ code: "not-blocked", rule: "T1", message });
}

/** The session takes no more requests (L8). */
export function closedError(): Refused {
  const message = "The session is closed. Open it again to go on.";
  return new Refused({ code: "session-closed", rule: "L8", message });
}

/** The turn is over for its behaviour (I4). */
export function interruptedError(): Refused {
  const message =
    "The turn was interrupted, so its handle takes no more calls. Return from the behaviour.";
  return new Refused({ code: "turn-over", rule: "I4", message });
}

/** The turn has ended by itself (T1). */
export function endedError(): Refused {
  const message =
    "The turn has ended, and what it had left open with it. Await every call before the behaviour returns.";
  return new Refused({ code: "turn-over", rule: "T1", message });
}

/** An idempotency key that stands for another request already (M3). */
export function keyReused(key: string): Refused {
  const message = `The key ${JSON.stringify(key)} was used for another request. Give each request a key of its own; repeat one only as it was.`;
  return new Refused({ code: "key-reused", rule: "M3", message });
}

/** Why no turn will read the person's INPUT: the session has had all its turns (X2, W8). `null` where one will. */
export function stuckPrompt(state: State): Refused | null {
  const root = state.durable.agents.get(ROOT);
  if (root === undefined || state.volatile.inputs.length === 0) return null;
  if (startGuard(state, root)?.guard !== "turns") return null;
  const fault = turnsFault(new Stage(state), root);
  return fault === null ? null : new Refused(fault.rejection);
}
