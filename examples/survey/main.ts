/**
 * Surveys a folder with retained agents: `npm start -- [folder]`.
 *
 * The root spawns an agent for each top folder; each runs real commands and mails what it finds to `/root/editor`, who
 * writes the report. All of it is kept in a log: run it again, and the same agents say what has changed since; kill it
 * in the middle, and the next run says what it found and goes on. The agents here are ordinary programs: a model would
 * be called inside `turn.sample`, and everything else would stay as it is.
 *
 * This file owns the process: its signals, its exit code, and what it says when it fails.
 */
import { constants } from "node:os";
import { BadInput, USAGE, readArgs } from "./args.js";
import { runSurvey } from "./run.js";

const stop = new AbortController();
let stoppedBy = 0;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // Once: a second one ends the process as it would without us.
  process.once(signal, () => {
    stoppedBy = 128 + constants.signals[signal];
    stop.abort();
  });
}

async function main(): Promise<number> {
  try {
    const args = readArgs(process.argv.slice(2));
    if (args.help) process.stdout.write(USAGE);
    else await runSurvey(args, stop.signal);
    return stoppedBy;
  } catch (error) {
    if (stoppedBy > 0) {
      process.stderr.write("Stopped. What was accepted is in the log; run it again to go on.\n");
      return stoppedBy;
    }
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      error instanceof BadInput ? `${message}\n` : `The run failed: ${message}\n`,
    );
    return error instanceof BadInput ? 2 : 1;
  }
}

process.exitCode = await main();
