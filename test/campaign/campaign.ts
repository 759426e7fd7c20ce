/**
 * A campaign against the log: writers killed, files damaged, disks filled, second openers. All chance comes from one
 * seed, but for the moments at which the system stops a process.
 */
import { makeFolder } from "../support/folders.js";
import { Chance } from "./chance.js";
import { damages } from "./damage.js";
import { kills } from "./kills.js";
import { fullDisks, openers } from "./others.js";
import { Table } from "./table.js";

/** How much of each. */
export interface Amounts {
  readonly seed: number;
  /** In each of the two durabilities. */
  readonly kills: number;
  readonly damages: number;
  readonly openers: number;
  readonly fullDisks: number;
}

/** Runs a campaign, and tells now and then how far it is. */
export async function campaign(
  amounts: Amounts,
  say: (line: string) => void = () => undefined,
): Promise<Table> {
  const table = new Table();
  const { path: work, remove } = await makeFolder();
  const chance = (salt: number): Chance => new Chance(amounts.seed * 7919 + salt);
  const every =
    (what: string, of: number) =>
    (done: number): void => {
      if (done % 25 === 0 || done === of) say(`${what}: ${done} of ${of}`);
    };
  try {
    for (const [salt, durability] of (["disk", "process"] as const).entries()) {
      const told = every(`kills, ${durability}`, amounts.kills);
      await kills(work, amounts.kills, durability, chance(salt), table, told);
    }
    await damages(work, amounts.damages, chance(3), table, every("damages", amounts.damages));
    await openers(work, amounts.openers, chance(4), table, every("openers", amounts.openers));
    const told = every("full disks", amounts.fullDisks);
    if (!(await fullDisks(work, amounts.fullDisks, chance(5), table, told))) {
      say("full disks: none can be mounted here");
    }
    return table;
  } finally {
    await remove();
  }
}
