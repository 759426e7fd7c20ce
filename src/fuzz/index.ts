/** The entry `dovecote/fuzz`: worlds that go on by named steps, and checkers that judge what they have done. */
export type { World, WorldKind } from "./world.js";
export type { Checker, Moment, Violation } from "./checkers.js";
export { CHECKERS, violationsOf, type CommitLike, type JudgeOptions } from "./judge.js";
export { fuzz, type Failure, type FuzzOptions, type FuzzReport, type Progress } from "./fuzz.js";
export type { Covered } from "./coverage.js";
export { play, replay, type Choice, type Pick, type Ran } from "./run.js";
export { decodeSchedule, encodeSchedule, type Deviation, type Schedule } from "./schedule.js";
