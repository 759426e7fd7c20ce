/**
 * A process of its own that appends to three sessions of a folder until it is killed. It prints `session position`
 * for each commit once, and only once, that commit is acknowledged.
 */
import { writeSync } from "node:fs";
import { levelLog } from "../../src/log/levelLog.js";
import { appendOne } from "../../src/testing/logSupport.js";

const [folder = "", durability] = process.argv.slice(2);
const log = levelLog(folder, { durability: durability === "process" ? "process" : "disk" });

/** All of a line. A pipe that nobody empties at the moment is full, and is tried again. */
function say(line: string): void {
  for (let rest = line; rest !== "";) {
    try {
      rest = rest.slice(writeSync(1, rest));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
  }
}

async function appendForEver(id: string): Promise<never> {
  const session = await log.openSession(id);
  for (;;) {
    const { position } = await appendOne(session, `${id} ${session.head().position + 1}`, "more");
    // Synchronous, so that what is printed is what the parent reads, even when the next moment is the last.
    say(`${id} ${position}\n`);
  }
}

await Promise.all(["a", "b", "c"].map(appendForEver));
