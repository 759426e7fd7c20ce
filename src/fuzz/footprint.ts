/**
 * What a step may touch: agents, the slots that all share, and the disk. Two steps without a common one may change places.
 */
import type { AgentPath } from "../paths.js";
import { agentsOf } from "./choices.js";
import type { KernelRun } from "./kernelRun.js";

/** Verbs that touch nothing but the turn whose they are. */
const LOCAL: ReadonlySet<string> = new Set([
  "sample.end",
  "sample.fail",
  "partial",
  "record",
  "block",
]);

/** See the module header. Errs on the side of too much. */
export function footprintOf(run: KernelRun, name: string): readonly string[] {
  const [subject = "", verb = "", arg = ""] = name.split(":");
  const everyone = (): readonly string[] => [
    "disk",
    "slots",
    ...agentsOf(run.state).map(({ path }) => path),
  ];
  if (!subject.startsWith("/")) {
    if (subject !== "host" || !arg.startsWith("/")) return everyone();
    return verb === "send" ? ["slots", arg] : everyone();
  }
  const path = subject.split(/[.#]/)[0] as AgentPath;
  if (LOCAL.has(verb)) return [path];
  if (verb === "send" || verb === "take" || verb.startsWith("handled")) return ["slots", path, arg];
  if (verb === "sample" || verb === "wait") return ["slots", path];
  return everyone();
}
