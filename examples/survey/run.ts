/**
 * One run of the survey: opens the log, says what the last run left, surveys, and gives report and timeline.
 * Everything unusable is found out before the first write.
 */
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  DovecoteError,
  type EventLog,
  type Session,
  type TurnOutcome,
  levelLog,
  openSession,
} from "dovecote";
import { type Args, BadInput } from "./args.js";
import { editor } from "./editor.js";
import { Assigner, orderText, planSurvey } from "./host.js";
import { type AgentKind, EDITOR, type Survey, count, newestFirst, plain } from "./messages.js";
import { type Output, chooseOutput } from "./output.js";
import { nameOf } from "./progress.js";
import type { Edition } from "./report.js";
import { root } from "./root.js";
import { surveyor } from "./surveyor.js";
import { defaultLog, findFolder, logInside, readTop, sessionId } from "./target.js";
import { shorten, timelineOfRun } from "./timeline.js";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const MOST_AT_A_TIME = 3;

/**
 * Surveys a folder; `stop` closes the session in good order.
 *
 * @throws BadInput before anything is written; any other error when the run fails.
 */
export async function runSurvey(args: Args, stop: AbortSignal): Promise<void> {
  const target = await findFolder(args.folder ?? CHECKOUT);
  const folder = args.log === undefined ? defaultLog(target) : resolve(args.log);
  const top = await readTop(target, folder, stop);
  if (args.log === undefined) await makePlace(dirname(folder));
  const { log, session } = await open(folder, sessionId(target), top.folders.length);
  const close = (): Promise<void> => session.close().then(() => log.close());
  const onStop = (): void => void close();
  stop.addEventListener("abort", onStop, { once: true });
  try {
    stop.throwIfAborted();
    const output = chooseOutput(args.json);
    sayOpening(output, session);
    const except = logInside(target, folder);
    const inside = except === undefined ? {} : { except };
    const order = await planSurvey(session, { target, top, ...inside });
    sayPlan(output, order, session);
    await survey(output, session, order);
    const timeline = await timelineOfRun(log, session.id, output.width);
    output.say(`\nWho woke whom, and why:\n${shorten(timeline)}`, {
      type: "timeline",
      text: timeline,
    });
    output.say(`\nThe log: ${folder}`, { type: "log", folder });
  } finally {
    stop.removeEventListener("abort", onStop);
    await close();
  }
}

interface Opened {
  readonly log: EventLog;
  readonly session: Session<AgentKind>;
}

/** Fewer slots than parts, so that agents have to wait for each other. */
async function open(folder: string, id: string, parts: number): Promise<Opened> {
  const capacity = Math.max(1, Math.min(MOST_AT_A_TIME, parts - 1));
  let log: EventLog | undefined;
  try {
    log = levelLog(folder);
    const behaviors = { root, surveyor, editor };
    return { log, session: await openSession({ log, id, behaviors, capacity }) };
  } catch (error) {
    await log?.close();
    if (!(error instanceof DovecoteError) || error.code === "bug") throw error;
    throw new BadInput(error.message, { cause: error });
  }
}

/** The place for logs, made as far as it is missing. */
async function makePlace(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `The place for logs can't be made (${why}). Name another with --log.`;
    throw new BadInput(message, { cause: error });
  }
}

/** What the last run left, before anything is started. */
function sayOpening(output: Output, session: Session<AgentKind>): void {
  const { run, recovered, unread } = session.opening;
  const agents = session.list();
  const kept = agents.filter((one) => one.unread > 0);
  const live = agents.filter(({ phase }) => phase !== "idle");
  const turns = recovered.map(({ path, turn }) => `${nameOf(path)} (turn ${turn})`);
  const mail = kept.map(({ path, unread: records }) => `${records} of ${nameOf(path)}`);
  const whose = mail.length > 0 ? ` (${mail.join(", ")})` : "";
  const words = [
    ...(turns.length > 0
      ? [`The last run was cut off. Settled as interrupted: ${turns.join(", ")}.`]
      : []),
    `Kept: ${count(unread, "unread record")}${whose}.`,
    live.length === 0 ? "Nothing has started by itself." : `Live: ${live.length}.`,
  ];
  const data = { run, process: process.pid, recovered, unread, live: live.length };
  const by = kept.map(({ path, unread: records }) => ({ path, records }));
  const sentence = turns.length + unread > 0 ? words.join("\n") : "";
  output.say(sentence, { type: "opening", ...data, by });
}

function sayPlan(output: Output, order: Survey, session: Session<AgentKind>): void {
  const { survey: number, target, parts } = order;
  const done = parts.filter(({ state }) => state === "done").length;
  const left = done === 0 ? "" : `, ${done} of them done before it was cut off`;
  const sentence =
    `Survey ${number} of ${plain(target)}: ${count(parts.length, "part")}${left}; ` +
    `${count(session.capacity, "slot")}; process ${process.pid}.`;
  output.say(sentence, { type: "plan", ...order, capacity: session.capacity });
}

async function survey(output: Output, session: Session<AgentKind>, order: Survey): Promise<void> {
  session.commits$.subscribe((commit) => output.show(commit));
  const outcome = await new Promise<TurnOutcome>((resolve, reject) => {
    new Assigner(session, order, reject).begin();
    session.prompt(orderText(order)).then(resolve, reject);
  });
  if (outcome.kind !== "completed") throw new Error(outcome.reason ?? outcome.text);
  const report = await session.result(EDITOR);
  if (report?.kind !== "completed") throw new Error("The editor has no report.");
  const edition = await newestEdition(session);
  output.give(report.text, { type: "report", survey: order.survey, edition });
  const isVain = order.parts.length > 0 && edition?.findings.length === 0;
  if (isVain) throw new Error("No part of the folder could be surveyed.");
}

/** What the editor kept of its newest report. */
async function newestEdition(session: Session<AgentKind>): Promise<Edition | undefined> {
  for await (const { kind, data } of newestFirst(session.history(EDITOR))) {
    if (kind === "recorded") return data as unknown as Edition;
  }
  return undefined;
}
