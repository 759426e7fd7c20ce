/** The entry `dovecote/testing`: what helps to test code that uses the library, and engines that keep its logs. */
export { logContract, type TestFramework } from "./logContract.js";
export { appendOne, draftAfter, ODD_TEXTS, readAll, type LogPlace } from "./logSupport.js";
export {
  faultyLog,
  type AppendFault,
  type FaultOptions,
  type FaultyLog,
  type HeldAppend,
} from "./faultyLog.js";
export { virtualPorts, type VirtualPorts } from "./virtualPorts.js";
export {
  given,
  Scenario,
  type AgentView,
  type EffectPart,
  type EventPart,
  type Part,
  type ScenarioHost,
  type UnreadView,
} from "./scenario.js";
export {
  attemptOf,
  BEHAVIOR,
  commands,
  turnOf,
  type SampleEndOptions,
  type SpawnOptions,
} from "./commands.js";
