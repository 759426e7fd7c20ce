/**
 * What looking at a recorded session costs: the first way to its end, seeks anywhere after that, and what an open trace
 * holds. Prints nothing by itself.
 */
import { performance } from "node:perf_hooks";
import { memoryLog } from "../src/log/memoryLog.js";
import type { EventLog } from "../src/log/log.js";
import { Run } from "../src/replay/rerun.js";
import { openTrace } from "../src/replay/trace.js";
import { emptyState, plainHost } from "../src/kernel/state.js";
import { BEHAVIOR, attemptOf, commands, turnOf } from "../src/testing/commands.js";
import type { Benchmark, Figure } from "./figures.js";

const EVENTS = 100_000;
const SEEKS = 200;

/** Two agents that write to each other and read, for so many events. */
async function recorded(log: EventLog, events: number): Promise<number> {
  const run = new Run(emptyState(plainHost([BEHAVIOR])));
  const put = (command: Parameters<Run["put"]>[0]): void => {
    run.put(command);
    run.commit();
  };
  const [root, a] = [turnOf("/root"), turnOf("/root/a")];
  put({ kind: "create", id: "main", capacity: 4, behavior: BEHAVIOR });
  put(commands.prompt("go"));
  put(commands.spawn("a", { by: root }));
  let attempt = 0;
  for (let made = 0; made < events; made += 10) {
    attempt++;
    put(commands.send("/root/a", "a line of text as agents write it", root));
    put(commands.sample(a));
    put(commands.sampleEnd(attemptOf(a, attempt)));
    put(commands.send("/root", "and the answer to it", a));
    put(commands.sample(root));
    put(commands.sampleEnd(attemptOf(root, attempt)));
  }
  const session = await log.openSession("main");
  let count = 0;
  for (const { n, events: group } of run.commits) {
    count += group.length;
    await session.append({ id: `c${n}`, n, at: 0, events: group });
  }
  await session.close();
  return count;
}

async function take(): Promise<readonly Figure[]> {
  const log = memoryLog();
  const events = await recorded(log, EVENTS);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const trace = await openTrace(log);
  let start = performance.now();
  await trace.end();
  const first = (events * 1000) / (performance.now() - start);
  globalThis.gc?.();
  const heap = (process.memoryUsage().heapUsed - before) / 1024;
  let slowestMs = 0;
  for (let i = 0; i < SEEKS; i++) {
    start = performance.now();
    await trace.at(1 + ((i * 7919) % trace.length));
    slowestMs = Math.max(slowestMs, performance.now() - start);
  }
  const name = `seeks anywhere in ${events} events, by the slowest of ${SEEKS}`;
  return [
    { name: "events on the first way to the end of a trace", value: first, unit: "/s" },
    { name, value: 1000 / slowestMs, unit: "/s", target: 50, bound: "at least" },
    {
      name: `heap of a trace of ${events} events, its checkpoints included`,
      value: heap,
      unit: "KB",
    },
  ];
}

/** The figures of replay. */
export const replayBenchmarks: readonly Benchmark[] = [{ name: "replay", take }];
