/**
 * The watermark: what had been confirmed of each session, kept beside the store. A chain shows every damage but one,
 * a lost tail; the watermark shows that one. It lags, by at most a second while the log is written and by nothing
 * after a close, so a tail lost inside that second can't be told from one that was never confirmed.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LogCorrupt } from "../errors.js";
import { openSealed, seal } from "../events/sealed.js";
import { codeOf, unavailable, writeWhole } from "./files.js";
import type { Head } from "./log.js";
import { sha256 } from "./sha256.js";

/** The watermark's file. */
const WATERMARK_FILE = "dovecote.watermark";

/** How long the watermark may lag behind the log. */
const WATERMARK_LAG_MS = 1000;

/** Runs something once, later; gives the function that calls it off. Must not keep the process alive. */
export type Schedule = (run: () => void, delayMs: number) => () => void;

/** A commit that had been confirmed: its position and the first digits of its hash. */
export interface Confirmed {
  readonly position: number;
  readonly hash: string;
}

const HASH_DIGITS = 16;

/** Reads a folder's watermark (L3). @throws LogCorrupt when it is missing or damaged. */
export async function readWatermark(folder: string): Promise<Map<string, Confirmed>> {
  let text: string;
  try {
    text = await readFile(join(folder, WATERMARK_FILE), "utf8");
  } catch (error) {
    if (codeOf(error) !== "ENOENT")
      throw unavailable(`The watermark of ${folder} can't be read`, error);
    throw broken(folder, "is missing");
  }
  const sessions = openSealed(text, sha256)?.["sessions"];
  if (!Array.isArray(sessions)) throw broken(folder, "is damaged");
  const confirmed = new Map<string, Confirmed>();
  for (const [session, position, hash] of sessions as readonly [string, number, string][]) {
    confirmed.set(session, { position, hash });
  }
  return confirmed;
}

/** Writes a watermark that confirms nothing: that of a new folder. */
export async function createWatermark(folder: string): Promise<void> {
  await writeWhole(join(folder, WATERMARK_FILE), encode(new Map()));
}

/** Whether a head's commit is the one that was confirmed at its position. */
export function isConfirmed(confirmed: Confirmed, hash: string): boolean {
  return hash.startsWith(confirmed.hash) && confirmed.hash.length === HASH_DIGITS;
}

/** Follows the log and keeps its watermark. */
export class WatermarkKeeper {
  readonly #folder: string;
  readonly #confirmed: Map<string, Confirmed>;
  readonly #makeDurable: () => Promise<boolean>;
  readonly #schedule: Schedule;
  #dirty = false;
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** @param makeDurable puts on the disk what has been noted, and tells whether it could. */
  constructor(
    folder: string,
    confirmed: Map<string, Confirmed>,
    makeDurable: () => Promise<boolean>,
    schedule: Schedule,
  ) {
    this.#folder = folder;
    this.#confirmed = confirmed;
    this.#makeDurable = makeDurable;
    this.#schedule = schedule;
  }

  /** What had been confirmed of a session. */
  get(session: string): Confirmed | undefined {
    return this.#confirmed.get(session);
  }

  /** The sessions of which something had been confirmed. */
  sessions(): Iterable<string> {
    return this.#confirmed.keys();
  }

  /** Takes note of a commit that its caller is being told of. */
  note(session: string, head: Head): void {
    this.#confirmed.set(session, {
      position: head.position,
      hash: head.hash.slice(0, HASH_DIGITS),
    });
    this.#dirty = true;
    this.#cancel ??= this.#schedule(() => void this.flush(), WATERMARK_LAG_MS);
  }

  /**
   * Writes what was noted. A watermark that can't be written stays behind, which is safe: it then shows less, and is
   * tried again with the next note or at the close.
   */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (!this.#dirty) return;
    this.#dirty = false;
    // Encoded before it is made durable: what is noted in between is not on the disk yet.
    const text = encode(this.#confirmed);
    try {
      if (await this.#makeDurable()) {
        await writeWhole(join(this.#folder, WATERMARK_FILE), text);
        return;
      }
    } catch {
      // Falls through: it stays due.
    }
    this.#dirty = true;
  }
}

function encode(confirmed: ReadonlyMap<string, Confirmed>): string {
  const sessions = [...confirmed].map(([session, { position, hash }]) => [session, position, hash]);
  return seal({ sessions }, sha256).text;
}

function broken(folder: string, detail: string): LogCorrupt {
  return new LogCorrupt(
    { session: "", from: 0, to: 0, kind: "watermark" },
    `${join(folder, WATERMARK_FILE)} ${detail}, so a lost tail could not be told`,
  );
}
