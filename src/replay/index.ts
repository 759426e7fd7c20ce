/**
 * The entry `dovecote/replay`: what happened in a recorded session, why, and why something did not.
 */
export { openTrace, Trace, type EventFilter, type Position, type TraceOptions } from "./trace.js";
export type { TraceSource } from "./source.js";
export { concurrent, renderWhy, why, type Outside, type Why } from "./why.js";
export { stranded, whyNot, type NonEvent, type Stranded, type WhyNot } from "./whyNot.js";
export type { Obstacle } from "./guardWords.js";
export { changes, type Change } from "./changes.js";
export { bisect, check, type Found } from "./check.js";
export {
  inputsOf,
  verify,
  type Decide,
  type Difference,
  type Input,
  type VerifyOptions,
} from "./verify.js";
export { describe } from "./words.js";
export {
  fork,
  saveFork,
  type Fork,
  type ForkChange,
  type ForkOptions,
  type Skipped,
} from "./fork.js";
export { rerun, type Script } from "./rerun.js";
export { diff, renderDiff, type AgentDiff, type RunDiff, type Side } from "./diff.js";
export {
  explore,
  pointOfNoReturn,
  races,
  type ExploreOptions,
  type Futures,
  type Race,
  type RacesOptions,
} from "./futures.js";
export { toMermaid, toSwimlanes, type PictureRange } from "./picture.js";
export { standings, toTest, type Standing } from "./toTest.js";
