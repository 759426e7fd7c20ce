/**
 * A process of its own that appends to three sessions of a folder until it is killed. It prints `session position`
 * for each commit once, and only once, that commit is acknowledged.
 */
import { writeSync } from "node:fs";
import { levelLog } from "../../src/log/levelLog.js";
import { appendOne } from "../../src/testing/logSupport.js";

const [folder = "", durability] = process.argv.slice(2);
const log = levelLog(folder, { durability: durability === "process" ? "process" : "disk" });

async function appendForEver(id: string): Promise<never> {
  const session = await log.openSession(id);
  for (;;) {
    const { position } = await appendOne(session, `${id} ${session.head().position + 1}`, "more");
    // Synchronous, so that what is printed is what the parent reads, even when the next moment is the last.
    writeSync(1, `${id} ${position}\n`);
  }
}

await Promise.all(["a", "b", "c"].map(appendForEver));
