/**
 * The operation layer of one session, put together from what its host brings (section 11).
 */
import { LogUnavailable } from "../../errors.js";
import type { AgentRef, TurnRef } from "../../events/refs.js";
import type { Row } from "../../kernel/persistent.js";
import type { ParentReport } from "../../kernel/parents.js";
import type { SessionReader } from "../../log/log.js";
import type { UnreadRecord } from "../../projections/unread.js";
import type { Ports } from "../ports.js";
import type { Shell } from "../shell.js";
import type { Texts } from "../texts.js";
import type { PeerMessageOptions, PeerMessageResult, PeerOptions } from "./api.js";
import { Bounded } from "./bounded.js";
import { hostInbox, SessionInbox } from "./inboxes.js";
import { Operations } from "./operations.js";
import { askHost } from "./parents.js";
import { PlanBook } from "./planBook.js";

/** How long a host's adapter or inbox may take unless given, in milliseconds (O2). */
const WITHIN_MS = 5_000;

/** What the layer is made with. */
export interface PeersParts {
  readonly shell: Shell;
  readonly texts: Texts;
  readonly log: SessionReader;
  readonly ports: Ports;
  readonly options: PeerOptions;
  /** What an agent has not read, ended ones too. */
  readonly unread: (agent: AgentRef) => Row<UnreadRecord>;
  readonly over: () => Error | null;
  readonly rested: () => void;
}

/** See the module header. */
export class Peers {
  private readonly parts: PeersParts;
  private readonly bounded: Bounded;
  private readonly operations: Operations;

  constructor(parts: PeersParts) {
    const { shell, texts, log, ports, options, unread, over, rested } = parts;
    const bounded = new Bounded(ports, options.timeoutMs ?? WITHIN_MS);
    const plans = new PlanBook(log, texts);
    const inbox =
      options.inbox === undefined
        ? new SessionInbox({ shell, texts, plans, unread })
        : hostInbox(options.inbox, bounded);
    this.parts = parts;
    this.bounded = bounded;
    this.operations = new Operations({
      shell,
      ports,
      plans,
      inbox,
      askHost: (agent) => this.askHost(agent),
      over,
      rested,
    });
  }

  /** Sends a message, with a copy for the recipient's parent (O1-O6). */
  async send(
    by: TurnRef | null,
    target: string,
    text: string,
    options: PeerMessageOptions,
  ): Promise<PeerMessageResult> {
    try {
      return await this.operations.send(by, target, text, options);
    } catch (error) {
      throw error instanceof LogUnavailable ? (this.parts.over() ?? error) : error;
    }
  }

  /** What the host knows of an agent's parent (O2). */
  askHost(agent: AgentRef): Promise<ParentReport> {
    return askHost(this.parts.options.reportParent, this.bounded, agent);
  }

  /** Whether nothing is under way (Q2). */
  get resting(): boolean {
    return this.operations.resting;
  }

  /** Resolves when nothing is under way: a closing session lets what has begun come to its end (L8). */
  allEnded(): Promise<void> {
    return this.operations.allEnded();
  }

  /** What the host still works on is left behind (L6, L8). */
  stop(reason: Error): void {
    this.bounded.stop(reason);
  }
}
