/**
 * A stranger's first program: it knows the installed package and nothing else. Two agents on a log in a folder, looked at
 * from outside while they work; the same log opened again; and the entry for tests.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";

import {
  type AgentPath,
  type Behavior,
  type Commit,
  type CommitDraft,
  type EventLog,
  type Roster,
  type Session,
  type TurnOutcome,
  DovecoteError,
  Refused,
  buildTimeline,
  levelLog,
  memoryLog,
  openSession,
  placeCommit,
  readSession,
  renderTimeline,
} from "dovecote";
import {
  type LogPlace,
  commands,
  given,
  logContract,
  turnOf,
  virtualPorts,
} from "dovecote/testing";

type Name = "root" | "counter";

/** Lets a command run on, waits for it, and answers with what it printed. */
const counter: Behavior<Name> = async (turn) => {
  if (turn.task === undefined) return turn.sample(({ mail }) => `again: ${mail.length}`);
  await turn.yieldExecution({
    command: "count",
    run: async ({ print }) => print("42"),
  });
  const counted: string[] = [];
  while (counted.length === 0) {
    await turn.wait({ timeoutMs: "10000" });
    await turn.sample((input) => {
      input.usage({ tokens: 3 });
      for (const { type, text } of input.mail) if (type === "EXECUTION") counted.push(text);
    });
  }
  return counted.join();
};

/** Spawns the other one, and waits for its RESULT. */
const root: Behavior<Name> = async (turn) => {
  if (turn.task === undefined) return "noted";
  const child = await turn.spawn({ name: "counter", behavior: "counter", task: "Count." });
  await turn.send(child, "Take your time.");
  for (;;) {
    const { why } = await turn.wait();
    const heard = await turn.sample(({ mail }) => mail.map(({ text }) => text).join());
    if (why === "mail") return heard;
  }
};

const behaviors = { root, counter };
const open = (log: string | EventLog): Promise<Session<Name>> =>
  openSession({ log, id: "first", behaviors, capacity: 2, limits: { wakes: 100 } });

async function work(folder: string): Promise<readonly CommitDraft[]> {
  await using session = await open(folder);
  const commits: CommitDraft[] = [];
  const phases: string[] = [];
  session.commits$.subscribe((commit) => commits.push(commit));
  const { roster } = session.projections;
  const stop = roster
    .select((agents: Roster) => agents.get("/root/counter")?.phase ?? "absent")
    .subscribe((phase) => phases.push(phase));

  const outcome: TurnOutcome = await session.prompt("How many?");
  assert.deepEqual([outcome.kind, outcome.path], ["completed", "/root"]);
  assert.match(outcome.text, /42/);
  await session.send("counter", "Are you there?");
  await session.whenQuiet();
  stop();
  const path: AgentPath = "/root/counter";
  assert.equal((await session.result(path))?.text, "again: 1");
  assert.deepEqual(session.usage().total, { tokens: 3 });
  assert.ok(phases.includes("running") && phases.at(-1) === "idle", phases.join());

  // @ts-expect-error no behaviour has that name
  await assert.rejects(session.spawn({ name: "x", behavior: "count", task: "-" }), DovecoteError);
  await assert.rejects(session.send("nobody", "Hello?"), (error) => {
    return error instanceof Refused && error.code === "target-unknown" && error.rule === "A2";
  });
  return commits;
}

/** Opened again, everything is there, and nothing has started. */
async function comeBack(folder: string, known: readonly CommitDraft[]): Promise<void> {
  const looking = await readSession({ log: folder, id: "first" });
  assert.deepEqual(
    looking.list().map(({ path }) => path),
    ["/root", "/root/counter"],
  );
  await looking.close();

  await using session = await open(folder);
  assert.deepEqual([session.opening.run, session.opening.recovered], [2, []]);
  assert.ok(session.list().every(({ phase }) => phase === "idle"));
  const kinds = (await session.history("/root/counter").read(0, 2)).map(({ kind }) => kind);
  assert.equal(kinds[0], "task");
  await session.close();

  const log = levelLog(folder);
  const reader = await log.readSession("first");
  const commits: Commit[] = [];
  if (reader !== undefined) for await (const commit of reader.read()) commits.push(commit);
  await reader?.close();
  await log.close();
  assert.deepEqual(
    commits.slice(1, known.length + 1).map(({ n }) => n),
    known.map(({ n }) => n),
  );
  console.log(renderTimeline(buildTimeline(commits.flatMap(placeCommit)), { width: 80 }));
}

/** Rules without promises, and time that stands still. */
async function rehearse(): Promise<void> {
  given({ capacity: 1 }, commands.spawn("a"), commands.finish(turnOf("/root/a")))
    .when(commands.send("/root/a", "wake up"))
    .includes({ type: "turn.started", path: "/root/a", start: "wake" })
    .agent("/root/a", { phase: "running", turn: 2 });

  const ports = virtualPorts();
  const patient: Behavior = async (turn) => (await turn.wait({ timeoutMs: 60_000 })).why;
  const session = await openSession({ log: memoryLog(), behaviors: { root: patient }, ports });
  const outcome = session.prompt("Wait a minute.");
  await ports.advance(60_000);
  assert.equal((await outcome).text, "timeout");
  await session.close();
  assert.equal(ports.pending, 0);
}

async function place(): Promise<LogPlace> {
  const folder = await mkdtemp(join(tmpdir(), "dovecote-consumer-"));
  return {
    open: async () => levelLog(folder),
    cleanup: () => rm(folder, { recursive: true }),
  };
}

const folder = await mkdtemp(join(tmpdir(), "dovecote-consumer-"));
try {
  await comeBack(folder, await work(folder));
  await rehearse();
  console.log("The program has run.");
} finally {
  await rm(folder, { recursive: true });
}
logContract({ describe, it }, "a folder", place);
