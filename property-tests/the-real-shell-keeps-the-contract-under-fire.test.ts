/**
 * Random programs on the real shell: whatever agents and hosts do, whatever fails, the log breaks no rule, everything
 * that was handed out settles, and nothing is left behind (V4, L6, L8, Q2, R1, M3).
 */
import { expect, it, vi } from "vitest";
import { checkSlowly } from "../test/support/property.js";
import { watchUnhandled } from "../test/support/unhandled.js";
import { ShellPlay } from "./support/shellPlay.js";
import { shellPrograms } from "./support/shellPrograms.js";

// How many programs are played is DOVECOTE_RUNS's to say; a loaded machine must not fail a property.
vi.setConfig({ testTimeout: 3_600_000 });

it("V4 L8 Q2 M3 keeps the contract and leaves nothing behind", async () => {
  const unhandled = watchUnhandled();
  const figures = { programs: 0, lives: 0, steps: 0, quiet: 0 };
  try {
    await checkSlowly(shellPrograms, async (program) => {
      const play = new ShellPlay(program);
      const faults = await play.run();
      figures.programs++;
      figures.lives += play.figures.lives;
      figures.steps += play.figures.steps;
      figures.quiet += play.figures.quiet;
      expect([...faults, ...unhandled.take()]).toEqual([]);
    });
  } finally {
    unhandled.stop();
  }
  if (process.env["DOVECOTE_RUNS"] !== undefined) console.log(figures);
});
