/**
 * Whether options are usable, looked at before the log is touched (X4). It believes nothing of their types: plain
 * JavaScript calls in here too. Rules of the contract (capacity, ids) are not its business.
 */
import { BadArgument } from "../errors.js";
import { isPresetName } from "../kernel/presets.js";
import type { Behavior } from "./api.js";

/** The behaviours by name, checked and safe from later changes. @throws BadArgument */
export function checkBehaviors(given: unknown): Readonly<Record<string, Behavior>> {
  if (typeof given !== "object" || given === null) {
    throw new BadArgument("There are no behaviours. Give an object of functions, by name.");
  }
  for (const [name, behavior] of Object.entries(given)) {
    if (typeof behavior === "function") continue;
    throw new BadArgument(`The behaviour ${JSON.stringify(name)} is not a function.`);
  }
  return { ...given };
}

/** The root's behaviour must be there when its session is made; a reopened session has it on its log. @throws BadArgument */
export function checkRoot(behaviors: Readonly<Record<string, Behavior>>, root: string): void {
  if (Object.hasOwn(behaviors, root)) return;
  throw new BadArgument(
    `There is no behaviour ${JSON.stringify(root)} for the root. Give one of that name, or name another as \`root\`.`,
  );
}

/** @throws BadArgument for what is no preset (section 12) */
export function checkPreset(name: unknown): void {
  if (name === undefined || isPresetName(name)) return;
  throw new BadArgument("`preset` is `tree`, `jobs` or `peer`. Leave it out for `tree`.");
}

/** A session keeps the preset that it was made with. @throws BadArgument when another one is asked for */
export function checkKept(asked: string | undefined, kept: string): void {
  if (asked === undefined || asked === kept) return;
  throw new BadArgument(
    `This session was made with the preset \`${kept}\` and keeps it. Leave \`preset\` out, or make another session.`,
  );
}

/** @throws BadArgument for what is neither a folder nor a log */
export function checkLog(log: unknown): void {
  if (typeof log === "string") return;
  const open: unknown =
    typeof log === "object" && log !== null && "openSession" in log ? log.openSession : undefined;
  if (typeof open === "function") return;
  throw new BadArgument("`log` is neither a folder nor a log. Give a path, or memoryLog().");
}

/** @throws BadArgument for what is no time in milliseconds */
export function checkTime(name: string, time: unknown): void {
  if (time === undefined || (typeof time === "number" && time >= 0)) return;
  throw new BadArgument(
    `\`${name}\` is a number of milliseconds; a ${typeof time} that is none was given.`,
  );
}

/** @throws BadArgument for what is no number of bytes */
export function checkBytes(name: string, bytes: unknown): void {
  if (bytes === undefined || (typeof bytes === "number" && bytes > 0)) return;
  throw new BadArgument(`\`${name}\` is a positive number of bytes, or Infinity.`);
}

/** @throws BadArgument for what can't be called */
export function checkHook(name: string, hook: unknown): void {
  if (hook === undefined || typeof hook === "function") return;
  throw new BadArgument(`\`${name}\` is not a function.`);
}

/** @throws BadArgument for what can neither be appended to nor looked up in */
export function checkInbox(inbox: unknown): void {
  if (inbox === undefined) return;
  const { append, lookup } = (inbox ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof append === "function" && typeof lookup === "function") return;
  throw new BadArgument("`peer.inbox` has no `append` and `lookup` to call.", "O6");
}

/** @throws BadArgument for bounds that are no positive whole numbers (X2) */
export function checkLimits(limits: unknown): void {
  for (const [name, limit] of Object.entries(limits ?? {})) {
    if (limit === null || (Number.isSafeInteger(limit) && (limit as number) > 0)) continue;
    throw new BadArgument(
      `\`limits.${name}\` is a positive whole number, or null for no bound.`,
      "X2",
    );
  }
}
