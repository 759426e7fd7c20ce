/** Searches every scope whole and prints what it finds: `npm run explore`. Exits with 1 when a scope does not hold. */
import { explore, renderExplored } from "../../src/fuzz/explore.js";
import { LARGE_SCOPES, SMALL_SCOPES } from "../../src/fuzz/scopes.js";

for (const scope of [...SMALL_SCOPES, ...LARGE_SCOPES]) {
  const began = process.cpuUsage();
  const explored = explore(scope);
  const { user, system } = process.cpuUsage(began);
  const seconds = (user + system) / 1e6;
  const rate = Math.round(explored.states / seconds);
  process.stdout.write(
    `${renderExplored(explored)}\n  ${seconds.toFixed(1)} s, ${rate} states/s\n`,
  );
  if (explored.verdict !== "holds") process.exitCode = 1;
}
