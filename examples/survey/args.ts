/**
 * The command line of the survey: what it takes, and what it says of itself. Knows nothing of folders or sessions.
 */
import { parseArgs } from "node:util";

/** What was asked for. */
export interface Args {
  /** The folder to survey; this checkout unless given. */
  readonly folder?: string;
  /** Where the log lies; a place of its own for each surveyed folder unless given. */
  readonly log?: string;
  readonly json: boolean;
  readonly help: boolean;
}

/** Something in the input is unusable: said in one sentence, exit code 2, nothing written. */
export class BadInput extends Error {}

/** What `--help` prints. */
export const USAGE = `Surveys a folder with retained agents: one for each top folder, and an editor who writes the report.

  npm start -- [folder] [--log DIR] [--json] [--help]

  folder      the folder to survey; this checkout unless given
  --log DIR   where the log lies; unless given, in a folder of its own below
              $XDG_STATE_HOME/dovecote/survey (~/.local/state/dovecote/survey)
  --json      one JSON object a line on stdout, instead of text
  --help      this text

Run it again on the same folder: its agents are still there, and the report says what has changed since.
The report goes to stdout, progress to stderr.
Exit codes: 0 done, 1 the run failed, 2 unusable input, 130 stopped by Ctrl-C.
`;

/**
 * Reads the command line.
 *
 * @throws BadInput for an option it doesn't know, a second folder, or an empty value.
 */
export function readArgs(argv: readonly string[]): Args {
  const { values, positionals } = parse(argv);
  const [folder, second] = positionals;
  if (second !== undefined) throw wrong(`One folder at a time, please: ${folder} or ${second}?`);
  if (folder === "" || values.log === "") throw wrong("The name of a folder is empty.");
  return {
    ...(folder === undefined ? {} : { folder }),
    ...(values.log === undefined ? {} : { log: values.log }),
    json: values.json ?? false,
    help: values.help ?? false,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        log: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

function wrong(what: string): BadInput {
  return new BadInput(`${what}\n\n${USAGE.trimEnd()}`);
}
