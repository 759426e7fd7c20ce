/**
 * What the log costs, as ratios of two measurements of one run on one disk: a serial commit against a bare write and
 * sync of the same bytes, many callers against one, a verified read against a bare scan. Prints nothing by itself.
 */
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Level } from "level";
import type { DovecoteEvent } from "../src/events/events.js";
import { encodeCommit } from "../src/events/codec.js";
import { levelLog, openLevel } from "../src/log/levelLog.js";
import type { CommitDraft } from "../src/events/commit.js";
import type { EventLog, Head, SessionLog } from "../src/log/log.js";
import { sha256 } from "../src/log/sha256.js";

/** One figure: what was measured, against what, and what it should reach. */
export interface Ratio {
  readonly name: string;
  readonly ratio: number;
  readonly target: number;
  /** Whether the ratio should be at least the target, or at most. */
  readonly bound: "at least" | "at most";
  /** The two rates behind it, a second. */
  readonly ours: number;
  readonly raw: number;
}

const TEXT =
  "A message of the usual length, as one agent writes it to another in the middle of its work. ";

function draft(head: Head, events = 1): CommitDraft {
  const n = head.position + 1;
  const event: DovecoteEvent = {
    type: "mail.queued",
    cause: [n, 0],
    path: "/root/reviewer",
    gen: 0,
    mail: "MAIL",
    from: "/root",
    text: TEXT,
  };
  return { id: `commit-${n}`, n, at: 1_700_000_000_000, events: Array(events).fill(event) };
}

async function append(session: SessionLog, events = 1): Promise<void> {
  const result = await session.append(draft(session.head(), events));
  if (result.kind !== "appended") throw new Error(`append gave ${result.kind}`);
}

/** Runs something `count` times and gives its rate a second. */
async function rate(count: number, run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return (count * 1000) / (performance.now() - start);
}

async function inFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "dovecote-bench-"));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withLog<T>(
  durability: "disk" | "process",
  body: (log: EventLog) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    const log = levelLog(folder, { durability });
    try {
      return await body(log);
    } finally {
      await log.close();
    }
  });
}

const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Serial `disk` commits against a bare write and sync of the same bytes, taken in turns so that both meet one disk. */
export async function serialDisk(rounds = 5, commits = 200): Promise<Ratio> {
  const empty = { position: 0, hash: "", epoch: 0 };
  const bytes = Buffer.from(
    encodeCommit(draft(empty), { prev: "0".repeat(64), epoch: 1 }, sha256).text,
  );
  const ours: number[] = [];
  const raw: number[] = [];
  await withLog("disk", async (log) => {
    const session = await log.openSession("serial");
    await inFolder(async (folder) => {
      const file = await open(join(folder, "raw"), "a");
      for (let round = 0; round < rounds; round += 1) {
        raw.push(
          await rate(commits, async () => {
            for (let index = 0; index < commits; index += 1) {
              await file.write(bytes);
              await file.datasync();
            }
          }),
        );
        ours.push(
          await rate(commits, async () => {
            for (let index = 0; index < commits; index += 1) await append(session);
          }),
        );
      }
      await file.close();
    });
  });
  return {
    name: "serial disk commit / write + fdatasync of the same bytes",
    ratio: middle(ours.map((value, index) => value / (raw[index] ?? Number.NaN))),
    target: 0.6,
    bound: "at least",
    ours: middle(ours),
    raw: middle(raw),
  };
}

/** `disk` commits of many sessions at the same time against one session alone, taken in turns. */
export async function concurrentDisk(callers = 256, each = 40, rounds = 5): Promise<Ratio> {
  const serial = 100;
  return withLog("disk", async (log) => {
    const alone = await log.openSession("alone");
    const sessions: SessionLog[] = [];
    for (let index = 0; index < callers; index += 1) {
      sessions.push(await log.openSession(`caller-${index}`));
    }
    const times = async (session: SessionLog, count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) await append(session);
    };
    const ours: number[] = [];
    const raw: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      raw.push(await rate(serial, () => times(alone, serial)));
      ours.push(
        await rate(callers * each, async () => {
          await Promise.all(sessions.map((session) => times(session, each)));
        }),
      );
    }
    return {
      name: `disk commits, ${callers} callers / serial disk commits`,
      ratio: middle(ours.map((value, index) => value / (raw[index] ?? Number.NaN))),
      target: 20,
      bound: "at least",
      ours: middle(ours),
      raw: middle(raw),
    };
  });
}

/** `process` commits of ten events, against batches of the same bytes without a chain. */
export async function processCommits(rounds = 5, commits = 1000): Promise<Ratio> {
  const head = { position: 0, hash: "", epoch: 0 };
  const text = encodeCommit(draft(head, 10), { prev: "0".repeat(64), epoch: 1 }, sha256).text;
  const headText = JSON.stringify({ position: 1, hash: "0".repeat(64), epoch: 1 });
  const ours: number[] = [];
  const raw: number[] = [];
  await withLog("process", async (log) => {
    const session = await log.openSession("process");
    await inFolder(async (folder) => {
      const store = await openLevel(folder, true);
      for (let round = 0; round < rounds; round += 1) {
        raw.push(
          await rate(commits, async () => {
            for (let index = 0; index < commits; index += 1) {
              const key = `c/process/${String(round * commits + index).padStart(16, "0")}`;
              await store.write(
                [
                  { key, value: text },
                  { key: "h/process", value: headText },
                ],
                false,
              );
            }
          }),
        );
        ours.push(
          await rate(commits, async () => {
            for (let index = 0; index < commits; index += 1) await append(session, 10);
          }),
        );
      }
      await store.close();
    });
  });
  return {
    name: "process commit of 10 events / bare LevelDB batch of the same bytes",
    ratio: middle(ours.map((value, index) => value / (raw[index] ?? Number.NaN))),
    target: 0.7,
    bound: "at least",
    ours: middle(ours),
    raw: middle(raw),
  };
}

/** A verified and decoded read of a whole session, against a bare scan and JSON.parse of the same entries. */
export async function replay(commits = 10_000, events = 10, rounds = 5): Promise<Ratio> {
  return inFolder(async (folder) => {
    const log = levelLog(folder, { durability: "process" });
    const session = await log.openSession("replay");
    for (let index = 0; index < commits; index += 1) await append(session, events);
    await log.close();
    const again = levelLog(folder, { durability: "process" });
    const reader = await again.readSession("replay");
    if (reader === undefined) throw new Error("the session is gone");
    const ours: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      ours.push(
        await rate(commits * events, async () => {
          let count = 0;
          for await (const commit of reader.read()) count += commit.events.length;
          if (count !== commits * events) throw new Error(`read ${count} events`);
        }),
      );
    }
    await again.close();
    const level = new Level<string, string>(folder, { createIfMissing: false });
    const raw: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      raw.push(
        await rate(commits * events, async () => {
          const range = { gte: "c/", lt: "c0", highWaterMarkBytes: 1 << 20 };
          for await (const value of level.values(range)) JSON.parse(value);
        }),
      );
    }
    await level.close();
    const name = "replay, parsed and verified / bare scan + JSON.parse";
    const [a, b] = [middle(ours), middle(raw)];
    return { name, ratio: a / b, target: 0.6, bound: "at least", ours: a, raw: b };
  });
}

/** All figures of the log, one after the other. */
export const logBenchmarks: readonly (() => Promise<Ratio>)[] = [
  serialDisk,
  concurrentDisk,
  processCommits,
  replay,
];
