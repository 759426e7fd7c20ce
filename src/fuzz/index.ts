/** The entry `dovecote/fuzz`: worlds that go on by named steps, and checkers that judge what they have done. */
export type { World, WorldKind } from "./world.js";
export type { Checker, Moment, Violation } from "../kernel/invariants/checkers.js";
export {
  CHECKERS,
  violationsOf,
  type CommitLike,
  type JudgeOptions,
} from "../kernel/invariants/judge.js";
