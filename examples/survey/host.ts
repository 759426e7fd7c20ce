/**
 * The host's part: decides which survey this is and what is left of it, and gives the retained surveyors their
 * assignments as slots allow. What it needs to know it reads from the session, never from memory of an earlier run.
 */
import { Refused, type Session } from "dovecote";
import {
  type AgentKind,
  type Part,
  type Survey,
  lookTask,
  newestFirst,
  pack,
  unpack,
} from "./messages.js";
import { type Top, nameAgents } from "./target.js";

type SurveySession = Session<AgentKind>;

/** What the survey is about. */
export interface Subject {
  readonly target: string;
  readonly top: Top;
  readonly except?: string;
}

/** The order for the root: a new survey, or what is left of one that was cut off. */
export async function planSurvey(session: SurveySession, subject: Subject): Promise<Survey> {
  const last = await lastOrder(session);
  const finished = unpack((await session.result("/root"))?.text, "surveyed");
  const cutOff = last !== undefined && finished?.survey !== last.survey;
  const survey = (last?.survey ?? 0) + (cutOff ? 0 : 1);
  const { target, top, except } = subject;
  const names = nameAgents(top.folders, last?.names ?? []);
  const parts: Part[] = [];
  for (const folder of top.folders) {
    const agent = names.get(folder) ?? folder;
    parts.push({ folder, agent, ...(await stateOf(session, agent, survey)) });
  }
  return {
    kind: "survey",
    survey,
    target,
    parts,
    names: [...names],
    leftOut: top.leftOut,
    ...(except === undefined ? {} : { except }),
  };
}

/** The order as the person's text. */
export function orderText(order: Survey): string {
  const { survey, target, parts } = order;
  return pack(`Survey ${survey}: look at the ${parts.length} parts of ${target}.`, order);
}

async function lastOrder(session: SurveySession): Promise<Survey | undefined> {
  for await (const { kind, text } of newestFirst(session.history("/root"))) {
    const order = kind === "task" ? unpack(text, "survey") : undefined;
    if (order !== undefined) return order;
  }
  return undefined;
}

async function stateOf(
  session: SurveySession,
  agent: string,
  survey: number,
): Promise<Pick<Part, "state" | "looked">> {
  if (!session.list().some(({ path }) => path === `/root/${agent}`)) return { state: "new" };
  const result = await session.result(agent);
  const looked = result?.kind === "completed" ? unpack(result.text, "looked") : undefined;
  if (looked?.survey !== survey) return { state: "assigned" };
  return { state: "done", looked: { files: looked.files, lines: looked.lines } };
}

/**
 * Starts the retained surveyors (T6). The first may start once the root has read the mail of earlier turns, so that
 * every RESULT it reads later is of this survey; when all slots are in use, the next turn that settles is the time to
 * try again.
 */
export class Assigner {
  private readonly session: SurveySession;
  private readonly waiting: (readonly [agent: string, task: string])[];
  private readonly failed: (error: unknown) => void;
  private isOpen = false;
  private isBusy = false;
  private again = false;

  constructor(session: SurveySession, order: Survey, failed: (error: unknown) => void) {
    this.session = session;
    this.failed = failed;
    this.waiting = order.parts
      .filter(({ state }) => state === "assigned")
      .map(({ agent, folder }) => [agent, lookTask(order, folder)] as const);
  }

  /** Watches the session from now on; called before the root is prompted. */
  begin(): void {
    this.session.commits$.subscribe(({ events }) => {
      for (const event of events) {
        if (event.type === "sample.began" && event.path === "/root") this.isOpen = true;
        if (event.type === "sample.began" || event.type === "turn.settled") this.goOn();
      }
    });
  }

  private goOn(): void {
    this.again = true;
    if (!this.isOpen || this.isBusy) return;
    this.isBusy = true;
    this.assign()
      .catch(this.failed)
      .finally(() => {
        this.isBusy = false;
      });
  }

  private async assign(): Promise<void> {
    while (this.again) {
      this.again = false;
      for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
        if (!(await this.start(next))) break;
        this.waiting.shift();
      }
    }
  }

  private async start([agent, task]: readonly [string, string]): Promise<boolean> {
    try {
      await this.session.start(agent, task);
      return true;
    } catch (error) {
      if (error instanceof Refused && LATER.has(error.code)) return false;
      throw error;
    }
  }
}

const LATER: ReadonlySet<string> = new Set(["at-capacity", "not-idle"]);
