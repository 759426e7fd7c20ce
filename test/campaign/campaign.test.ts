/** A short campaign against the log; `npm run campaign` runs a long one (L2, L3, L5, L6). */
import { expect, it } from "vitest";
import { campaign } from "./campaign.js";

it("L2 L3 L5 L6 nothing is lost and no whole log is refused, whatever is done to its processes, files and disk", async () => {
  const seed = Number(process.env["SEED"] ?? 1);
  const table = await campaign({ seed, kills: 3, damages: 25, openers: 2, fullDisks: 1 });
  expect(table.failures).toEqual([]);
  expect(table.rows.length).toBeGreaterThan(20);
}, 120_000);
