/**
 * Jobs: whose they are, what may be sent to them, when they are over (section 10). One resolver answers for sending,
 * stopping, listing and waiting alike (J2); what is sent obeys the admission of the session's preset.
 */
import type { AgentRef, TurnRef } from "../../events/events.js";
import { ROOT } from "../../paths.js";
import { countMail } from "../evolveMail.js";
import { type JobId, jobId, readJobId } from "../jobIds.js";
import { utf8Bytes } from "../messages.js";
import type { Stage } from "../stage.js";
import type { Agent, State } from "../state.js";
import { reject } from "../verdict.js";
import { type Found, findTarget, readTarget } from "./targets.js";

type Refusal = ReturnType<typeof reject>;

/** What its caller wants of a job: it ends a refusal. */
type Undone = "sent" | "stopped";

/** The recipient of a message: anybody in the tree (A4), or a job of the sender's own (J2). */
export function findAddressee(
  stage: Stage,
  by: TurnRef | null,
  target: unknown,
): Found<{ agent: Agent }> {
  return stage.policies.addressing === "owner"
    ? findOwned(stage, by, target, "sent")
    : findTarget(stage, by, target);
}

/** A running job of the caller's own, by its id or its path (J2, J3). The person owns all jobs of the session. */
export function findOwned(
  stage: Stage,
  by: TurnRef | null,
  target: unknown,
  undone: Undone,
): Found<{ agent: Agent }> {
  const found = findJob(stage, by, target);
  if (!found.ok) return found;
  const { ref, job } = found;
  if (by !== null && by.path === ref.path && by.gen === ref.gen) {
    return reject(
      "job-self",
      "J3",
      `${job} is the caller itself; nothing was ${undone}. Work with what you have been given.`,
    );
  }
  if (!isOwner(stage.state, by, ref)) {
    return reject(
      "job-not-yours",
      "J3",
      `${job} is not a job of ${by?.path ?? "the person"}; nothing was ${undone}. List your jobs to see their ids.`,
    );
  }
  const agent = stage.retained(ref);
  if (agent?.turn != null && agent.turn.settling === null) return { ok: true, agent };
  return reject(
    "job-ended",
    "J3",
    `${job} ended; nothing was ${undone}. Its report is the RESULT from ${ref.path}.`,
  );
}

/** The job that an id or a path names, whoever asks. */
function findJob(
  stage: Stage,
  by: TurnRef | null,
  target: unknown,
): Found<{ ref: AgentRef; job: JobId }> {
  const number = readJobId(target);
  const ref = number === null ? undefined : stage.durable.jobs.get(`${number}`);
  if (number !== null && ref !== undefined) return { ok: true, ref, job: jobId(number) };
  if (number !== null) {
    return reject(
      "job-unknown",
      "J3",
      `There is no job ${jobId(number)} in this session. List your jobs to see their ids.`,
    );
  }
  const path = readTarget(by, target);
  if (!path.ok) return path;
  const agent = stage.agent(path.path);
  if (agent?.job != null) return { ok: true, ref: agent, job: jobId(agent.job) };
  return reject(
    "job-unknown",
    "J3",
    `${path.path} is no job of this session. List your jobs to see their ids.`,
  );
}

/** Whether a caller owns a job: the person every one, an agent those that it is the spawn parent of (J2). */
export function isOwner(state: State, by: TurnRef | null, ref: AgentRef): boolean {
  if (by === null) return true;
  const parent =
    state.durable.agents.get(ref.path)?.parent ?? state.durable.retired.get(ref.path)?.parent;
  return parent?.path === by.path && parent.gen === by.gen;
}

/** Whether an agent is a job: it has one turn, and ends with it (J6). */
export function isJob(stage: Stage, path: Agent["path"]): boolean {
  return stage.policies.lifetime === "owner" && path !== ROOT;
}

/** Refuses a write of a read-only caller, where such writes are refused and not stamped (J4, P2). */
export function readOnlyFault(stage: Stage, readOnly: boolean, undone: Undone): Refusal | null {
  if (!readOnly || stage.policies.admission.readOnly === "stamp") return null;
  return reject(
    "read-only",
    "J4",
    `Read-only mode is on; nothing was ${undone}. Listing jobs and waiting for them are allowed.`,
  );
}

/** Refuses a message that is too long, or one too many, for the session's preset; both bounds are named (J3, O4). */
export function boundsFault(stage: Stage, agent: Agent, text: string): Refusal | null {
  const { bytes: most, waiting: mostWaiting } = stage.policies.admission;
  const rule = stage.policies.addressing === "owner" ? "J3" : "O4";
  const waiting =
    mostWaiting === null ? "" : ` and at most ${mostWaiting} messages wait for one job`;
  const bytes = utf8Bytes(text);
  if (most !== null && bytes > most) {
    return reject(
      "message-too-long",
      rule,
      `The message takes ${bytes} bytes: a message has at most ${most} bytes${waiting}. Nothing was sent; put what is long into a file and refer to it.`,
    );
  }
  if (mostWaiting === null || countMail(agent.unread) < mostWaiting) return null;
  return reject(
    "job-full",
    rule,
    `${countMail(agent.unread)} messages wait: a message has at most ${most} bytes${waiting}. Nothing was sent; let the job read first.`,
  );
}

/** Refuses a spawn by a job: it is offered none (J2). */
export function jobSpawnFault(stage: Stage, by: TurnRef): Refusal | null {
  if (!isJob(stage, by.path)) return null;
  return reject(
    "role-lacks-tool",
    "J2",
    `${by.path} is a job: it is offered neither spawning nor sending. Report what is needed to its owner.`,
  );
}
