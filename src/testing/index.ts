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
