/** The entry `dovecote/fuzz`: worlds that go on by named steps, and checkers that judge what they have done. */
export type { World, WorldKind } from "./world.js";
export {
  CHECKERS,
  violationsOf,
  type Checker,
  type CommitLike,
  type Moment,
  type Violation,
} from "./checkers.js";
