/** `npm run peer:matrix`: prints the crash-point matrix of operations; it fails when a row is not as it must be. */
import { cases, type Outcome, printed, tryCase } from "./matrix.js";

const outcomes: Outcome[] = [];
for (const one of cases()) outcomes.push(await tryCase(one));
console.log(printed(outcomes));
const wrong = outcomes.filter(({ faults }) => faults.length > 0).length;
console.log(`\n${outcomes.length} cases, ${wrong} not as they must be`);
if (wrong > 0) process.exitCode = 1;
