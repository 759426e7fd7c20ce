/**
 * What the person writes: messages and prompts (W8), and the idempotency keys that make repeating one harmless (M3). A key
 * is looked up before its command is decided; requests begin in the order of their calls all the same (M4).
 */
import { Bug, BadArgument, LogCut, Refused } from "../errors.js";
import type { EventOf, DovecoteEvent } from "../events/events.js";
import { type Point, samePoint } from "../events/point.js";
import { type Keyed, OWN_KEY, readKeyed } from "../kernel/keys.js";
import { readTarget } from "../kernel/rules/targets.js";
import type { SessionReader } from "../log/log.js";
import { ROOT } from "../paths.js";
import { placeCommit } from "../projections/projection.js";
import type { SendAnswer, TurnOutcome } from "./api.js";
import type { Ended, Later, Waiter } from "./later.js";
import { Line } from "./line.js";
import { keyReused } from "./refusals.js";
import type { Shell } from "./shell.js";
import type { Texts } from "./texts.js";

/** How a message or a prompt may be made repeatable. */
export interface RequestOptions {
  /**
   * 1 to 256 characters of the caller's choice, the first of them no NUL. The same key with the same target and text answers as before and
   * writes nothing, also after a reopen; with anything else it is refused (M3).
   */
  readonly key?: string;
}

/** What requests are made with. */
export interface PersonParts {
  readonly shell: Shell;
  readonly later: Later;
  readonly texts: Texts;
  readonly log: SessionReader;
  /** Why nothing can be looked up any more; `null` while it can. */
  readonly over: () => Error | null;
  /** A look-up has ended: the session may have come to rest. */
  readonly rested: () => void;
}

/** What a key stands for. */
interface Intent {
  readonly kind: Keyed["kind"];
  readonly target: string;
  readonly text: string;
}

interface Request<T> extends Intent {
  readonly key: string | undefined;
  /** Puts it to the kernel, at once. */
  readonly ask: (waiter: Waiter<T>) => void;
  /** Answers for one that was carried out before. */
  readonly again: (keyed: Keyed, waiter: Waiter<T>) => void;
}

interface InFlight {
  readonly intent: Intent;
  readonly answer: Promise<unknown>;
}

const LONGEST_KEY_UNITS = 256;

/** See the module header. */
export class Person {
  private readonly parts: PersonParts;
  private readonly line = new Line();
  private readonly inFlight = new Map<string, InFlight>();
  /** What is being read from the log for somebody. */
  private readonly reading = new Set<Promise<unknown>>();

  constructor(parts: PersonParts) {
    this.parts = parts;
  }

  /** Whether no key is being looked up (Q2). */
  get resting(): boolean {
    return this.line.resting;
  }

  /**
   * Resolves when nothing is being read any more: keys, and the texts that prompts whose turns have settled are owed.
   * The log must stay open until then (L8).
   */
  async allRead(): Promise<void> {
    while (this.reading.size > 0) await Promise.allSettled(this.reading);
  }

  private async whileReading<T>(reading: Promise<T>): Promise<T> {
    this.reading.add(reading);
    try {
      return await reading;
    } finally {
      this.reading.delete(reading);
    }
  }

  async send(target: string, text: string, { key }: RequestOptions): Promise<SendAnswer> {
    const { shell } = this.parts;
    const given = key === undefined ? {} : { key };
    const { held } = await this.make<{ readonly held: boolean }>({
      kind: "send",
      target: key === undefined ? target : canonical(target),
      text,
      key,
      ask: ({ resolve, reject }) =>
        shell.askThen({ kind: "send", by: null, target, text, ...given }, resolve, reject),
      again: (keyed, { resolve }) => resolve(keyed),
    });
    return held ? { startsWhenSlotFrees: true } : {};
  }

  async prompt(text: string, { key }: RequestOptions): Promise<TurnOutcome> {
    const { shell, later, texts } = this.parts;
    const given = key === undefined ? {} : { key };
    const { began, settled } = await this.make<Ended>({
      kind: "prompt",
      target: ROOT,
      text,
      key,
      ask: ({ resolve, reject }) =>
        shell.askThen(
          { kind: "prompt", text, ...given },
          ({ input }) => later.outcomeOf(input, { resolve, reject }),
          reject,
        ),
      again: ({ at }, waiter) => void this.whileReading(this.promptAgain(at, waiter)),
    });
    return this.whileReading(texts.settled(began, settled));
  }

  /** Requests with the same key that are under way share one answer. */
  private make<T>(request: Request<T>): Promise<T> {
    const { key } = request;
    if (key === undefined) {
      return new Promise((resolve, reject) => {
        this.line.enter(() => {
          request.ask({ resolve, reject });
          return undefined;
        });
      });
    }
    checkKey(key);
    const before = this.inFlight.get(key);
    if (before !== undefined) {
      if (!isSame(before.intent, request)) throw keyReused(key);
      return before.answer as Promise<T>;
    }
    const answer = new Promise<T>((resolve, reject) => {
      this.line.enter(() => this.whileReading(this.lookUp(key, request, { resolve, reject })));
    });
    const over = (): void => void this.inFlight.delete(key);
    answer.then(over, over);
    this.inFlight.set(key, { intent: request, answer });
    return answer;
  }

  private async lookUp<T>(key: string, request: Request<T>, waiter: Waiter<T>): Promise<void> {
    try {
      const value = await this.parts.log.lookup(key);
      if (value === undefined) request.ask(waiter);
      else request.again(await this.sameAs(request, key, value), waiter);
    } catch (error) {
      waiter.reject(this.parts.over() ?? (error as Error));
    }
    this.parts.rested();
  }

  /** What was done under a key, once it is found to have been this request. */
  private async sameAs(request: Intent, key: string, value: string): Promise<Keyed> {
    const keyed = readKeyed(value);
    const event = keyed === undefined ? undefined : await this.parts.texts.event(keyed.at);
    if (keyed === undefined || event?.type !== "mail.queued") {
      throw new Bug(`the key ${JSON.stringify(key)} stands for no request`);
    }
    const made = { kind: keyed.kind, target: event.path, text: event.text ?? "" };
    if (!isSame(made, request)) throw keyReused(key);
    return keyed;
  }

  private isUnread(input: Point): boolean {
    const root = this.parts.shell.loop.state.durable.agents.get(ROOT);
    return root?.unread.toArray().some(({ at }) => samePoint(at, input)) === true;
  }

  /** The outcome of the turn that has read the INPUT, or will (W8). */
  private async promptAgain(input: Point, waiter: Waiter<Ended>): Promise<void> {
    const found = this.parts.later.outcomeAgain(input, waiter);
    try {
      const { log } = this.parts;
      const { turn, ended } = await findReading(log, input);
      const anchor = log.anchor()?.position ?? 0;
      if (turn === null && input[0] <= anchor && !this.isUnread(input)) {
        // The turn that read it was cut away: nobody can say any more how it ended (S6).
        throw new LogCut({ session: log.session, position: input[0], anchor });
      }
      if (ended === null) found.readBy(turn);
      else found.settled(ended);
    } catch (error) {
      waiter.reject(this.parts.over() ?? (error as Error));
    }
  }
}

/** The root turn that read an INPUT, as far as the log tells, and how it ended. */
async function findReading(
  log: SessionReader,
  input: Point,
): Promise<{ readonly turn: number | null; readonly ended: Ended | null }> {
  let turn: number | null = null;
  let began: Point | null = null;
  const from = Math.max(input[0], (log.anchor()?.position ?? 0) + 1);
  for await (const commit of log.read({ from })) {
    for (const { event, at } of placeCommit(commit)) {
      if (isReading(event, input)) turn = event.turn;
      if (turn === null || !isOfRoot(event, turn)) continue;
      if (event.type === "settlement.began") began = at;
      if (event.type === "turn.settled" && began !== null) {
        return { turn, ended: { began, settled: at } };
      }
    }
  }
  return { turn, ended: null };
}

function isReading(event: DovecoteEvent, input: Point): event is EventOf<"mail.delivered"> {
  return (
    event.type === "mail.delivered" &&
    event.path === ROOT &&
    event.records.some((record) => samePoint(record, input))
  );
}

function isOfRoot(event: DovecoteEvent, turn: number): boolean {
  return "turn" in event && event.path === ROOT && event.turn === turn;
}

function canonical(target: string): string {
  const path = readTarget(null, target);
  if (!path.ok) throw new Refused(path.rejection);
  return path.path;
}

function checkKey(key: unknown): void {
  const isText = typeof key === "string" && key.isWellFormed();
  const isTheirs = isText && !key.startsWith(OWN_KEY);
  if (isTheirs && key !== "" && key.length <= LONGEST_KEY_UNITS) return;
  throw new BadArgument(
    `An idempotency key is a well-formed text of 1 to ${LONGEST_KEY_UNITS} characters that does not begin with NUL.`,
    "M3",
  );
}

function isSame(one: Intent, other: Intent): boolean {
  return one.kind === other.kind && one.target === other.target && one.text === other.text;
}
