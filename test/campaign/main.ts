/**
 * `npm run campaign`: a campaign against the log. Progress goes to stderr, the table to stdout; it fails when anything
 * was lost or wrongly refused.
 *
 * `--seed N` (1), `--kills N` (200 in each durability), `--damages N` (525), `--openers N` (40), `--full-disks N` (40).
 */
import { parseArgs } from "node:util";
import { campaign } from "./campaign.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "200" },
    damages: { type: "string", default: "525" },
    openers: { type: "string", default: "40" },
    "full-disks": { type: "string", default: "40" },
  },
});

const table = await campaign(
  {
    seed: Number(values.seed),
    kills: Number(values.kills),
    damages: Number(values.damages),
    openers: Number(values.openers),
    fullDisks: Number(values["full-disks"]),
  },
  (line) => console.error(line),
);
console.log(table.toString());
for (const failure of table.failures) console.error(failure);
if (table.failures.length > 0) process.exitCode = 1;
