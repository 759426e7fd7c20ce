/**
 * A session in a test's hand: a memory log that can fail, a virtual clock, and behaviours that do only what the test
 * tells them. Owns no rule and asserts nothing but that nothing is left behind.
 */
import { openSession, type SessionOptions } from "../../src/runtime/openSession.js";
import type { Session } from "../../src/runtime/session.js";
import type { Behavior, SampleInput, Turn } from "../../src/runtime/api.js";
import { memoryLog, MemoryStorage } from "../../src/log/memoryLog.js";
import { type FaultyLog, faultyLog } from "../../src/testing/faultyLog.js";
import { type VirtualPorts, virtualPorts } from "../../src/testing/virtualPorts.js";
import type { DovecoteEvent, EventOf, EventType } from "../../src/events/events.js";

/** A turn that waits for the test to end it. */
export interface Hand {
  readonly turn: Turn;
  /** The behaviour returns. */
  done(response?: string | void): void;
  /** The behaviour throws. */
  fail(error: unknown): void;
}

/** Behaviours that do nothing by themselves: each turn is handed to the test. */
export class Hands {
  readonly #live = new Map<string, Hand>();
  /** Every turn that was called, in order: `/root#1`. */
  readonly called: string[] = [];

  readonly behavior: Behavior = (turn) =>
    new Promise((resolve, reject) => {
      const key = `${turn.path}#${turn.number}`;
      this.called.push(key);
      this.#live.set(key, { turn, done: (text) => resolve(text), fail: reject });
    });

  /** The turn of an agent: its newest unless given. */
  of(path: string, number?: number): Hand {
    const keys = this.called.filter((key) => key.startsWith(`${path}#`));
    const key = number === undefined ? keys.at(-1) : `${path}#${number}`;
    const hand = this.#live.get(key ?? "");
    if (hand === undefined) throw new Error(`${key ?? path} has not been called`);
    return hand;
  }

  /** Opens a sample and keeps it open; the test ends it. */
  sample(path: string): HandSample {
    let input: SampleInput | undefined;
    let end: (value: unknown) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const ended = this.of(path).turn.sample(
      (given) =>
        new Promise<unknown>((resolve, reject) => {
          input = given;
          end = resolve;
          fail = reject;
        }),
    );
    return {
      get input() {
        if (input === undefined) throw new Error(`the sample of ${path} has not begun`);
        return input;
      },
      ended,
      end: (value) => end(value),
      fail: (error) => fail(error),
    };
  }
}

/** A sample that is open until the test ends it. */
export interface HandSample {
  readonly input: SampleInput;
  readonly ended: Promise<unknown>;
  end(value?: unknown): void;
  fail(error: Error): void;
}

/** What a test of a session works with. */
export interface World {
  readonly session: Session;
  readonly ports: VirtualPorts;
  readonly log: FaultyLog;
  readonly storage: MemoryStorage;
  readonly hands: Hands;
  /** What observers threw. */
  readonly observed: unknown[];
  /** The events of all durable commits, once nothing moves and what waited to be written has been. */
  events(): Promise<readonly DovecoteEvent[]>;
  eventsOf<Type extends EventType>(type: Type): Promise<readonly EventOf<Type>[]>;
  /** The process dies here: another one opens what the log holds. */
  crash(options?: WorldOptions): Promise<World>;
}

/** How to open a world: like a session, with everything filled in. */
export type WorldOptions = Partial<SessionOptions<string>> & { readonly storage?: MemoryStorage };

/** Opens a session on a memory log, with hands for its behaviours: `root` and `worker`. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { storage = new MemoryStorage(), ...given } = options;
  const hands = new Hands();
  const ports = virtualPorts();
  const log = faultyLog(memoryLog(storage));
  const observed: unknown[] = [];
  const session = await openSession<string>({
    log,
    ports,
    behaviors: { root: hands.behavior, worker: hands.behavior },
    onObserverError: (error) => observed.push(error),
    ...given,
  });
  const events = async (): Promise<readonly DovecoteEvent[]> => {
    await ports.settle();
    const reader = await memoryLog(storage.copy()).readSession(session.id);
    const found: DovecoteEvent[] = [];
    if (reader !== undefined)
      for await (const commit of reader.read()) found.push(...commit.events);
    return found;
  };
  return {
    session,
    ports,
    log,
    storage,
    hands,
    observed,
    events,
    eventsOf: async <Type extends EventType>(type: Type) =>
      (await events()).filter((event): event is EventOf<Type> => event.type === type),
    crash: (again = {}) => openWorld({ ...given, storage: storage.copy(), ...again }),
  };
}

/** A world whose root turn is live, prompted with `go`; the prompt's outcome is there too. */
export async function withRoot(
  options: WorldOptions = {},
): Promise<World & { readonly root: Turn; readonly outcome: ReturnType<Session["prompt"]> }> {
  const world = await openWorld(options);
  const outcome = world.session.prompt("go");
  // A test that ends before the root does must not fail for the prompt that nobody awaits.
  outcome.catch(() => undefined);
  await world.ports.settle();
  return { ...world, root: world.hands.of("/root").turn, outcome };
}
