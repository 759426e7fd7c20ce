/** The command `dovecote fuzz`: fuzzes the world that a module exports, and prints what it finds. */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Command, InvalidArgumentError } from "commander";
import { BadArgument, DovecoteError } from "../errors.js";
import { type FuzzOptions, type FuzzReport, type Progress, fuzz } from "../fuzz/fuzz.js";
import { renderFailure } from "../fuzz/report.js";
import type { WorldKind } from "../fuzz/world.js";
import { readWhole } from "./arguments.js";
import { EXIT, type ExitCode, type Io } from "./io.js";

interface Given {
  readonly runs?: number;
  readonly seconds?: number;
  readonly strategy?: readonly string[];
  readonly seed?: number;
  readonly faults?: number;
  readonly token?: string;
  readonly json?: boolean;
}

/** Adds the command. */
export function addFuzzCommand(program: Command, io: Io, end: (code: ExitCode) => void): void {
  program
    .command("fuzz")
    .summary("fuzzes the schedules of a world that a module exports")
    .description("Fuzzes the schedules of a world: a module whose default export is a scenario.")
    .argument("<file>", "the module")
    .option("--runs <n>", "how many runs at most", readWhole)
    .option("--seconds <s>", "how long at most", readSeconds)
    .option("--strategy <name...>", "random, pct, pos: all in turn unless given")
    .option("--seed <n>", "where chance begins", readWhole)
    .option("--faults <n>", "faults of a run at most", readWhole)
    .option("--token <token>", "replays this schedule alone")
    .option("--json", "prints one object")
    .action(async (file: string, given: Given) => {
      const report = await fuzz(await load(file), optionsOf(io, given));
      if (given.json === true) io.out(JSON.stringify(report));
      else print(io, report, file);
      end(report.failure === null ? EXIT.ok : EXIT.found);
    });
}

function optionsOf(io: Io, { runs, seconds, strategy, seed, faults, token }: Given): FuzzOptions {
  const { progress } = io;
  return {
    ...(runs === undefined ? {} : { runs }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(strategy === undefined ? {} : { strategies: strategy }),
    ...(seed === undefined ? {} : { seed }),
    ...(faults === undefined ? {} : { faults }),
    ...(token === undefined ? {} : { token }),
    ...(progress === undefined ? {} : { onProgress: (now) => progress(line(now)) }),
  };
}

function print(io: Io, report: FuzzReport, file: string): void {
  const { failure } = report;
  if (failure === null) io.out(`clean: ${line(report)}`);
  else io.out(renderFailure(failure, { file, isColoured: io.isColoured === true }));
}

function line({ runs, steps, seconds, covered }: Progress): string {
  const rate = seconds === 0 ? steps : Math.round(steps / seconds);
  const unseen = (covered.unseen * 100).toPrecision(2);
  return `${runs} runs, ${steps} steps, ${rate} steps a second, ${covered.states} states, the next step leads to an unseen one in ${unseen} %`;
}

/** What a module exports by default, if it is a world. */
async function load(file: string): Promise<WorldKind> {
  let found: unknown;
  try {
    const module = (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown };
    found = module.default;
  } catch (error) {
    if (error instanceof DovecoteError) throw error;
    throw new BadArgument(`${file} can't be loaded: ${reasonOf(error)}`);
  }
  if (isWorldKind(found)) return found;
  throw new BadArgument(
    `${file} has no world as its default export. Write: export default scenario("name", setup).`,
  );
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code !== "ERR_UNKNOWN_FILE_EXTENSION") return message ?? String(error);
  return "this Node runs no TypeScript by itself. Compile it, or run: node --import tsx node_modules/dovecote/dist/cli/main.js fuzz FILE";
}

function isWorldKind(value: unknown): value is WorldKind {
  if (typeof value !== "object" || value === null) return false;
  const { name, mark, open } = value as Partial<WorldKind>;
  return typeof name === "string" && typeof mark === "string" && typeof open === "function";
}

function readSeconds(text: string): number {
  if (/^\d{1,6}(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write a number of seconds, such as 30.");
}
