/** A second opener, and a disk that is full. */
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DovecoteError } from "../../src/errors.js";
import { levelLog } from "../../src/log/levelLog.js";
import type { AppendResult } from "../../src/log/log.js";
import { verifyLog } from "../../src/log/verify.js";
import { appendOne, draftAfter } from "../../src/testing/logSupport.js";
import { openElsewhere } from "../support/children.js";
import type { Chance } from "./chance.js";
import type { Table } from "./table.js";

const run = promisify(execFile);

async function refusedHere(folder: string): Promise<string> {
  const log = levelLog(folder);
  try {
    await log.sessions();
    return "opened";
  } catch (error) {
    return error instanceof DovecoteError ? error.code : String(error);
  } finally {
    await log.close();
  }
}

/** Openers that come while a log is written: in the same process, in another, and after an opening that failed. */
export async function openers(
  work: string,
  count: number,
  chance: Chance,
  table: Table,
  say: (done: number) => void,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const folder = join(work, "opener");
    const log = levelLog(folder);
    const session = await log.openSession("s");
    const here = chance.below(3) < 2;
    const elsewhere = !here || chance.below(2) === 0;
    await appendOne(session, "before");
    const answers: string[] = [];
    if (here) answers.push(await refusedHere(folder));
    if (elsewhere) answers.push(await openElsewhere(folder));
    await appendOne(session, "after");
    await log.close();
    const again = levelLog(folder);
    const { ok, sessions } = await verifyLog(again);
    await again.close();
    const right = answers.every((answer) => answer === "log-in-use");
    const whole = ok && sessions[0]?.commits === 2;
    const kind = here
      ? elsewhere
        ? "second opener, both"
        : "second opener, same process"
      : "second opener, other process";
    table.add(kind, right && whole ? "reported" : "lost", `${answers.join(" ")} ${whole}`);
    await rm(folder, { recursive: true });
    say(index + 1);
  }
}

/** Fills a small disk while a log is written on it. Does nothing where none can be mounted; says whether it could. */
export async function fullDisks(
  work: string,
  count: number,
  chance: Chance,
  table: Table,
  say: (done: number) => void,
): Promise<boolean> {
  const disk = join(work, "disk");
  await mkdir(disk, { recursive: true });
  for (let index = 0; index < count; index += 1) {
    try {
      await run("mount", ["-t", "tmpfs", "-o", "size=6m", "none", disk]);
    } catch {
      return false;
    }
    try {
      const wrong = await fillDisk(disk, chance);
      table.add("disk full", wrong === undefined ? "reported" : "lost", wrong ?? "");
    } catch (error) {
      table.add("disk full", "lost", String(error));
    } finally {
      await run("umount", [disk]);
    }
    say(index + 1);
  }
  return true;
}

/** What went wrong, if anything did. */
async function fillDisk(disk: string, chance: Chance): Promise<string | undefined> {
  const folder = join(disk, "log");
  await writeFile(join(disk, "ballast"), Buffer.alloc((3 << 20) + chance.below(1 << 20)));
  const log = levelLog(folder, { durability: chance.pick(["disk", "process"] as const) });
  const session = await log.openSession("s");
  let failed: AppendResult | undefined;
  for (let n = 0; n < 5000 && failed === undefined; n += 1) {
    const draft = { ...draftAfter(session.head(), chance.text(2000)), id: `commit-${n}` };
    const result = await session.append(draft);
    if (result.kind !== "appended") failed = result;
  }
  const confirmed = session.head().position;
  if (failed?.kind !== "unknown") return `the first failure was ${failed?.kind ?? "none"}`;
  // There is space again, and the log is not to believe it.
  await rm(join(disk, "ballast"));
  const later = await session.append(draftAfter(session.head(), "later"));
  if (later.kind !== "unavailable") return `an append after the failure was ${later.kind}`;
  await log.close();
  const again = levelLog(folder);
  try {
    const reopened = await again.openSession("s");
    const { position } = reopened.head();
    if (position < confirmed || position > confirmed + 1)
      return `it ends at ${position} of ${confirmed}`;
    const last = await reopened.get(confirmed + 1);
    if (last !== undefined && last.id !== failed.commitId) return `its last commit is ${last.id}`;
    await appendOne(reopened, "on");
    const { ok } = await verifyLog(again);
    return ok ? undefined : "it is not whole";
  } finally {
    await again.close();
  }
}
