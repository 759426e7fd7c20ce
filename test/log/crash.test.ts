import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { levelLog } from "../../src/log/levelLog.js";
import { readAll } from "../../src/testing/logSupport.js";
import { startAppender } from "../support/children.js";
import { testFolder } from "../support/folders.js";

/** Runs an appender until it has acknowledged so many commits, kills it, and gives the last one of each session. */
async function killAfter(
  folder: string,
  durability: "disk" | "process",
  commits: number,
): Promise<ReadonlyMap<string, number>> {
  const child = startAppender(folder, durability);
  const acknowledged = new Map<string, number>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout! })) {
    const [session = "", position] = line.split(" ");
    acknowledged.set(session, Number(position));
    count += 1;
    if (count === commits) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  return acknowledged;
}

describe.each(["disk", "process"] as const)("a log with durability %s", (durability) => {
  it("M3 L2 L5 keeps every acknowledged commit in its chain when its process is killed, and lets the next one in", async () => {
    const folder = await testFolder();
    // One folder for all kills: each holder also inherits what the one before it left behind.
    for (const commits of [1, 40, 700]) {
      const acknowledged = await killAfter(folder, durability, commits);
      const log = levelLog(folder, { durability });
      for (const [id, position] of acknowledged) {
        const session = await log.openSession(id);
        expect(session.head().position).toBeGreaterThanOrEqual(position);
        const commits = await readAll(session);
        expect(commits).toHaveLength(session.head().position);
        expect(
          commits.map(({ events }) => events.map((event) => "text" in event && event.text)),
        ).toEqual(commits.map(({ n }) => [`${id} ${n}`, "more"]));
      }
      await log.close();
    }
  }, 60_000);
});
