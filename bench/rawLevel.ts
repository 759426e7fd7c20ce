/**
 * What the sessions are compared with: LevelDB used bare, with the same bytes and the same number of writes, and the
 * usual way of keeping XState actors, which puts an actor's whole persisted snapshot into LevelDB at each transition.
 */
import { Level } from "level";
import { assign, createActor, setup } from "xstate";
import { rateOf } from "./figures.js";

/** Bytes of the values of all commits in a folder that nobody holds. */
export async function storedBytes(folder: string): Promise<number> {
  return withLevel(folder, async (level) => {
    let bytes = 0;
    for await (const value of level.values({ gte: "c/", lt: "c0" }))
      bytes += Buffer.byteLength(value);
    return bytes;
  });
}

async function withLevel<T>(
  folder: string,
  body: (level: Level<string, string>) => Promise<T>,
): Promise<T> {
  const level = new Level<string, string>(folder);
  await level.open();
  try {
    return await body(level);
  } finally {
    await level.close();
  }
}

const keyOf = (n: number): string => `c/main/${String(n).padStart(16, "0")}`;

/** Puts one after the other, so many a trip: trips a second. */
export function serialPuts(options: {
  readonly folder: string;
  readonly trips: number;
  readonly puts: number;
  readonly bytes: number;
  readonly sync: boolean;
}): Promise<number> {
  const { folder, trips, puts, bytes, sync } = options;
  const value = "x".repeat(Math.round(bytes / puts));
  return withLevel(folder, (level) =>
    rateOf(trips, async () => {
      for (let n = 0; n < trips * puts; n++) await level.put(keyOf(n), value, { sync });
    }),
  );
}

/** Many writers, each one put after the other; what waits is written as one batch: puts a second. */
export function groupedPuts(options: {
  readonly folder: string;
  readonly writers: number;
  readonly each: number;
  readonly bytes: number;
  readonly sync: boolean;
}): Promise<number> {
  const { folder, writers, each, bytes, sync } = options;
  const value = "x".repeat(Math.round(bytes));
  return withLevel(folder, (level) => {
    let waiting: (() => void)[] = [];
    let n = 0;
    let writing = false;
    const write = async (): Promise<void> => {
      writing = true;
      while (waiting.length > 0) {
        const group = waiting;
        waiting = [];
        const batch = level.batch();
        for (let index = 0; index < group.length; index++) batch.put(keyOf(n++), value);
        await batch.write({ sync });
        for (const done of group) done();
        // Whoever was told gets to ask again before the next group is closed.
        await new Promise((resolve) => setImmediate(resolve));
      }
      writing = false;
    };
    const put = (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (!writing) void write();
      });
    return rateOf(writers * each, async () => {
      const all = Array.from({ length: writers }, async () => {
        for (let index = 0; index < each; index++) await put();
      });
      await Promise.all(all);
    });
  });
}

type MailSignal = { readonly type: "mail"; readonly text: string } | { readonly type: "take" };

/** An agent as people write it: an inbox in the context, taken as a whole. */
const inboxMachine = setup({
  types: {
    context: {} as { readonly inbox: readonly string[]; readonly taken: number },
    events: {} as MailSignal,
  },
}).createMachine({
  id: "agent",
  context: { inbox: [], taken: 0 },
  initial: "idle",
  states: {
    idle: {
      on: {
        mail: {
          actions: assign({
            inbox: ({ context, event }) => [...context.inbox, event.text],
          }),
        },
        take: {
          actions: assign({
            inbox: [],
            taken: ({ context }) => context.taken + context.inbox.length,
          }),
        },
      },
    },
  },
});

/** An actor whose snapshot is put at each transition. */
function keptActor(level: Level<string, string>, key: string, sync: boolean) {
  const actor = createActor(inboxMachine).start();
  return {
    send: (signal: MailSignal): Promise<void> => {
      actor.send(signal);
      return level.put(key, JSON.stringify(actor.getPersistedSnapshot()), { sync });
    },
    get unread(): number {
      return actor.getSnapshot().context.inbox.length;
    },
    get taken(): number {
      return actor.getSnapshot().context.taken;
    },
  };
}

/** Two such actors that answer each other: four transitions a trip. */
export function usualPingPong(options: {
  readonly folder: string;
  readonly trips: number;
  readonly text: string;
  readonly sync: boolean;
}): Promise<number> {
  const { folder, trips, text, sync } = options;
  return withLevel(folder, (level) => {
    const a = keptActor(level, "a", sync);
    const b = keptActor(level, "b", sync);
    return rateOf(trips, async () => {
      for (let trip = 0; trip < trips; trip++) {
        await b.send({ type: "mail", text });
        await b.send({ type: "take" });
        await a.send({ type: "mail", text });
        await a.send({ type: "take" });
      }
    });
  });
}

/** One such actor that takes what it has whenever its last take is kept, and many senders: messages a second. */
export function usualFanIn(options: {
  readonly folder: string;
  readonly writers: number;
  readonly each: number;
  readonly text: string;
  readonly sync: boolean;
}): Promise<number> {
  const { folder, writers, each, text, sync } = options;
  return withLevel(folder, (level) => {
    const sink = keptActor(level, "sink", sync);
    return rateOf(writers * each, async () => {
      const senders = Array.from({ length: writers }, async () => {
        for (let index = 0; index < each; index++) await sink.send({ type: "mail", text });
      });
      const reading = (async () => {
        while (sink.taken < writers * each) {
          if (sink.unread > 0) await sink.send({ type: "take" });
          else await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      await Promise.all([...senders, reading]);
    });
  });
}
