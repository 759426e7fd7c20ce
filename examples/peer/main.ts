/**
 * Writes to a member of a release team, with a copy for its lead:
 *
 *   npx tsx examples/peer/main.ts send /root/lead/notes "Use the new format." --log DIR --id ticket-7
 *
 * Kill it at any moment and run it again with the same `--id`: nobody gets the message twice, and what can't be told is
 * said. This file owns the command line and the exit code.
 */
import { parseArgs } from "node:util";
import { DovecoteError, type PeerRecipientResult } from "dovecote";
import { fileInbox } from "./fileInbox.js";
import { leaderOf, read, relay, type Team } from "./relay.js";

const USAGE = `Writes to a member of a release team, with a copy for its lead.

  send TARGET TEXT   sends; with --id it can be repeated, and --replay only settles what was begun
  leader TARGET      says who leads an agent
  read TARGET        wakes an agent to read its mail

  --log DIR          where the team is kept (needed)
  --inbox DIR        keeps messages in files instead of the team's log
  --id ID --replay --live
`;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function inWords(who: string, one: PeerRecipientResult): string {
  const name = one.recipient === undefined ? "nobody" : one.recipient.path;
  const why = one.reason === undefined ? "" : ` (${one.reason})`;
  return `${who} ${name}: ${one.outcome}${one.receipt === undefined ? "" : `, ${one.receipt}`}${why}`;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      log: { type: "string" },
      inbox: { type: "string" },
      id: { type: "string" },
      replay: { type: "boolean", default: false },
      live: { type: "boolean", default: false },
    },
  });
  const [verb, target, text] = positionals;
  if (values.log === undefined || target === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const inbox = values.inbox === undefined ? {} : { inbox: fileInbox(values.inbox) };
  const team: Team = { log: values.log, tell: say, ...inbox };
  if (verb === "leader") say((await leaderOf(team, target)).reason);
  else if (verb === "read") say(await read(team, target));
  else if (verb === "send" && text !== undefined) {
    const id = values.id === undefined ? {} : { operationId: values.id };
    const options = { ...id, replayOnly: values.replay, requireLive: values.live };
    const { child, parent, ok } = await relay(team, { target, text, ...options });
    say(inWords("child", child));
    say(inWords("parent", parent));
    return ok ? 0 : 1;
  } else {
    process.stderr.write(USAGE);
    return 2;
  }
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof DovecoteError)) throw error;
  process.stderr.write(`${error.message} (${error.rule})\n`);
  process.exitCode = 1;
}
