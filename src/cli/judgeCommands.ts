/**
 * Commands that judge a recorded session, or run it on another way: `replay`, `check`, `bisect`, `races`, `explore`,
 * `fork`, `lanes`, `totest`. Only `fork --into` writes, into a log of its own.
 */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { type Point, formatPoint } from "../events/point.js";
import type { State } from "../kernel/state.js";
import { levelLog } from "../log/levelLog.js";
import type { AgentPath } from "../paths.js";
import { changes } from "../replay/changes.js";
import { bisect, check } from "../replay/check.js";
import { diff, renderDiff } from "../replay/diff.js";
import { type ForkChange, fork, saveFork } from "../replay/fork.js";
import { explore, races } from "../replay/futures.js";
import { toMermaid, toSwimlanes } from "../replay/picture.js";
import { toTest } from "../replay/toTest.js";
import { type Position, openTrace } from "../replay/trace.js";
import { describe } from "../replay/words.js";
import { readCount, readPath, readPoint, readPosition, readWhole } from "./arguments.js";
import { EXIT, type ExitCode, type Io, print } from "./io.js";
import { type Common, logCommand } from "./logCommand.js";
import { withTrace } from "./within.js";

type End = (code: ExitCode) => void;

interface Ranged extends Common {
  readonly from?: Position;
  readonly to?: Position;
}

/** Adds the commands to the program. */
export function addJudgeCommands(program: Command, io: Io, end: End): void {
  addReplay(program, io);
  addCheck(program, io, end);
  addBisect(program, io, end);
  addRaces(program, io, end);
  addExplore(program, io, end);
  addFork(program, io, end);
  addLanes(program, io);
  addToTest(program, io);
}

function addReplay(program: Command, io: Io): void {
  logCommand(program, "replay", "one position, with what each of its events changed")
    .requiredOption("--at <position>", "12 is all of commit 12, 12.3 one event of it", readPosition)
    .action(async (log: string, options: Common & { at: Position }) => {
      await withTrace(log, options, async (trace) => {
        if (trace.length === 0 || options.at === 0) {
          io.err("Nothing had happened there yet.");
          return;
        }
        const last = await trace.pointOf(options.at);
        const first = await trace.pointOf(options.at, "first");
        let before: Position = first[0] - 1;
        if (first[1] > 0) before = [first[0], first[1] - 1];
        for await (const { event, at } of trace.events({ from: first, to: last })) {
          const changed = await changes(trace, before, at);
          const row = { at: formatPoint(at), text: describe(event), changes: changed };
          print(io, options.json === true, [row], () =>
            [
              `${row.at.padStart(8)}  ${row.text}`,
              ...changed.map(({ path, text }) => `          ${path ?? "session"}  ${text}`),
            ].join("\n"),
          );
          before = at;
        }
      });
    });
}

function addCheck(program: Command, io: Io, end: End): void {
  logCommand(program, "check", "all invariants at each position; the first that is broken").action(
    async (log: string, options: Common) => {
      await withTrace(log, options, async (trace) => {
        const found = await check(trace);
        if (found === undefined) {
          if (options.json !== true) io.err(`All invariants hold at ${trace.length} commits.`);
          return;
        }
        const row = { ...found, at: formatPoint(found.at) };
        print(io, options.json === true, [row], ({ at, rule, what }) => `${at}  ${rule}: ${what}`);
        end(EXIT.found);
      });
    },
  );
}

/** What a search can look for, of one agent. */
const SEARCHES: Record<string, (state: State, path: AgentPath) => boolean> = {
  spawned: ({ durable }, path) => durable.agents.has(path),
  marked: ({ volatile }, path) => volatile.marks.has(path),
  unread: ({ durable }, path) => (durable.agents.get(path)?.unread.length ?? 0) > 0,
  running: (state, path) => phaseOf(state, path) === "running",
  waiting: (state, path) => phaseOf(state, path) === "waiting",
  settling: (state, path) => phaseOf(state, path) === "settling",
  completed: (state, path) => lastOf(state, path) === "completed",
  errored: (state, path) => lastOf(state, path) === "errored",
  interrupted: (state, path) => lastOf(state, path) === "interrupted",
};
const phaseOf = ({ durable }: State, path: AgentPath) => durable.agents.get(path)?.phase;
const lastOf = ({ durable }: State, path: AgentPath) => durable.agents.get(path)?.last?.outcome;

function addBisect(program: Command, io: Io, end: End): void {
  const what = new Argument("<what>", "what holds of it at the end of the log");
  logCommand(program, "bisect", "the event from which on something holds of an agent")
    .argument("<path>", "the agent", readPath)
    .addArgument(what.choices(Object.keys(SEARCHES)))
    .action(async (log: string, path: AgentPath, search: string, options: Common) => {
      await withTrace(log, options, async (trace) => {
        const holds = SEARCHES[search];
        const found = holds && (await bisect(trace, (state) => holds(state, path)));
        if (found === undefined) {
          io.err(`At the end of the log ${path} is not ${search}.`);
          return;
        }
        const row = { at: formatPoint(found.at), text: found.text, event: found.event };
        print(io, options.json === true, [row], ({ at, text }) => `${at}  ${text}`);
        end(EXIT.found);
      });
    });
}

const budget = (most: number): Option =>
  new Option("--budget <count>", "how many are tried").argParser(readCount).default(most);

function addRaces(program: Command, io: Io, end: End): void {
  logCommand(program, "races", "concurrent pairs whose order decides something, the worst first")
    .addOption(budget(200))
    .option("--from <position>", "only of what comes after it", readPosition)
    .action(async (log: string, options: Ranged & { budget: number }) => {
      await withTrace(log, options, async (trace) => {
        const { from } = options;
        const found = await races(trace, {
          budget: options.budget,
          ...(from === undefined ? {} : { from }),
        });
        print(io, options.json === true, found, ({ text, changes: changed, violations }) =>
          [
            text,
            ...violations.map(({ rule, what }) => `  ${rule}: ${what}`),
            ...changed.map((line) => `  ${line}`),
          ].join("\n"),
        );
        if (found.length > 0) end(EXIT.found);
        else if (options.json !== true) io.err("No pair that was tried decides anything.");
      });
    });
}

function addExplore(program: Command, io: Io, end: End): void {
  logCommand(program, "explore", "random futures from a position, and how many go wrong")
    .argument("<position>", "such as 12 or 12.3", readPosition)
    .addOption(budget(100))
    .addOption(
      new Option("--seed <number>", "the same gives the same").argParser(readWhole).default(1),
    )
    .action(
      async (log: string, at: Position, options: Common & { budget: number; seed: number }) => {
        await withTrace(log, options, async (trace) => {
          const { budget: tries, seed } = options;
          const { wrong, share } = await explore(trace, at, { budget: tries, seed });
          print(
            io,
            options.json === true,
            [{ tried: tries, wrong, share, seed }],
            () => `${wrong} of ${tries} futures go wrong (${(share * 100).toFixed(1)} %).`,
          );
          if (wrong > 0) end(EXIT.found);
        });
      },
    );
}

interface Forking extends Common {
  readonly capacity?: number;
  readonly crash?: true;
  readonly drop?: readonly Point[];
  readonly swap?: readonly [Point, Point];
  readonly mail?: { readonly to: AgentPath; readonly text: string };
  readonly into?: string;
  readonly name?: string;
}

function addFork(program: Command, io: Io, end: End): void {
  logCommand(program, "fork", "runs a session on from a position another way; says what differs")
    .argument("<position>", "what began here or before is kept", readPosition)
    .option("--capacity <slots>", "with another capacity", readCount)
    .option("--crash", "the process dies here, and another opens the session")
    .option("--drop <point>", "what was asked there never comes (again for more)", readPoints)
    .option("--swap <a,b>", "two requests come in the other order", readPair)
    .option("--mail <path:text>", "one more mail of the person", readMail)
    .option("--into <folder>", "write the fork into this log")
    .option("--name <id>", "the fork's session there")
    .action(async (log: string, position: Position, options: Forking) => {
      await withTrace(log, options, async (trace) => {
        const { name, into } = options;
        const other = await fork(trace, position, {
          changes: changesOf(options),
          ...(name === undefined ? {} : { session: name }),
        });
        if (into !== undefined) await save(other, into, io);
        const found = await diff(trace, await openTrace(other.commits));
        io.out(options.json === true ? JSON.stringify(found ?? null) : renderDiff(found));
        for (const { at, text } of other.skipped) io.err(`left out: ${formatPoint(at)}  ${text}`);
        if (found !== undefined) end(EXIT.found);
      });
    });
}

async function save(other: Awaited<ReturnType<typeof fork>>, into: string, io: Io): Promise<void> {
  const log = levelLog(into);
  try {
    io.err(`${into}: session ${await saveFork(other, log)}`);
  } finally {
    await log.close();
  }
}

function changesOf(options: Forking): readonly ForkChange[] {
  const { capacity, crash, drop = [], swap, mail } = options;
  return [
    ...(capacity === undefined ? [] : [{ kind: "capacity", capacity } as const]),
    ...drop.map((at) => ({ kind: "drop", at }) as const),
    ...(swap === undefined ? [] : [{ kind: "swap", first: swap[0], second: swap[1] } as const]),
    ...(mail === undefined ? [] : [{ kind: "mail", ...mail } as const]),
    ...(crash === undefined ? [] : [{ kind: "crash" } as const]),
  ];
}

const readPoints = (text: string, before: readonly Point[] = []): readonly Point[] => [
  ...before,
  readPoint(text),
];

function readPair(text: string): readonly [Point, Point] {
  const [a, b, ...more] = text.split(",");
  if (a === undefined || b === undefined || more.length > 0) {
    throw new InvalidArgumentError("Write two points, such as 12.0,14.0.");
  }
  return [readPoint(a), readPoint(b)];
}

function readMail(text: string): { readonly to: AgentPath; readonly text: string } {
  const [, path, said] = /^([^:]+):(.+)$/su.exec(text) ?? [];
  if (path === undefined || said === undefined) {
    throw new InvalidArgumentError("Write a path and a text, such as /root/editor:please look.");
  }
  return { to: readPath(path), text: said };
}

function addLanes(program: Command, io: Io): void {
  logCommand(program, "lanes", "a picture: a lane for each agent, time going down")
    .option("--from <position>", "from here on: 12 or 12.3", readPosition)
    .option("--to <position>", "up to here", readPosition)
    .option("--mermaid", "as a Mermaid sequence diagram")
    .action(async (log: string, options: Ranged & { mermaid?: true }) => {
      await withTrace(log, options, async (trace) => {
        const { from, to } = options;
        const range = {
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        };
        const picture =
          options.mermaid === true
            ? await toMermaid(trace, range)
            : await toSwimlanes(trace, { ...range, width: io.width });
        io.out(options.json === true ? JSON.stringify({ picture }) : picture);
      });
    });
}

function addToTest(program: Command, io: Io): void {
  logCommand(program, "totest", "a vitest file that brings a session to a position")
    .argument("<position>", "such as 12 or 12.3", readPosition)
    .action(async (log: string, position: Position, options: Common) => {
      await withTrace(log, options, async (trace) => {
        const text = await toTest(trace, position);
        io.out(options.json === true ? JSON.stringify({ text }) : text.trimEnd());
      });
    });
}
