/**
 * Who holds a folder. Three things say so: a registry inside the process, a mark beside the store, and the store's
 * own lock, which has the last word among processes. The first two are needed because the lock can vanish without its
 * holder's knowing: a failed second open inside the process drops it, and so does any other reading of the lock file.
 * So nothing here, and nothing in this library, ever touches that file.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { LogInUse } from "../errors.js";
import { codeOf, unavailable, writeWhole } from "./files.js";

/** The mark's file. */
const OWNER_FILE = "dovecote.owner";

interface Mark {
  readonly pid: number;
  /** When that process started, in whatever unit the system counts; a number used again has another start. */
  readonly start: string;
  readonly nonce: string;
  /** How many holders the folder has had. */
  readonly epoch: number;
}

interface Registry {
  readonly folders: Set<string>;
  readonly nonces: Set<string>;
}

/** Shared by all copies of this package in the process, which is why it does not live in this module. */
function registry(): Registry {
  const holder = globalThis as unknown as Record<symbol, Registry | undefined>;
  const key = Symbol.for("dovecote.folders");
  return (holder[key] ??= { folders: new Set(), nonces: new Set() });
}

/**
 * Takes a folder for this process, by its real path. Gives the function that frees it.
 *
 * @throws LogInUse when this process holds it already (L5).
 */
export function reserveFolder(realPath: string): () => void {
  const { folders } = registry();
  if (folders.has(realPath)) throw new LogInUse(realPath);
  folders.add(realPath);
  return () => folders.delete(realPath);
}

/**
 * Refuses when the mark's holder lives; else tells the last holder's epoch, 0 when there was none.
 *
 * @throws LogInUse (L5)
 */
export async function refuseLivingOwner(folder: string): Promise<number> {
  const mark = parseMark(await readMark(folder));
  if (mark === undefined) return 0;
  if (isAlive(mark)) throw new LogInUse(`${folder} (held by process ${mark.pid})`);
  return mark.epoch;
}

/** The right to write in a folder, as long as its mark stands. */
export class Owner {
  readonly #file: string;
  readonly #mark: Mark;
  #seen: string;

  private constructor(file: string, mark: Mark) {
    this.#file = file;
    this.#mark = mark;
    this.#seen = identity(file);
  }

  /** Marks the folder as ours. Only who holds the store's lock may do so. */
  static async take(folder: string, lastEpoch: number): Promise<Owner> {
    const mark: Mark = {
      pid: process.pid,
      start: startOf(process.pid) ?? "",
      nonce: randomUUID(),
      epoch: lastEpoch + 1,
    };
    registry().nonces.add(mark.nonce);
    const file = join(folder, OWNER_FILE);
    try {
      await writeWhole(file, JSON.stringify(mark));
    } catch (error) {
      throw unavailable(`${folder} can't be marked as in use`, error);
    }
    return new Owner(file, mark);
  }

  /**
   * Whether the mark is still ours (L5). Asked before every batch, and so synchronous and cheap: the file is read only
   * when it is not the one seen last. A mark that is gone counts as lost, for someone else may have come and left.
   */
  holds(): boolean {
    const now = identity(this.#file);
    if (now === this.#seen) return now !== "";
    try {
      if (parseMark(readFileSync(this.#file, "utf8"))?.nonce !== this.#mark.nonce) return false;
    } catch {
      return false;
    }
    this.#seen = now;
    return true;
  }

  /** Removes the mark, if it is ours. One that can't be removed is known as ours by this process, and dies with it. */
  async release(): Promise<void> {
    if (this.holds()) await rm(this.#file, { force: true }).catch(() => undefined);
  }
}

async function readMark(folder: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, OWNER_FILE), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw unavailable(`The owner of ${folder} can't be read`, error);
  }
}

/** A mark that can't be read is none: the store's own lock then decides alone. */
function parseMark(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined;
  try {
    const { pid, start, nonce, epoch } = JSON.parse(text) as Partial<Record<keyof Mark, unknown>>;
    if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
    if (typeof start !== "string" || typeof nonce !== "string") return undefined;
    return { pid, start, nonce, epoch: typeof epoch === "number" ? epoch : 0 };
  } catch {
    return undefined;
  }
}

function isAlive(mark: Mark): boolean {
  if (mark.pid === process.pid && registry().nonces.has(mark.nonce)) return false;
  const start = startOf(mark.pid);
  if (start === undefined) return false;
  if (start !== "" && mark.start !== "") return start === mark.start;
  // Where starts can't be told, our own number on a mark we never made is that of a process long gone.
  return mark.pid !== process.pid;
}

/** When a process started: `undefined` when there is none of that number, `""` when the system does not say. */
function startOf(pid: number): string | undefined {
  const boot = readOr("/proc/sys/kernel/random/boot_id", "").trim();
  const stat = readOr(`/proc/${pid}/stat`, "");
  // The name, in parentheses, may hold anything; the fields after it can't hold a parenthesis.
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  if (ticks !== undefined) return `${boot}:${ticks}`;
  try {
    process.kill(pid, 0);
    return "";
  } catch (error) {
    return codeOf(error) === "ESRCH" ? undefined : "";
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}

function identity(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}`;
  } catch {
    return "";
  }
}
