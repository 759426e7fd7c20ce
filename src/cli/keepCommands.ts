/**
 * Commands about a log as bytes: `verify`, `export`, `import`, `salvage`. Only the last two write, and only what is new.
 */
import type { Command } from "commander";
import { BadArgument } from "../errors.js";
import { type LogReport, verifyLog } from "../log/verify.js";
import { levelLog, readLevelLog, salvageLog } from "../log/levelLog.js";
import { readLines, writeLines } from "../log/lines.js";
import type { EventLog } from "../log/log.js";
import { exportLog, importLog } from "../log/transfer.js";
import { verify } from "../replay/verify.js";
import { EXIT, type ExitCode, type Io, print } from "./io.js";
import { type Common, logCommand } from "./logCommand.js";
import { withTrace } from "./within.js";

type End = (code: ExitCode) => void;

/** Adds the commands to the program. */
export function addKeepCommands(program: Command, io: Io, end: End): void {
  addVerify(program, io, end);
  addExport(program, io);
  addImport(program, io);
  addSalvage(program, io, end);
}

/** Says how far something long has come, where somebody looks on. */
function progressOf(io: Io, what: string) {
  return ({ session, position, of }: { session: string; position: number; of: number }): void =>
    io.progress?.(`${what} ${session}: ${position} of ${of} commits`);
}

async function using<T>(log: EventLog, use: (log: EventLog) => Promise<T>): Promise<T> {
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

interface Verified {
  readonly session: string;
  readonly ok: boolean;
  readonly commits: number;
  readonly events: number;
  /** The last commit that retention cut: decisions after it can't be compared. */
  readonly cut: number | null;
  readonly error: string | null;
  /** Where today's kernel decides otherwise than what is recorded. */
  readonly difference: string | null;
}

function addVerify(program: Command, io: Io, end: End): void {
  logCommand(program, "verify", "whether every byte is whole, and today's rules decide the same")
    .option("--bytes", "only the bytes")
    .action(async (folder: string, options: Common & { bytes?: true }) => {
      const report = await using(readLevelLog(folder), (log) =>
        verifyLog(log, { onProgress: progressOf(io, "verify") }),
      );
      const rows: Verified[] = [];
      for (const one of wanted(report, options.session, folder)) {
        const { session, ok, commits, events, error, cut } = one;
        const difference =
          ok && options.bytes !== true && cut === undefined
            ? await withTrace(folder, { session }, (trace) => verify(trace))
            : undefined;
        rows.push({
          session,
          ok: ok && difference === undefined,
          commits,
          events,
          cut: cut ?? null,
          error: error?.message ?? null,
          difference: difference?.text ?? null,
        });
      }
      print(io, options.json === true, rows, verifiedLine);
      if (rows.some(({ ok }) => !ok)) end(EXIT.found);
    });
}

function wanted(
  { sessions }: LogReport,
  session: string | undefined,
  folder: string,
): LogReport["sessions"] {
  if (session === undefined) return sessions;
  const found = sessions.filter((one) => one.session === session);
  if (found.length > 0) return found;
  throw new BadArgument(`There is no session ${JSON.stringify(session)} in ${folder}.`, "R3");
}

function verifiedLine({ session, commits, events, cut, error, difference }: Verified): string {
  const found = error ?? difference;
  const bytes = cut === null ? "" : `, but cut after ${cut}: decisions are not compared`;
  return `${session}  ${commits} commits, ${events} events${found === null ? `, all well${bytes}` : `: ${found}`}`;
}

function addExport(program: Command, io: Io): void {
  program
    .command("export")
    .summary("a log as lines, which the import and the other commands take")
    .description("a log as lines: each session's head and its commits, byte for byte")
    .argument("<log>", "folder of the log; it is left as it is")
    .argument("[file]", "where to; standard output unless given")
    .option("-s, --session <id>", "only this session")
    .action(async (folder: string, file: string | undefined, { session }: Common) => {
      await using(readLevelLog(folder), async (log) => {
        const lines = exportLog(log, {
          onProgress: progressOf(io, "export"),
          ...(session === undefined ? {} : { sessions: [session] }),
        });
        if (file !== undefined) return writeLines(file, lines);
        for await (const line of lines) io.out(line);
      });
    });
}

function addImport(program: Command, io: Io): void {
  program
    .command("import")
    .summary("brings an export into a log")
    .description(
      "brings an export into a log, which is made where there is none; all of it or nothing",
    )
    .argument("<file>", "an export")
    .argument("<log>", "folder of the log")
    .option("--json", "one JSON object a line")
    .action(async (file: string, folder: string, options: Common) => {
      const imported = await using(levelLog(folder), (log) =>
        importLog(log, () => readLines(file), { onProgress: progressOf(io, "import") }),
      );
      print(
        io,
        options.json === true,
        imported,
        ({ session, head }) => `${session}  ${head.position} commits, head ${head.hash}`,
      );
    });
}

function addSalvage(program: Command, io: Io, end: End): void {
  program
    .command("salvage")
    .summary("saves what can be proved good of a damaged log")
    .description(
      "writes what can be proved good of a damaged log into a new folder, and lists the rest",
    )
    .argument("<log>", "folder of the damaged log; it is left as it is")
    .argument("<to>", "a folder that is absent or empty")
    .option("--json", "one JSON object a line")
    .action(async (from: string, to: string, options: Common) => {
      const report = await salvageLog(from, to);
      print(io, options.json === true, report.sessions, ({ session, head, leftOut }) =>
        [
          `${session}  ${head.position} commits saved`,
          ...leftOut.map(
            (one) => `  ${one.from} to ${one.to} left out: ${one.reason} (${one.detail})`,
          ),
        ].join("\n"),
      );
      if (!report.watermark) {
        io.err("The watermark can't be read: a tail may be missing from this list (L3).");
      }
      const isWhole =
        report.watermark &&
        report.unknownKeys.length === 0 &&
        report.sessions.every(({ leftOut }) => leftOut.length === 0);
      if (!isWhole) end(EXIT.found);
    });
}
