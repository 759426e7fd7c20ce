/**
 * The root: spawns a surveyor for each part that has none yet, as slots allow; waits for the RESULTs; wakes one idle
 * surveyor with a question; and asks the editor for the report.
 */
import { type MailRecord, Refused, type Turn } from "dovecote";
import {
  type AgentKind,
  EDITOR,
  type Looked,
  type Note,
  type Survey,
  lookTask,
  pack,
  unpack,
} from "./messages.js";

/** A spawn that is still to be done. */
interface Wanted {
  readonly name: string;
  readonly behavior: AgentKind;
  readonly task: string;
}

/** See the module header. Each `turn.sample` stands where a root with a model would call it. */
export async function root(turn: Turn<AgentKind>): Promise<string> {
  const order = unpack(turn.task?.text, "survey");
  const kept = await turn.sample(({ mail }) => `Read ${mail.length} records of earlier turns.`);
  if (order === undefined) return `${kept} Nobody asked for a survey.`;
  const desk = new Desk(order);
  const wanted = await wantedBy(turn, order);
  await spawnSome(turn, wanted);
  while (wanted.length > 0 || desk.open > 0) {
    await readMail(turn, (record) => desk.take(record));
    await spawnSome(turn, wanted);
  }
  const asked = await askLongest(turn, desk);
  await orderReport(turn, desk, asked);
  return pack(`Survey ${order.survey} is done.`, { kind: "surveyed", survey: order.survey });
}

/** The editor, where there is none yet, and the new surveyors. */
async function wantedBy(turn: Turn<AgentKind>, order: Survey): Promise<Wanted[]> {
  const agents = await turn.list();
  const parts = order.parts.filter(({ state }) => state === "new");
  const wanted: Wanted[] = parts.map(({ agent, folder }) => {
    return { name: agent, behavior: "surveyor", task: lookTask(order, folder) };
  });
  if (agents.some(({ path }) => path === EDITOR)) return wanted;
  const task = "Keep the findings that are mailed to you, and write the report when you are asked.";
  return [{ name: "editor", behavior: "editor", task }, ...wanted];
}

/** Spawns until there is no slot: then the next RESULT is the time to try again (T3). */
async function spawnSome(turn: Turn<AgentKind>, wanted: Wanted[]): Promise<void> {
  for (let next = wanted[0]; next !== undefined; next = wanted[0]) {
    try {
      await turn.spawn(next);
      wanted.shift();
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "at-capacity") throw error;
      const note: Note = { kind: "refused", spawn: next.name, code: error.code };
      await turn.record(note);
      return;
    }
  }
}

/** Waits until there is mail, and takes it at the boundary that follows. */
async function readMail(turn: Turn<AgentKind>, take: (record: MailRecord) => void): Promise<void> {
  await turn.wait({ timeoutMs: 60_000 });
  await turn.sample(({ mail }) => {
    mail.forEach(take);
    return `Read ${mail.map(({ type, from }) => `${type} from ${from}`).join(", ") || "nothing"}.`;
  });
}

/** What the root knows of the parts, by the paths of their agents. */
class Desk {
  readonly order: Survey;
  readonly looked = new Map<string, Looked>();
  readonly failed = new Map<string, string>();

  constructor(order: Survey) {
    this.order = order;
    for (const { agent, looked } of order.parts) {
      if (looked !== undefined) this.looked.set(`/root/${agent}`, looked);
    }
  }

  /** How many parts have neither been looked at nor failed. */
  get open(): number {
    return this.order.parts.length - this.looked.size - this.failed.size;
  }

  folderOf(path: string): string | undefined {
    return this.order.parts.find(({ agent }) => path === `/root/${agent}`)?.folder;
  }

  take({ type, from, text, outcome }: MailRecord): void {
    if (type !== "RESULT" || this.folderOf(from) === undefined) return;
    const looked = unpack(text, "looked");
    if (looked?.survey === this.order.survey) {
      this.looked.set(from, { files: looked.files, lines: looked.lines });
    } else if (outcome !== "completed") this.failed.set(from, text);
  }

  /** The agent with the most lines, the first by path among equals. */
  largest(): string | undefined {
    const paths = [...this.looked].sort(
      (a, b) => b[1].lines - a[1].lines || (a[0] < b[0] ? -1 : 1),
    );
    return paths[0]?.[0];
  }
}

interface Asked {
  readonly folder: string;
  readonly answer: string;
}

/** Mail wakes the idle surveyor of the largest part; its final response is the answer. */
async function askLongest(turn: Turn<AgentKind>, desk: Desk): Promise<Asked | null> {
  const path = desk.largest();
  const folder = path === undefined ? undefined : desk.folderOf(path);
  if (path === undefined || folder === undefined) return null;
  await turn.send(path, pack("Which is your longest file?", { kind: "question" }));
  const answers: string[] = [];
  while (answers.length === 0) {
    await readMail(turn, ({ type, from, text, outcome }) => {
      if (type !== "RESULT" || from !== path) return;
      const answer = unpack(text, "looked")?.answer;
      if (answer !== undefined) answers.push(answer);
      else if (outcome !== "completed") answers.push(text);
    });
  }
  return { folder, answer: answers[0] ?? "" };
}

/** Mail wakes the idle editor. Its RESULT is the report, unless it only says what it noted before it read the order. */
async function orderReport(turn: Turn<AgentKind>, desk: Desk, asked: Asked | null): Promise<void> {
  const { survey, target, parts, leftOut } = desk.order;
  const folders = parts.map(({ folder }) => folder);
  const failed = [...desk.failed].map(([path, reason]) => {
    return { folder: desk.folderOf(path) ?? path, reason };
  });
  failed.sort((a, b) => (a.folder < b.folder ? -1 : 1));
  const order = { kind: "report", survey, target, folders, failed, leftOut, asked } as const;
  await turn.send(EDITOR, pack(`Write the report of survey ${survey}.`, order));
  let written = false;
  while (!written) {
    await readMail(turn, ({ type, from, text, outcome }) => {
      if (type !== "RESULT" || from !== EDITOR || unpack(text, "noted")) return;
      if (outcome !== "completed") throw new Error(`the editor wrote no report: ${text}`);
      written = true;
    });
  }
}
