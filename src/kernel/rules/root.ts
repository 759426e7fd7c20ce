/**
 * The root queue: the host's notices, which share one order with the root's marks, and the holds that stop it (W7).
 */
import { ROOT } from "../../paths.js";
import type { CommandOf } from "../command.js";
import type { Stage } from "../stage.js";
import { textFault } from "../text.js";
import { type Verdict, DONE, reject } from "../verdict.js";
import { release } from "./starts.js";
import { findTarget } from "./targets.js";

/** A background notice for the root: it marks the root, as mail does, but ends no wait (W7). */
export function notify(stage: Stage, command: CommandOf<"notify">): Verdict<null> {
  const root = findTarget(stage, null, ROOT);
  if (!root.ok) return root;
  const fault = textFault(command.text, "notice");
  if (fault !== null) return fault;
  const { path, gen } = root.agent;
  const { text } = command;
  const record = stage.emit({ type: "notice.queued", cause: "host:notify", path, gen, text });
  if (stage.volatile.marks.has(path)) return DONE;
  stage.emit({ type: "wake.marked", cause: record, path, gen, record });
  return DONE;
}

function nameFault(name: unknown): ReturnType<typeof reject> | null {
  if (typeof name === "string" && name.trim() !== "" && name.isWellFormed()) return null;
  return reject("hold-invalid", "W7", "A hold has a name that says who holds, such as `dialogue`.");
}

/**
 * Takes a hold. A root start that is being prepared for the queue is cancelled: its mark goes back to its place, for a
 * start that a hold cancels is no attempt (W7, T4). The person's INPUT is immune (W8).
 */
export function hold(stage: Stage, command: CommandOf<"hold">): Verdict<null> {
  const fault = nameFault(command.name);
  if (fault !== null) return fault;
  const at = stage.emit({ type: "hold.taken", cause: "host:hold", name: command.name });
  const preparing = stage.reservationOf(ROOT);
  if (preparing?.start !== "wake") return DONE;
  release(stage, preparing, "held", at);
  const { mark, path, gen } = preparing;
  if (mark !== null && !stage.volatile.marks.has(path)) {
    stage.emit({ type: "wake.marked", cause: at, path, gen, record: mark });
  }
  return DONE;
}

/** Releases a hold; when the last one goes, the queue goes on (W7). One that is not there changes nothing. */
export function unhold(stage: Stage, command: CommandOf<"unhold">): Verdict<null> {
  const { name } = command;
  if (!stage.volatile.holds.some((one) => one.name === name)) return DONE;
  stage.emit({ type: "hold.released", cause: "host:release", name });
  return DONE;
}
