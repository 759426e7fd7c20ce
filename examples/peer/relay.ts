/**
 * A release team: `/root/lead`, and below it `/root/lead/notes` and `/root/lead/build`. A message for one of them goes to
 * it and, as a copy, to the lead. Each step is told as it becomes durable.
 */
import {
  type AgentParentReference,
  type Behavior,
  openSession,
  type PeerInbox,
  type PeerMessageOptions,
  type PeerMessageResult,
  placeCommit,
  type Session,
} from "dovecote";

/** Where the team is kept, and how messages reach it. */
export interface Team {
  readonly log: string;
  readonly inbox?: PeerInbox;
  /** Told what has just become durable. */
  readonly tell: (line: string) => void;
}

/** The message of one call. */
export interface Message extends PeerMessageOptions {
  readonly target: string;
  readonly text: string;
}

/** Reads its mail, and says what it has read: here a model would be asked. */
const member: Behavior = (turn) =>
  turn.sample(({ mail }) => mail.map(({ from, text }) => `${from}: ${text}`).join("\n") || "ready");

/** The team's session. The first time, the team is made. */
async function assemble({ log, inbox, tell }: Team): Promise<Session<"member">> {
  const session = await openSession({
    log,
    id: "release",
    behaviors: { member },
    root: "member",
    peer: inbox === undefined ? {} : { inbox },
  });
  const isThere = (path: string): boolean => session.list().some((one) => one.path === path);
  for (const [name, parent] of [
    ["lead", "/root"],
    ["notes", "/root/lead"],
    ["build", "/root/lead"],
  ] as const) {
    if (isThere(`${parent}/${name}`)) continue;
    const settled = settlementOf(session, `${parent}/${name}`);
    await session.spawn({ name, parent, behavior: "member", task: "Say that you are there." });
    await settled;
  }
  session.commits$.subscribe((commit) => {
    for (const { event } of placeCommit(commit)) {
      if (event.type === "operation.planned") tell(`planned ${event.operation}`);
      if (event.type === "operation.attempted") tell(`began to send to the ${event.recipient}`);
      if (event.type === "operation.resulted") tell(`${event.recipient}: ${event.end}`);
    }
  });
  return session;
}

/** Sends a message, or goes on with one that an earlier process had begun. */
export async function relay(team: Team, message: Message): Promise<PeerMessageResult> {
  const session = await assemble(team);
  try {
    const { target, text, ...options } = message;
    return await session.sendPeerMessage(target, text, options);
  } finally {
    await session.close();
  }
}

/** Resolves when an agent's next turn has settled. */
function settlementOf(session: Session, path: string): Promise<void> {
  return new Promise((resolve) => {
    session.commits$.subscribe(({ events }) => {
      if (events.some((event) => event.type === "turn.settled" && event.path === path)) resolve();
    });
  });
}

/** Who leads an agent, as far as that can be told. */
export async function leaderOf(team: Team, target: string): Promise<AgentParentReference> {
  const session = await assemble(team);
  try {
    return await session.resolveAgentParentReference(target);
  } finally {
    await session.close();
  }
}

/** Wakes an agent to read what it was sent, and gives what it says. */
export async function read(team: Team, target: string): Promise<string> {
  const session = await assemble(team);
  try {
    const settled = settlementOf(session, target);
    await session.start(target, "Read your mail.");
    await settled;
    return (await session.result(target))?.text ?? "";
  } finally {
    await session.close();
  }
}
