/**
 * The command line as a function: arguments and a world in, an exit code out.
 */
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { DovecoteError } from "../errors.js";
import { addAgentCommands } from "./agentCommands.js";
import { addCompletion, writtenOut } from "./completion.js";
import { addFuzzCommand } from "./fuzzCommand.js";
import { EXIT, type ExitCode, type Io } from "./io.js";
import { addJudgeCommands } from "./judgeCommands.js";
import { addKeepCommands } from "./keepCommands.js";
import { addTraceCommands } from "./traceCommands.js";

/** Runs one call. Never rejects: what went wrong is said on the error side, and in the code. */
export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = programFor(io, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync([...writtenOut(program, args)], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof InvalidArgumentError) {
      io.err(`error: ${error.message}`);
      return EXIT.usage;
    }
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof DovecoteError)) throw error;
    io.err(`dovecote: ${error.message}`);
    return EXIT.usage;
  }
}

/** The program with all of its commands; `end` is told how a call ended. */
export function programFor(io: Io, end: (code: ExitCode) => void): Command {
  const program = new Command("dovecote")
    .description(
      "Looks at the logs of sessions: what happened, why, and why something did not. A command may be shortened.",
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
      getOutHelpWidth: () => io.width,
      getErrHelpWidth: () => io.width,
    })
    .showHelpAfterError("(dovecote --help lists the commands)")
    .showSuggestionAfterError();
  addTraceCommands(program, io, end);
  addAgentCommands(program, io);
  addJudgeCommands(program, io, end);
  addKeepCommands(program, io, end);
  addCompletion(program, io);
  addFuzzCommand(program, io, end);
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  return program;
}
