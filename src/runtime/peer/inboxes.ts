/**
 * The two inboxes behind the one port: the session's own log, and a host's, whose calls are bounded and whose answers are
 * believed only in form (O6).
 */
import { Bug, Refused } from "../../errors.js";
import type { AgentRef } from "../../events/refs.js";
import { type Point, samePoint } from "../../events/point.js";
import { endingOf } from "../../kernel/guards.js";
import { messageKey } from "../../kernel/keys.js";
import type { Row } from "../../kernel/persistent.js";
import type { State } from "../../kernel/state.js";
import type { UnreadRecord } from "../../projections/unread.js";
import { shortReason } from "../../kernel/text.js";
import { reasonOf } from "../reason.js";
import type { Shell } from "../shell.js";
import type { Texts } from "../texts.js";
import type {
  AgentIdentity,
  InboxAppend,
  InboxLookup,
  PeerInbox,
  PeerMessage,
  PeerPlace,
} from "./api.js";
import type { Bounded } from "./bounded.js";
import { identityOf } from "./parents.js";
import type { PlanBook } from "./planBook.js";

/** It can't be told what became of a call. */
export interface Untold {
  readonly kind: "untold";
  readonly reason: string;
}

/** An inbox that never throws for what its host does. */
export interface Inbox {
  append(message: PeerMessage): Promise<InboxAppend | Untold>;
  lookup(to: AgentIdentity, id: string): Promise<InboxLookup | Untold>;
}

/** Bounds a host's inbox: late, failing or answering in no known form, it has told nothing. */
export function hostInbox(inbox: PeerInbox, bounded: Bounded): Inbox {
  return {
    append: (message) =>
      told(readAppend, () => bounded.call((signal) => inbox.append(message, signal))),
    lookup: (to, id) =>
      told(readLookup, () => bounded.call((signal) => inbox.lookup(to, id, signal))),
  };
}

/** What a call has told; an answer that has no known form has told nothing. */
async function told<T>(
  read: (answer: T) => T | undefined,
  call: () => Promise<T>,
): Promise<T | Untold> {
  try {
    const answer = read(await call());
    return answer ?? { kind: "untold", reason: "the inbox gave no answer of a known form" };
  } catch (thrown) {
    return { kind: "untold", reason: reasonOf(thrown) };
  }
}

/** An answer, believed in nothing but its form: a reason goes into the log, so it is made short and well-formed. */
function readAppend(answer: InboxAppend): InboxAppend | undefined {
  switch (answer.kind) {
    case "appended":
      return { kind: "appended", place: placeIn(answer.place) };
    case "present":
      return { kind: "present", place: placeIn(answer.place) };
    case "conflict":
      return { kind: "conflict" };
    case "refused": {
      const code = answer.code === undefined ? {} : { code: shortReason(answer.code) };
      return { kind: "refused", reason: shortReason(answer.reason), ...code };
    }
    default:
      return undefined;
  }
}

function readLookup(answer: InboxLookup): InboxLookup | undefined {
  switch (answer.kind) {
    case "found": {
      const { message, place } = answer;
      if (typeof message.to.path !== "string") return undefined;
      return {
        kind: "found",
        message: { ...message, to: { ...message.to } },
        place: placeIn(place),
      };
    }
    case "missing":
    case "pruned":
      return { kind: answer.kind };
    default:
      return undefined;
  }
}

function placeIn(place: unknown): PeerPlace {
  return place === "delivered" || place === "expired" ? place : "pending";
}

/** What the session's own inbox is made of. */
export interface SessionInboxParts {
  readonly shell: Shell;
  readonly texts: Texts;
  readonly plans: PlanBook;
  /** What an agent has not read, ended ones too. */
  readonly unread: (agent: AgentRef) => Row<UnreadRecord>;
}

/** The session's own log as an inbox: its agents read it like any mail, and it wakes none of them (O6). */
export class SessionInbox implements Inbox {
  private readonly parts: SessionInboxParts;

  constructor(parts: SessionInboxParts) {
    this.parts = parts;
  }

  async append(message: PeerMessage): Promise<InboxAppend> {
    const { shell, plans } = this.parts;
    const planned = await plans.planOf(message.operationId);
    if (planned.kind !== "found") throw new Bug(`${message.id} has no plan`);
    const { plan, at } = planned;
    const recipient = message.copyOf === undefined ? "child" : "parent";
    try {
      await shell.ask({ kind: "operation.append", plan, at, recipient });
    } catch (error) {
      if (!(error instanceof Refused) || error.code === "session-closed") throw error;
      const { code, rule } = error;
      return { kind: "refused", reason: error.message, code, rule };
    }
    const { path, generation: gen } = message.to;
    return { kind: "appended", place: placeOfUnread(shell.loop.state, { path, gen }) };
  }

  async lookup({ path, generation: gen }: AgentIdentity, id: string): Promise<InboxLookup> {
    const { texts, plans } = this.parts;
    const found = await plans.find(messageKey(id));
    if (found.kind !== "found") return found;
    const { event, at } = found;
    if (event.type !== "mail.queued" || event.source === undefined) return { kind: "missing" };
    const plan = await texts.find(event.source);
    if (plan?.type !== "operation.planned") return { kind: "pruned" };
    const message: PeerMessage = {
      id,
      operationId: plan.operation,
      from: event.from,
      to: identityOf(event),
      text: await texts.text(at),
      ...(event.copyOf === undefined ? {} : { copyOf: identityOf(event.copyOf) }),
    };
    return { kind: "found", message, place: this.placeOf({ path, gen }, at) };
  }

  /** Whoever has it unread: an agent that will read it, or one that has ended (R4). */
  private placeOf(agent: AgentRef, record: Point): PeerPlace {
    for (const { at } of this.parts.unread(agent)) {
      if (samePoint(at, record)) return placeOfUnread(this.parts.shell.loop.state, agent);
    }
    return "delivered";
  }
}

function placeOfUnread(state: State, { path, gen }: AgentRef): PeerPlace {
  const isRetained = state.durable.agents.get(path)?.gen === gen;
  return isRetained && endingOf(state, path) === undefined ? "pending" : "expired";
}
