/**
 * Salvage: what can be proved good of a damaged log, in a new one, and a list of all that was left out. Works on a copy,
 * never in place. Where the store itself can't be opened, the copy is repaired first; what that loses is in the list
 * like any other loss, because the list is made from what should be there.
 */
import { copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { BadArgument, DovecoteError, LogCorrupt } from "../errors.js";
import { readLink } from "../events/codec.js";
import { ChainWalk, EMPTY_HEAD } from "./chain.js";
import { REPLACED, TABLES } from "./closedMark.js";
import { unavailable } from "./files.js";
import { inspectFolder, parseJson, realFolder } from "./folder.js";
import {
  COMMITS,
  commitKey,
  HEADS,
  headKey,
  positionOf,
  rangeOf,
  sessionOf,
  UNKNOWN_RANGES,
} from "./keys.js";
import type { EventLog, Head, StoredCommit } from "./log.js";
import { anchorIn } from "./salvageAnchor.js";
import { refuseLivingOwner, reserveFolder } from "./owner.js";
import { sha256 } from "./sha256.js";
import { damagedTables } from "./tableCheck.js";
import type { OpenStore, Store } from "./store.js";
import { Undo } from "./undo.js";
import { readWatermark, type Confirmed } from "./watermark.js";

/**
 * Why commits were left out. `damaged`: their own bytes, form or version. `missing`: they are not there, though others,
 * the head or the watermark show that they were. `unproven`: whole in themselves, but after what is damaged or missing.
 */
export type LeftReason = "damaged" | "missing" | "unproven";

/** Commits of a session that were left out, both ends included; 0 is the place where it was cut. */
export interface LeftOut {
  readonly from: number;
  readonly to: number;
  readonly reason: LeftReason;
  readonly detail: string;
}

/** What became of one session. */
export interface SalvagedSession {
  readonly session: string;
  /** Where it ends in the new log; position 0 when nothing of it could be kept. */
  readonly head: Head;
  readonly leftOut: readonly LeftOut[];
}

/** What became of a log. */
export interface SalvageReport {
  /** The store could not be opened as it was, and its copy was repaired. */
  readonly repaired: boolean;
  /** Whether the watermark could be read: without it a lost tail may be missing from the list. */
  readonly watermark: boolean;
  readonly sessions: readonly SalvagedSession[];
  /** Keys that belong to no session, left out too. */
  readonly unknownKeys: readonly string[];
}

/** What salvage does not do itself. */
export interface SalvageSeams {
  readonly openStore: OpenStore;
  /** Makes a store of what can be found in a folder's files, whatever is lost by it. */
  readonly repair: (folder: string) => Promise<void>;
  readonly target: (folder: string) => EventLog;
}

/** @throws LogInUse, LogUnavailable, BadArgument when `to` is not absent or empty, LogCorrupt when nothing can be read */
export async function salvage(
  from: string,
  to: string,
  seams: SalvageSeams,
): Promise<SalvageReport> {
  const undo = new Undo();
  try {
    const folder = await realFolder(from);
    if ((await inspectFolder(await realFolder(to))) !== "new") {
      throw new BadArgument(`${to} is not empty. Salvage into a folder that is absent or empty.`);
    }
    undo.push(reserveFolder(folder));
    await refuseLivingOwner(folder);
    const confirmed = await readWatermark(folder).catch(() => undefined);
    const { store, repaired } = await openWhatIsLeft(folder, dirname(resolve(to)), seams, undo);
    const target = seams.target(to);
    undo.push(() => target.close());
    const { sessions, unknownKeys } = await namesIn(store, confirmed ?? new Map());
    const salvaged: SalvagedSession[] = [];
    for (const session of sessions) {
      salvaged.push(await salvageSession(store, session, confirmed?.get(session), target));
    }
    return { repaired, watermark: confirmed !== undefined, sessions: salvaged, unknownKeys };
  } finally {
    await undo.run();
  }
}

const EVERYTHING = { gte: "", lt: "\u{10ffff}" } as const;

/** Opens a copy of the store; repairs it where it can't be opened as it is. */
async function openWhatIsLeft(
  folder: string,
  near: string,
  seams: SalvageSeams,
  undo: Undo,
): Promise<{ readonly store: Store; readonly repaired: boolean }> {
  // A damaged table could end the process; without it the copy does not open, and is repaired.
  const damaged = new Set(await damagedTables(folder, () => false).catch(() => []));
  const copies = await mkdtemp(join(near, `.${basename(folder)}-salvage-`));
  undo.push(() => rm(copies, { recursive: true, force: true }));
  let store: Store | undefined;
  let repaired = false;
  try {
    store = await seams.openStore(await copyAll(folder, join(copies, "as-it-is"), damaged), false);
    // A table may be unreadable though the store opens: only reading all of it tells.
    for await (const _ of store.scan(EVERYTHING));
  } catch {
    repaired = true;
    await store?.close();
    const copy = await copyAll(folder, join(copies, "repaired"), damaged);
    try {
      await seams.repair(copy);
      store = await seams.openStore(copy, false);
    } catch (cause) {
      const at = { session: "", from: 0, to: 0, kind: "store" } as const;
      throw new LogCorrupt(at, `${folder}: nothing can be read in it`, { cause });
    }
  }
  const opened = store;
  undo.push(() => opened.close());
  return { store, repaired };
}

/** Real copies: a repair may write into any file. */
async function copyAll(
  folder: string,
  copy: string,
  without: ReadonlySet<string>,
): Promise<string> {
  try {
    await mkdir(copy);
    for (const name of await readdir(folder)) {
      if (without.has(name) || (!TABLES.test(name) && !REPLACED.test(name))) continue;
      await copyFile(join(folder, name), join(copy, name));
    }
    return copy;
  } catch (error) {
    throw unavailable(`${folder} can't be copied`, error);
  }
}

async function namesIn(
  store: Store,
  confirmed: ReadonlyMap<string, Confirmed>,
): Promise<{ readonly sessions: readonly string[]; readonly unknownKeys: readonly string[] }> {
  const sessions = new Set(confirmed.keys());
  const unknownKeys: string[] = [];
  for (const range of UNKNOWN_RANGES) {
    for await (const batch of store.scan(range)) for (const [key] of batch) unknownKeys.push(key);
  }
  for (const range of [HEADS, COMMITS]) {
    for await (const batch of store.scan(range)) {
      for (const [key] of batch) {
        const session = sessionOf(key);
        if (session === undefined || (range === COMMITS && positionOf(key) === undefined)) {
          unknownKeys.push(key);
        } else {
          sessions.add(session);
        }
      }
    }
  }
  return { sessions: [...sessions].sort(), unknownKeys };
}

async function salvageSession(
  store: Store,
  session: string,
  confirmed: Confirmed | undefined,
  target: EventLog,
): Promise<SalvagedSession> {
  const losses = new Losses();
  const keptLosses = new Losses();
  const { anchor, fault: broken } = await anchorIn(store, session, {
    faultIn: faultOf,
    lose: (at, fault) => keptLosses.add(at, at, "damaged", fault),
  });
  if (broken !== undefined) losses.add(0, 0, "damaged", broken);
  let last = anchor?.position ?? 0;
  const walk = new ChainWalk(session, anchor ?? EMPTY_HEAD);
  const good = async function* (): AsyncGenerator<StoredCommit, void, undefined> {
    for await (const stored of commitsOf(store, session, last + 1)) {
      if (stored.position > last + 1) losses.add(last + 1, stored.position - 1, "missing", "");
      last = stored.position;
      const fault = losses.any ? undefined : faultIn(() => walk.commit(stored));
      if (!losses.any && fault === undefined) {
        yield stored;
        continue;
      }
      const own = fault ?? faultIn(() => readLink(stored.text, { session, ...stored }, sha256));
      const reason = own === undefined ? "unproven" : "damaged";
      losses.add(stored.position, stored.position, reason, own ?? "");
    }
  };
  // Reads to the end also where nothing is good any more, for the sake of the list.
  const head = await target.restore(session, good(), anchor);
  const should = Math.max(confirmed?.position ?? 0, await positionOfHead(store, session));
  if (should > last) losses.add(last + 1, should, "missing", "");
  return { session, head, leftOut: [...keptLosses.ranges, ...losses.ranges] };
}

async function* commitsOf(
  store: Store,
  session: string,
  from: number,
): AsyncGenerator<StoredCommit, void, undefined> {
  const all = rangeOf("c", session);
  // The first of a whole log may have a key that names no commit.
  const scan = from === 1 ? all : { ...all, gte: commitKey(session, from) };
  for await (const batch of store.scan(scan)) {
    for (const [key, text] of batch) {
      const position = positionOf(key);
      if (position !== undefined) yield { position, text };
    }
  }
}

async function positionOfHead(store: Store, session: string): Promise<number> {
  const { position } = parseJson((await store.get(headKey(session))) ?? "");
  return typeof position === "number" && Number.isSafeInteger(position) ? position : 0;
}

function faultIn(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof DovecoteError) return error.message;
    throw error;
  }
}

async function faultOf<T>(
  read: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly fault: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof DovecoteError) return { fault: error.message };
    throw error;
  }
}

const DETAILS: Readonly<Record<LeftReason, string>> = {
  damaged: "",
  missing: "They are not in the store.",
  unproven: "They are whole, but they do not follow on what was kept.",
};

/** The list of what is left out; neighbours of one kind are one entry. */
class Losses {
  readonly ranges: LeftOut[] = [];

  get any(): boolean {
    return this.ranges.length > 0;
  }

  add(from: number, to: number, reason: LeftReason, detail: string): void {
    const before = this.ranges.at(-1);
    if (before?.reason === reason && before.to === from - 1 && reason !== "damaged") {
      this.ranges[this.ranges.length - 1] = { ...before, to };
    } else {
      this.ranges.push({ from, to, reason, detail: detail === "" ? DETAILS[reason] : detail });
    }
  }
}
