/** The entry `dovecote/testing`: what helps to test code that uses the library, and engines that keep its logs. */
export {
  appendOne,
  draftAfter,
  logContract,
  ODD_TEXTS,
  readAll,
  type LogPlace,
  type TestFramework,
} from "./logContract.js";
