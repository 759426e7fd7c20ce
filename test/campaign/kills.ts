/** Processes that are killed while they write. */
import { once } from "node:events";
import type { ChildProcess } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { levelLog } from "../../src/log/levelLog.js";
import { verifyLog } from "../../src/log/verify.js";
import { startAppender } from "../support/children.js";
import type { Chance } from "./chance.js";
import type { Table } from "./table.js";
import { hashesOf } from "./truth.js";

/** Kills an appender once it has acknowledged so many commits; gives the last one of each session. */
export async function killAfter(
  child: ChildProcess,
  commits: number,
): Promise<ReadonlyMap<string, number>> {
  const acknowledged = new Map<string, number>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout! })) {
    const [session = "", position] = line.split(" ");
    acknowledged.set(session, Number(position));
    count += 1;
    if (count === commits) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  if (child.signalCode !== "SIGKILL")
    throw new Error(`the writer ended by itself: ${child.exitCode}`);
  return acknowledged;
}

/** How many kills one folder lives through. */
const KILLS_A_FOLDER = 10;

/** Kills writers at random moments; each time what they had acknowledged must be there, and the next one must get in. */
export async function kills(
  work: string,
  count: number,
  durability: "disk" | "process",
  chance: Chance,
  table: Table,
  say: (done: number) => void,
): Promise<void> {
  let folder = "";
  let before = new Map<string, readonly string[]>();
  for (let index = 0; index < count; index += 1) {
    if (index % KILLS_A_FOLDER === 0) {
      await rm(folder === "" ? join(work, "none") : folder, { recursive: true, force: true });
      folder = join(work, `kill-${durability}-${index}`);
      await mkdir(folder);
      before = new Map();
    }
    const commits = 1 + chance.below(chance.pick([20, 300, 2000]));
    const acknowledged = await killAfter(startAppender(folder, durability), commits);
    const kind = `kill -9, ${durability}`;
    try {
      const { hashes, ok } = await lookInto(folder, durability);
      const lost = [...acknowledged].filter(([id, n]) => (hashes.get(id)?.length ?? 0) < n);
      const other = [...before].filter(([id, known]) => {
        const now = hashes.get(id) ?? [];
        return known.some((hash, at) => now[at] !== hash);
      });
      const detail = `after ${commits}: ${JSON.stringify([ok, lost, other.map(([id]) => id)])}`;
      const fine = ok && lost.length === 0 && other.length === 0;
      table.add(kind, fine ? "harmless" : "lost", detail);
      before = hashes;
    } catch (error) {
      table.add(kind, "alarm", `after ${commits}: ${String(error)}`);
      before = new Map();
    }
    say(index + 1);
  }
  await rm(folder, { recursive: true, force: true });
}

async function lookInto(
  folder: string,
  durability: "disk" | "process",
): Promise<{ readonly hashes: Map<string, string[]>; readonly ok: boolean }> {
  const log = levelLog(folder, { durability });
  try {
    for (const id of await log.sessions()) await (await log.openSession(id)).close();
    const { ok } = await verifyLog(log);
    return { hashes: await hashesOf(log), ok };
  } finally {
    await log.close();
  }
}
