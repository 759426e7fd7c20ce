/**
 * Commands that read agents from a log: `sessions`, `agents`, `history`, `result`, `unread`. None of them writes.
 */
import type { Command } from "commander";
import { readLevelLog } from "../log/levelLog.js";
import type { AgentPath } from "../paths.js";
import type { AgentInfo, TranscriptItem } from "../runtime/api.js";
import { type ReadOnlySession, readSession } from "../runtime/readSession.js";
import { openSource } from "../replay/source.js";
import { readPath } from "./arguments.js";
import { type Io, print } from "./io.js";
import { type Common, logCommand } from "./logCommand.js";
import { pointInto } from "./pointer.js";

/** Adds the commands to the program. */
export function addAgentCommands(program: Command, io: Io): void {
  addSessions(program, io);
  addAgents(program, io);
  addHistory(program, io);
  addResult(program, io);
  addUnread(program, io);
}

async function within(
  log: string,
  { session }: Common,
  use: (session: ReadOnlySession) => Promise<void> | void,
): Promise<void> {
  const opened = await readSession({ log, id: session ?? (await onlySession(log)) });
  try {
    await use(opened);
  } finally {
    await opened.close();
  }
}

async function onlySession(folder: string): Promise<string> {
  const source = await openSource(folder);
  await source.close();
  return source.reader.session;
}

function addSessions(program: Command, io: Io): void {
  program
    .command("sessions")
    .summary("the sessions of a log")
    .description("the sessions of a log")
    .argument("<log>", "folder of the log; it is left as it is")
    .option("--json", "one JSON object a line")
    .action(async (folder: string, options: Common) => {
      const log = readLevelLog(folder);
      try {
        const rows = (await log.sessions()).map((id) => ({ id }));
        print(io, options.json === true, rows, ({ id }) => id);
      } finally {
        await log.close();
      }
    });
}

function addAgents(program: Command, io: Io): void {
  logCommand(program, "agents", "everybody who is retained, sorted by path").action(
    async (log: string, options: Common) => {
      await within(log, options, (session) => {
        print(io, options.json === true, session.list(), agentLine);
      });
    },
  );
}

function agentLine(agent: AgentInfo): string {
  const unread = agent.unread === 0 ? "" : `, ${agent.unread} unread`;
  const last = agent.lastOutcome === undefined ? "" : `, last ${agent.lastOutcome}`;
  return `${agent.path}  ${agent.phase}, turn ${agent.turns}${unread}${last}  (${agent.behavior})`;
}

function addHistory(program: Command, io: Io): void {
  logCommand(program, "history", "an agent's transcript, with its texts")
    .argument("<path>", "the agent", readPath)
    .action(async (log: string, path: AgentPath, options: Common) => {
      await within(log, options, async (session) => {
        print(io, options.json === true, await session.history(path).read(), itemLine);
      });
    });
}

function itemLine(item: TranscriptItem): string {
  const whom = item.from ?? item.to;
  const who = whom === undefined ? "" : ` ${item.from === undefined ? "to" : "from"} ${whom}`;
  return `[${item.turn}] ${item.type ?? item.kind}${who}: ${item.text}`;
}

function addResult(program: Command, io: Io): void {
  logCommand(program, "result", "how an agent's newest turn ended, with its text whole")
    .argument("<path>", "the agent", readPath)
    .argument("[pointer]", "a JSON pointer into a result that is JSON, such as /files/0")
    .action(async (log: string, path: AgentPath, pointer: string | undefined, options: Common) => {
      await within(log, options, async (session) => {
        const result = await session.result(path);
        if (result !== undefined && pointer !== undefined) {
          io.out(JSON.stringify(pointInto(result.text, pointer), null, options.json ? 0 : 2));
        } else if (options.json === true) io.out(JSON.stringify(result ?? null));
        else if (result === undefined) io.err(`${path} has not settled yet: no result.`);
        else io.out(result.text);
      });
    });
}

function addUnread(program: Command, io: Io): void {
  logCommand(program, "unread", "what an agent has not read")
    .argument("<path>", "the agent", readPath)
    .action(async (log: string, path: AgentPath, options: Common) => {
      await within(log, options, async (session) => {
        const records = await session.unread(path);
        if (records.length === 0 && options.json !== true) io.err(`${path} has read everything.`);
        print(
          io,
          options.json === true,
          records,
          ({ type, from, text }) => `${type} from ${from}: ${text}`,
        );
      });
    });
}
