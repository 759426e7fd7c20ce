/** Surveys that were cut off: no accepted mail is lost, and the next run goes on. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { levelLog, openSession, type Commit } from "dovecote";
import { expect, it } from "vitest";
import { testFolder } from "../support/folders.js";
import { eventsOf, linesOf, madeFolder, recordsOf, startSurvey, survey } from "./program.js";

const TIMEOUT_MS = 60_000;
const ALL = /^all +16 +520$/m;

async function sessionIn(log: string): Promise<string> {
  const opened = levelLog(log);
  const [id] = await opened.sessions();
  await opened.close();
  return id ?? "";
}

async function commitsOf(log: string, id: string): Promise<Commit[]> {
  const opened = levelLog(log);
  try {
    const reader = await opened.readSession(id);
    const commits: Commit[] = [];
    if (reader !== undefined) for await (const commit of reader.read()) commits.push(commit);
    return commits;
  } finally {
    await opened.close();
  }
}

/** How much mail is unread in all mailboxes, by the session's own account. */
async function unreadIn(log: string, id: string): Promise<number> {
  const idle = () => undefined;
  const session = await openSession({
    log,
    id,
    behaviors: { root: idle, surveyor: idle, editor: idle },
  });
  const unread = session.list().reduce((sum, agent) => sum + agent.unread, 0);
  await session.close();
  return unread;
}

it(
  "after kill -9 no accepted mail is lost; the next run says what it recovered, and goes on",
  async () => {
    const [folder, state] = [await madeFolder(), await testFolder()];
    const [log, copy] = [join(state, "log"), join(state, "copy")];
    const run = startSurvey(state, folder, "--log", log, "--json");
    run.signalAt((line) => line.includes('"mail":"MAIL","from":"/root/a_b"'), "SIGKILL");
    const killed = await run.ended;
    expect(killed.code).toBeNull();
    const told = eventsOf(killed.out).filter(({ event }) => event.type === "mail.queued");
    const id = await sessionIn(log);
    const kept = await commitsOf(log, id);
    for (const { at, event } of told) expect(kept[at[0] - 1]?.events[at[1]]).toEqual(event);
    await cp(log, copy, { recursive: true });

    const [next, inWords] = await Promise.all([
      survey(state, folder, "--log", log, "--json"),
      survey(state, folder, "--log", copy),
    ]);
    expect([next.code, inWords.code]).toEqual([0, 0]);
    const [opening, plan] = linesOf(next.out);
    expect(opening).toMatchObject({ type: "opening", run: 2, live: 0 });
    expect(opening?.recovered?.map(({ path }) => path)).toContain("/root");
    expect(plan).toMatchObject({ type: "plan", survey: 1 });
    expect(linesOf(next.out).find(({ type }) => type === "report")?.text).toMatch(ALL);
    expect(inWords.err).toMatch(
      /^The last run was cut off\. Settled .*root \(turn 1\)\.\nKept: \d+ /,
    );
    expect(inWords.err).toContain("\nNothing has started by itself.\nSurvey 1 of ");
    expect(inWords.out).toMatch(ALL);

    const { delivered, unread } = recordsOf(await commitsOf(log, id));
    expect([...delivered.values()].every((times) => times === 1)).toBe(true);
    for (const { at } of told) expect(delivered.has(at.join("."))).toBe(true);
    expect(await unreadIn(log, id)).toBe(unread.size);
  },
  TIMEOUT_MS,
);

it(
  "an interrupt closes in good order, exits 130, and the next run goes on",
  async () => {
    const [folder, state] = [await madeFolder(), await testFolder()];
    const run = startSurvey(state, folder);
    run.signalAt((line) => /^editor +gets mail/.test(line), "SIGINT");
    const stopped = await run.ended;
    expect(stopped.code).toBe(130);
    expect(stopped.err).toContain("run it again to go on");
    const next = await survey(state, folder);
    expect(next.code).toBe(0);
    expect(next.err).not.toContain("was cut off. Settled");
    expect(next.out).toContain("Survey 1 of ");
    expect(next.out).toMatch(ALL);
  },
  TIMEOUT_MS,
);
