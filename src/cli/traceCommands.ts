/**
 * Commands that look at a recorded session: `log`, `show`, `why`, `whynot`, `stranded`, `state`, `diff`. None of them writes.
 */
import { Argument, type Command, Option } from "commander";
import { type Point, formatPoint } from "../events/point.js";
import type { AgentPath } from "../paths.js";
import { changes } from "../replay/changes.js";
import { diff, renderDiff } from "../replay/diff.js";
import type { Position } from "../replay/trace.js";
import { type NonEvent, stranded, whyNot } from "../replay/whyNot.js";
import { renderWhy, why } from "../replay/why.js";
import { describe } from "../replay/words.js";
import { readPath, readPoint, readPosition } from "./arguments.js";
import { EXIT, type ExitCode, type Io, print } from "./io.js";
import { type Common, logCommand } from "./logCommand.js";
import { withTrace } from "./within.js";

interface Ranged extends Common {
  readonly agent?: AgentPath;
  readonly from?: Position;
  readonly to?: Position;
}

/** Ends a call with a code. */
type End = (code: ExitCode) => void;

/** Adds the commands to the program. */
export function addTraceCommands(program: Command, io: Io, end: End): void {
  addLog(program, io);
  addShow(program, io);
  addWhy(program, io);
  addWhyNot(program, io, end);
  addStranded(program, io, end);
  addState(program, io);
  addDiff(program, io, end);
}

function addLog(program: Command, io: Io): void {
  logCommand(program, "log", "what happened, event by event")
    .option("-a, --agent <path>", "only of this agent and those below it", readPath)
    .option("--from <position>", "from here on: 12 or 12.3", readPosition)
    .option("--to <position>", "up to here", readPosition)
    .action(async (log: string, options: Ranged) => {
      await withTrace(log, options, async (trace) => {
        const { agent, from, to } = options;
        const filter = {
          ...(agent === undefined ? {} : { agent }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to }),
        };
        for await (const { event, at } of trace.events(filter)) {
          const row = { at: formatPoint(at), text: describe(event), event };
          print(io, options.json === true, [row], ({ text }) => `${row.at.padStart(8)}  ${text}`);
        }
      });
    });
}

function addShow(program: Command, io: Io): void {
  logCommand(program, "show", "one event, whole")
    .argument("<point>", "such as 12.3", readPoint)
    .action(async (log: string, point: Point, options: Common) => {
      await withTrace(log, options, async (trace) => {
        const { event, at } = await trace.event(point);
        if (options.json === true) io.out(JSON.stringify({ at: formatPoint(at), event }));
        else io.out(`${formatPoint(at)}  ${describe(event)}\n${JSON.stringify(event, null, 2)}`);
      });
    });
}

function addWhy(program: Command, io: Io): void {
  logCommand(program, "why", "what an event happened because of, back to what came from outside")
    .argument("<point>", "such as 12.3", readPoint)
    .action(async (log: string, point: Point, options: Common) => {
      await withTrace(log, options, async (trace) => {
        const tree = await why(trace, point);
        io.out(options.json === true ? JSON.stringify(tree) : renderWhy(tree));
      });
    });
}

function addWhyNot(program: Command, io: Io, end: End): void {
  const what = new Argument("<what>", "what did not happen");
  logCommand(program, "whynot", "what keeps an agent from being woken, reading, or settling")
    .argument("<path>", "the agent", readPath)
    .addArgument(what.choices(["wake", "start", "delivery", "settle"]))
    .addOption(new Option("--at <position>", "as it was here: 12 or 12.3").argParser(readPosition))
    .action(
      async (
        log: string,
        path: AgentPath,
        event: NonEvent,
        options: Common & { at?: Position },
      ) => {
        await withTrace(log, options, async (trace) => {
          const reason = await whyNot(trace, path, event, options.at ?? trace.length);
          if (reason === undefined) {
            io.out(options.json === true ? "null" : `Nothing keeps ${path} from its ${event}.`);
            return;
          }
          print(io, options.json === true, [reason], ({ text, rule, since, frees }) =>
            [`${path}: ${text} (${rule}), since commit ${since}.`, `Freed by: ${frees}.`].join(
              "\n",
            ),
          );
          end(EXIT.found);
        });
      },
    );
}

function addStranded(program: Command, io: Io, end: End): void {
  logCommand(program, "stranded", "every unread record, and why it has not been read")
    .option("--at <position>", "as it was here: 12 or 12.3", readPosition)
    .action(async (log: string, options: Common & { at?: Position }) => {
      await withTrace(log, options, async (trace) => {
        await trace.at(options.at ?? trace.length);
        const found = stranded(trace);
        print(io, options.json === true, found, (one) => {
          const what = `${one.mail} from ${one.from} to ${one.path}`;
          return `${formatPoint(one.record).padStart(8)}  ${what}: ${one.text} (${one.rule})`;
        });
        if (found.length > 0) end(EXIT.found);
        else if (options.json !== true) io.err("No record is unread.");
      });
    });
}

function addState(program: Command, io: Io): void {
  logCommand(program, "state", "the agents as they were at a position")
    .option("--at <position>", "as it was here: 12 or 12.3", readPosition)
    .action(async (log: string, options: Common & { at?: Position }) => {
      await withTrace(log, options, async (trace) => {
        await trace.at(options.at ?? trace.length);
        const { durable, volatile } = trace.whole;
        const rows = [...durable.agents.values()]
          .sort((a, b) => (a.path < b.path ? -1 : 1))
          .map(({ path, gen, phase, turns, unread, last }) => ({
            path,
            gen,
            phase,
            turns,
            unread: unread.length,
            marked: volatile.marks.has(path),
            lastOutcome: last?.outcome ?? null,
          }));
        print(io, options.json === true, rows, (row) => {
          const marked = row.marked ? ", marked" : "";
          const last = row.lastOutcome === null ? "" : `, last ${row.lastOutcome}`;
          return `${row.path}  ${row.phase}, turn ${row.turns}, ${row.unread} unread${marked}${last}`;
        });
      });
    });
}

function addDiff(program: Command, io: Io, end: End): void {
  logCommand(program, "diff", "what changed between two positions, or where two logs part")
    .argument("<a>", "a position, such as 12 or 12.3; or another log")
    .argument("[b]", "a position, such as 20", readPosition)
    .option("--other <id>", "session of the other log, where it has several")
    .action(
      async (
        log: string,
        a: string,
        b: Position | undefined,
        options: Common & { other?: string },
      ) => {
        const isFound = await (b === undefined
          ? diffLogs(io, log, a, options)
          : diffPositions(io, log, [readPosition(a), b], options));
        if (isFound) end(EXIT.found);
      },
    );
}

async function diffPositions(
  io: Io,
  log: string,
  [a, b]: readonly [Position, Position],
  options: Common,
): Promise<boolean> {
  return withTrace(log, options, async (trace) => {
    const found = await changes(trace, a, b);
    print(io, options.json === true, found, ({ path, text }) => `${path ?? "session"}  ${text}`);
    return found.length > 0;
  });
}

async function diffLogs(
  io: Io,
  log: string,
  other: string,
  options: Common & { other?: string },
): Promise<boolean> {
  const { other: session, json } = options;
  return withTrace(log, options, (trace) =>
    withTrace(other, session === undefined ? {} : { session }, async (second) => {
      const found = await diff(trace, second);
      io.out(json === true ? JSON.stringify(found ?? null) : renderDiff(found));
      return found !== undefined;
    }),
  );
}
