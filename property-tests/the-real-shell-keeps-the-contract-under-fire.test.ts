/**
 * Random programs on the real shell: whatever agents and hosts do, whatever fails, the log breaks no rule, everything
 * that was handed out settles, and nothing is left behind (V4, L6, L8, Q2, R1, M3).
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { levelLog } from "../src/log/levelLog.js";
import type { EventLog } from "../src/log/log.js";
import { makeFolder } from "../test/support/folders.js";
import { checkSlowly } from "../test/support/property.js";
import { watchUnhandled } from "../test/support/unhandled.js";
import { type Place, ShellPlay, readAll } from "./support/shellPlay.js";
import { shellPrograms } from "./support/shellPrograms.js";

// How many programs are played is DOVECOTE_RUNS's to say; a loaded machine must not fail a property.
vi.setConfig({ testTimeout: 3_600_000 });

/** Programs unless `DOVECOTE_RUNS` says otherwise. */
const RUNS = 120;
const RUNS_IN_A_FOLDER = 6;

let unhandled: ReturnType<typeof watchUnhandled>;
beforeEach(() => {
  unhandled = watchUnhandled();
});
afterEach(() => unhandled.stop());

async function faultsOf(play: ShellPlay): Promise<readonly string[]> {
  const faults = await play.run();
  return [...faults, ...unhandled.take()];
}

it("V4 L6 L8 Q2 M3 keeps the contract, and leaves nothing behind", async () => {
  const figures = { programs: 0, lives: 0, steps: 0, quiet: 0 };
  await checkSlowly(
    shellPrograms,
    async (program) => {
      const play = new ShellPlay(program);
      expect(await faultsOf(play)).toEqual([]);
      figures.programs++;
      figures.lives += play.figures.lives;
      figures.steps += play.figures.steps;
      figures.quiet += play.figures.quiet;
    },
    RUNS,
  );
  if (process.env["DOVECOTE_RUNS"] !== undefined) console.log(figures);
});

it("R1 R2 L8 keeps it in a folder too, through every reopen", async () => {
  await checkSlowly(
    shellPrograms,
    async (program) => {
      const place = await folderPlace();
      try {
        expect(await faultsOf(new ShellPlay(program, place))).toEqual([]);
      } finally {
        await place.remove();
      }
    },
    RUNS_IN_A_FOLDER,
  );
});

/**
 * A place in a folder. A killed process leaves it what it had been told was durable; here the process is closed first, so
 * what it still writes while it closes is there as well.
 */
async function folderPlace(): Promise<Place & { remove(): Promise<void> }> {
  const { path, remove } = await makeFolder();
  let log: EventLog | undefined;
  return {
    turns: 1_000,
    open: async () => {
      await log?.close();
      log = levelLog(path, { durability: "process" });
      return log;
    },
    cut: () => undefined,
    commits: async () => (log === undefined ? [] : readAll(log)),
    remove: async () => {
      await log?.close();
      await remove();
    },
  };
}
