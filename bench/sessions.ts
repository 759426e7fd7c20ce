/**
 * What a session costs on the real shell: a delegated task, two agents that answer each other, many that write to one,
 * spawns, and the memory of agents at rest. Each is set beside LevelDB used bare for the same bytes in the same run.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { EventLog } from "../src/log/log.js";
import { levelLog } from "../src/log/levelLog.js";
import { memoryLog } from "../src/log/memoryLog.js";
import type { Behavior } from "../src/runtime/api.js";
import { openSession } from "../src/runtime/openSession.js";
import type { Session } from "../src/runtime/session.js";
import { type Benchmark, type Figure, type Rate, inFolder, rateOf, sideBySide } from "./figures.js";
import { groupedPuts, serialPuts, storedBytes, usualFanIn, usualPingPong } from "./rawLevel.js";
import { TEXT } from "./world.js";

type Durability = "disk" | "process";
const HOUR_MS = 3_600_000;
const ROUNDS = 3;

/** Opens a session, hands it over, and closes it and its log. */
async function withSession<T>(
  log: EventLog,
  behaviors: Readonly<Record<string, Behavior>>,
  body: (session: Session) => Promise<T>,
): Promise<T> {
  try {
    const session = await openSession({ log, capacity: 20_000, behaviors });
    try {
      return await body(session);
    } finally {
      await session.close();
    }
  } finally {
    await log.close();
  }
}

const quiet: Behavior = () => undefined;

/** Runs on a fresh level log, and tells the bytes of the commits that it left. */
async function onLevel(
  durability: Durability,
  run: (log: EventLog) => Promise<number>,
): Promise<{ readonly rate: number; readonly bytes: number }> {
  return inFolder(async (folder) => {
    const rate = await run(levelLog(folder, { durability }));
    return { rate, bytes: await storedBytes(folder) };
  });
}

/** A rate on fresh level logs, and the bytes that one of its runs left. */
async function levelRate(
  durability: Durability,
  run: (log: EventLog) => Promise<number>,
): Promise<{ readonly ours: Rate; readonly bytes: number }> {
  const { bytes } = await onLevel(durability, run);
  return { ours: async () => (await onLevel(durability, run)).rate, bytes };
}

/** The root sends a task, its agent wakes, reads, answers; the RESULT comes to the root, who reads it: such trips a second. */
function delegate(log: EventLog, trips: number): Promise<number> {
  let rate = Number.NaN;
  const root: Behavior = async (turn) => {
    await turn.spawn({ name: "worker", behavior: "worker", task: TEXT });
    const take = async (): Promise<void> => {
      await turn.wait({ timeoutMs: HOUR_MS });
      await turn.sample(({ mail }) => mail.length);
    };
    await take();
    rate = await rateOf(trips, async () => {
      for (let trip = 0; trip < trips; trip++) {
        await turn.send("worker", TEXT);
        await take();
      }
    });
  };
  const worker: Behavior = async (turn) => {
    await turn.sample(({ mail }) => mail.length);
    return TEXT;
  };
  return withSession(log, { root, worker }, async (session) => {
    await session.prompt("go");
    return rate;
  });
}

/** Two agents, each of which waits, takes and answers: trips a second. */
function pingPong(log: EventLog, trips: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const ping: Behavior = async (turn) => {
      const run = async (): Promise<void> => {
        for (let trip = 0; trip < trips; trip++) {
          await turn.send("/root/pong", TEXT);
          await turn.wait({ timeoutMs: HOUR_MS });
          await turn.sample(({ mail }) => mail.length);
        }
      };
      done(await rateOf(trips, run));
    };
    const pong: Behavior = async (turn) => {
      for (let trip = 0; trip < trips; trip++) {
        await turn.wait({ timeoutMs: HOUR_MS });
        await turn.sample(({ mail }) => mail.length);
        await turn.send("/root/ping", TEXT);
      }
    };
    let done: (rate: number) => void = () => undefined;
    withSession(log, { root: quiet, ping, pong }, async (session) => {
      const rate = new Promise<number>((told) => {
        done = told;
      });
      await session.spawn({ name: "pong", behavior: "pong", task: "answer" });
      await session.spawn({ name: "ping", behavior: "ping", task: "ask" });
      return rate;
    }).then(resolve, reject);
  });
}

/** Many agents that write to one, who reads whenever there is something: messages a second. */
function fanIn(log: EventLog, writers: number, each: number): Promise<number> {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let all: () => void = () => undefined;
  const read = new Promise<void>((resolve) => {
    all = resolve;
  });
  const writer: Behavior = async (turn) => {
    await gate;
    for (let index = 0; index < each; index++) await turn.send("/root/sink", TEXT);
  };
  const sink: Behavior = async (turn) => {
    let seen = 0;
    while (seen < writers * each) {
      await turn.wait({ timeoutMs: HOUR_MS });
      seen += await turn.sample(({ mail }) => mail.length);
    }
    all();
  };
  return withSession(log, { root: quiet, writer, sink }, async (session) => {
    await session.spawn({ name: "sink", behavior: "sink", task: "read" });
    const names = Array.from({ length: writers }, (_, index) => `writer_${index}`);
    await Promise.all(names.map((name) => session.spawn({ name, behavior: "writer", task: "w" })));
    return rateOf(writers * each, async () => {
      open();
      await read;
    });
  });
}

/** Agents that stay in their first turn: spawns a second, so many at a time. */
function spawns(log: EventLog, total: number, atOnce: number): Promise<number> {
  const worker: Behavior = (turn) =>
    new Promise((resolve) => {
      turn.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  return withSession(log, { root: quiet, worker }, (session) =>
    rateOf(total, async () => {
      for (let first = 0; first < total; first += atOnce) {
        const some = Array.from({ length: atOnce }, (_, index) =>
          session.spawn({ name: `agent_${first + index}`, behavior: "worker", task: TEXT }),
        );
        await Promise.all(some);
      }
    }),
  );
}

function ratio(
  name: string,
  pair: { readonly rate: number; readonly ratio: number } | undefined,
  raw: { readonly rate: number } | undefined,
  target?: number,
): Figure {
  return {
    name,
    value: pair?.ratio ?? Number.NaN,
    unit: "x",
    ...(target === undefined ? {} : { target, bound: "at least" }),
    behind: { ours: pair?.rate ?? Number.NaN, raw: raw?.rate ?? Number.NaN },
  };
}

async function delegations(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const start = await sideBySide(ROUNDS, [() => delegate(memoryLog(), 600)]);
  figures.push({
    name: "delegated task and its RESULT, memoryLog",
    value: start[0]?.rate ?? 0,
    unit: "/s",
  });
  for (const durability of ["process", "disk"] as const) {
    const trips = durability === "disk" ? 100 : 600;
    const sync = durability === "disk";
    const { ours, bytes } = await levelRate(durability, (log) => delegate(log, trips));
    const raw: Rate = () =>
      inFolder((folder) => serialPuts({ folder, trips, puts: 4, bytes: bytes / trips, sync }));
    const [mine, bare] = await sideBySide(ROUNDS, [ours, raw]);
    figures.push(
      ratio(
        `delegated task and its RESULT, ${durability} / 4 bare puts of the same bytes`,
        mine,
        bare,
      ),
    );
  }
  return figures;
}

async function pingPongs(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const durability of ["process", "disk"] as const) {
    const trips = durability === "disk" ? 150 : 1500;
    const sync = durability === "disk";
    const { ours, bytes } = await levelRate(durability, (log) => pingPong(log, trips));
    const usual: Rate = () =>
      inFolder((folder) => usualPingPong({ folder, trips, text: TEXT, sync }));
    const raw: Rate = () =>
      inFolder((folder) => serialPuts({ folder, trips, puts: 4, bytes: bytes / trips, sync }));
    const [mine, theirs, bare] = await sideBySide(5, [ours, usual, raw]);
    const against = `${durability} / 4 bare puts of the same bytes`;
    figures.push(ratio(`ping-pong trip, ${against}`, mine, bare, 0.9));
    figures.push(ratio(`ping-pong trip the usual way, ${against}`, theirs, bare));
  }
  return figures;
}

async function fanIns(): Promise<readonly Figure[]> {
  const [writers, each] = [100, 100];
  const figures: Figure[] = [];
  for (const durability of ["process", "disk"] as const) {
    const sync = durability === "disk";
    const { ours, bytes } = await levelRate(durability, (log) => fanIn(log, writers, each));
    const usual: Rate = () =>
      inFolder((folder) => usualFanIn({ folder, writers, each, text: TEXT, sync }));
    const raw: Rate = () =>
      inFolder((folder) =>
        groupedPuts({ folder, writers, each, bytes: bytes / (writers * each), sync }),
      );
    const [mine, theirs, bare] = await sideBySide(ROUNDS, [ours, usual, raw]);
    const against = `${durability} / bare puts in groups of the same bytes`;
    figures.push(ratio(`fan-in message, ${against}`, mine, bare, 0.6));
    figures.push(ratio(`fan-in message the usual way, ${against}`, theirs, bare));
  }
  return figures;
}

async function spawning(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const durability of ["process", "disk"] as const) {
    const total = durability === "disk" ? 200 : 1000;
    const sync = durability === "disk";
    const { ours, bytes } = await levelRate(durability, (log) => spawns(log, total, 1));
    const raw: Rate = () =>
      inFolder((folder) =>
        serialPuts({ folder, trips: total, puts: 1, bytes: bytes / total, sync }),
      );
    const [mine, bare] = await sideBySide(ROUNDS, [ours, raw]);
    const name = `spawn, one by one, ${durability} / a bare put of the same bytes`;
    figures.push(ratio(name, mine, bare, 0.9));
    const many = await levelRate(durability, (log) => spawns(log, 5000, 100));
    const [together] = await sideBySide(ROUNDS, [many.ours]);
    figures.push({
      name: `spawns, 100 at once, ${durability}`,
      value: together?.rate ?? Number.NaN,
      unit: "/s",
      target: 20_000,
      bound: "at least",
    });
  }
  return figures;
}

/** Bytes of live heap, after a full collection. */
function liveHeap(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

async function memory(): Promise<readonly Figure[]> {
  const total = 10_000;
  const worker: Behavior = async (turn) => {
    await turn.sample(({ task }) => task?.text.length ?? 0);
    return "done";
  };
  const root: Behavior = async (turn) => {
    await turn.sample(({ mail }) => mail.length);
  };
  const bytes = await inFolder((folder) =>
    withSession(levelLog(folder, { durability: "process" }), { root, worker }, async (session) => {
      await session.whenQuiet();
      const before = liveHeap();
      for (let first = 0; first < total; first += 100) {
        const some = Array.from({ length: 100 }, (_, index) =>
          session.spawn({ name: `agent_${first + index}`, behavior: "worker", task: "work" }),
        );
        await Promise.all(some);
        await session.whenQuiet();
      }
      return liveHeap() - before;
    }),
  );
  const value = bytes / total / 1024;
  const name = "heap of an agent at rest after its first turn, among 10,000";
  return [{ name, value, unit: "KB", target: 3, bound: "at most" }];
}

/** The benchmarks of sessions. */
export const sessionBenchmarks: readonly Benchmark[] = [
  { name: "delegate", take: delegations },
  { name: "ping-pong", take: pingPongs },
  { name: "fan-in", take: fanIns },
  { name: "spawn", take: spawning },
  { name: "memory", take: memory },
];
