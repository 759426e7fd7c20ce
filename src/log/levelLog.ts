/**
 * Logs kept in LevelDB: the only file that knows it. Turns its errors into this library's own, and reads with a high
 * water mark that makes long scans cheap.
 */
import { Level } from "level";
import { BadArgument, DovecoteError, LogCorrupt, LogInUse, LogUnavailable } from "../errors.js";
import { codeOf } from "./files.js";
import { FolderLog } from "./folderLog.js";
import type { EventLog } from "./log.js";
import { openCopy } from "./openCopy.js";
import { openForWriting, type FolderSeams, type LevelLogOptions } from "./openFolder.js";
import { salvage, type SalvageReport } from "./salvage.js";
import { closedLog } from "./storedSession.js";
import type { Change, Entry, Scan, Store } from "./store.js";

const HIGH_WATER_MARK_BYTES = 1 << 20;
const ENTRIES_AT_A_TIME = 1000;

/**
 * A log in a folder, kept by LevelDB; many sessions share it, and their commits share their syncs (L5). Nothing is
 * touched before its first use, which opens the folder, or makes it when it is absent or empty.
 *
 * @param path of the folder; the one that holds it must exist.
 * @throws BadArgument when the path or an option is unusable. Each method, at the first use: LogInUse, NotALog,
 * LogFormatError, LogCorrupt, LogUnavailable.
 * @example const log = levelLog("./data", { durability: "process" })
 */
export function levelLog(path: string, options: LevelLogOptions = {}): EventLog {
  checkPath(path);
  const { durability = "disk" } = options;
  if (durability !== "disk" && durability !== "process") {
    throw new BadArgument(`durability is "disk" or "process", not ${JSON.stringify(durability)}.`);
  }
  return new FolderLog(path, (asked) => openForWriting(path, options, levelSeams, asked));
}

/**
 * The log in a folder that nobody holds, for reading alone: works on a copy, which is removed at the close, and leaves
 * the folder as it is (R3). Its `openSession` refuses.
 *
 * @example const trace = await readLevelLog("./data").readSession("review-42")
 */
export function readLevelLog(path: string): EventLog {
  checkPath(path);
  return new FolderLog(path, () => openCopy(path, openLevel));
}

/**
 * Writes what can be proved good of a damaged log into a new folder, and tells exactly what was left out (L3). Of each
 * session it keeps the commits from the first up to the first that is damaged or missing. The damaged folder is left
 * as it is.
 *
 * @param to an absent or empty folder.
 * @throws LogInUse, BadArgument when `to` is neither, LogUnavailable, LogCorrupt when nothing at all can be read.
 * @example
 * const { sessions } = await salvageLog("./data", "./data-salvaged");
 * for (const { session, head, leftOut } of sessions) console.log(session, head.position, leftOut);
 */
export function salvageLog(from: string, to: string): Promise<SalvageReport> {
  checkPath(from);
  checkPath(to);
  // The types of `level` leave out what its class has from LevelDB.
  const store = Level as unknown as { repair(folder: string): Promise<void> };
  return salvage(from, to, {
    openStore: openLevel,
    repair: (folder) => store.repair(folder),
    target: (folder) => levelLog(folder),
  });
}

function checkPath(path: unknown): void {
  if (typeof path === "string" && path !== "" && !path.includes("\0")) return;
  throw new BadArgument("The path of a log is the name of a folder, a nonempty text.");
}

/** Opens a folder's LevelDB. @internal */
export async function openLevel(folder: string, create: boolean): Promise<Store> {
  const level = new Level<string, string>(folder, { createIfMissing: create });
  try {
    await level.open();
  } catch (error) {
    throw openError(folder, error);
  }
  return new LevelStore(folder, level);
}

/** LevelDB and the real timers. @internal */
export const levelSeams: FolderSeams = {
  openStore: openLevel,
  schedule: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
};

class LevelStore implements Store {
  readonly #folder: string;
  readonly #level: Level<string, string>;

  constructor(folder: string, level: Level<string, string>) {
    this.#folder = folder;
    this.#level = level;
  }

  async get(key: string): Promise<string | undefined> {
    try {
      return await this.#level.get(key);
    } catch (error) {
      throw readError(this.#folder, error);
    }
  }

  async *scan(scan: Scan): AsyncGenerator<readonly Entry[], void, undefined> {
    try {
      const iterator = this.#level.iterator({
        gte: scan.gte,
        lt: scan.lt,
        reverse: scan.reverse ?? false,
        limit: scan.limit ?? -1,
        highWaterMarkBytes: HIGH_WATER_MARK_BYTES,
      });
      const next = (): Promise<Entry[]> => iterator.nextv(ENTRIES_AT_A_TIME);
      try {
        let entries = await next();
        while (entries.length > 0) {
          // LevelDB reads ahead on its thread while the caller works on what it got.
          const ahead = next();
          // When the caller leaves early nobody awaits this one, and its failure is nobody's business.
          ahead.catch(() => undefined);
          yield entries;
          entries = await ahead;
        }
      } finally {
        await iterator.close();
      }
    } catch (error) {
      throw readError(this.#folder, error);
    }
  }

  async write(changes: readonly Change[], sync: boolean): Promise<void> {
    // A chained batch hands each change over as it is; an array of operations would be checked and copied first.
    const batch = this.#level.batch();
    for (const { key, value } of changes) {
      if (value === undefined) batch.del(key);
      else batch.put(key, value);
    }
    await batch.write({ sync });
  }

  close(): Promise<void> {
    return this.#level.close();
  }
}

function openError(folder: string, error: unknown): DovecoteError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = codeOf(cause);
  if (code === "LEVEL_LOCKED") return new LogInUse(folder, { cause: error });
  if (code === "LEVEL_CORRUPTION") return corruptStore(folder, error);
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new LogUnavailable(`The store in ${folder} can't be opened: ${detail}`, { cause: error });
}

const CLOSED = new Set(["LEVEL_DATABASE_NOT_OPEN", "LEVEL_ITERATOR_NOT_OPEN"]);

function readError(folder: string, error: unknown): unknown {
  if (error instanceof DovecoteError) return error;
  const code = codeOf(error) ?? "";
  if (CLOSED.has(code)) return closedLog();
  if (code === "LEVEL_CORRUPTION") return corruptStore(folder, error);
  if (!code.startsWith("LEVEL_")) return error;
  return new LogUnavailable(
    `The store in ${folder} can't be read: ${String(error)}. If the disk is in order, the file that is named is damaged: restore a copy, or salvage the log.`,
    { cause: error },
  );
}

function corruptStore(folder: string, error: unknown): LogCorrupt {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new LogCorrupt(
    { session: "", from: 0, to: 0, kind: "store" },
    `${folder}: ${root instanceof Error ? root.message : String(root)}`,
    { cause: error },
  );
}
