/**
 * What every command takes that looks at one session of a log.
 */
import type { Command } from "commander";

/** The options of such a command, as they are read. */
export interface Common {
  readonly session?: string;
  readonly json?: true;
}

/** Adds a command with a log's folder, and those options. */
export function logCommand(program: Command, name: string, summary: string): Command {
  return program
    .command(name)
    .summary(summary)
    .description(summary)
    .argument("<log>", "folder of the log; it is left as it is")
    .option("-s, --session <id>", "session of the log, where it has several")
    .option("--json", "one JSON object a line");
}
