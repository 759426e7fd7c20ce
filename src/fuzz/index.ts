/** The entry `dovecote/fuzz`: worlds that go on by named steps, and checkers that judge what they have done. */
export type { World, WorldKind } from "./world.js";
export { fuzz, type Failure, type FuzzOptions, type FuzzReport, type Progress } from "./fuzz.js";
export type { Covered } from "./coverage.js";
export { play, replay, type Choice, type Pick, type Ran } from "./run.js";
export { decodeSchedule, encodeSchedule, type Deviation, type Schedule } from "./schedule.js";
export { kernelWorld, KernelWorld, type KernelWorldKind } from "./kernelWorld.js";
export { FAULTS, type Fault, type KernelScenario } from "./kernelScenario.js";
export { KernelRun, type Fate, type History, type RunWatch } from "./kernelRun.js";
export { explore, renderExplored, type Explored, type ExploreOptions } from "./explore.js";
export { Digest } from "./digest.js";
export type { Checker, Moment, Violation } from "../kernel/invariants/checkers.js";
export {
  CHECKERS,
  violationsOf,
  type CommitLike,
  type JudgeOptions,
} from "../kernel/invariants/judge.js";
export { scenario } from "./behaviorWorld.js";
export type { BehaviorFault, Holds, Played } from "./scenario.js";
export { sometimes } from "./sometimes.js";
export { renderFailure, type RenderOptions } from "./report.js";
export { type DeclareTest, FuzzFailed, fuzzTest, survives } from "./survives.js";
