/**
 * What a folder is, found out before the store is opened, because opening a store rewrites its files. A marker file
 * beside the store says that the folder is ours, in which format, and whether its making was finished.
 */
import { mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { LogCorrupt, LogFormatError, NotALog } from "../errors.js";
import { codeOf, syncFolder, unavailable, UNFINISHED, writeWhole } from "./files.js";

/** Version of the folder's layout (L4). */
export const LAYOUT_VERSION = 1;

/** The marker's file. */
const MARKER_FILE = "dovecote.json";

/**
 * `new`: absent or empty. `unfinished`: its making was cut off, nobody was told of anything in it. `ready`: a log.
 */
export type FolderState = "new" | "unfinished" | "ready";

/** The name by which one folder is known, whatever path leads to it. The folder itself may be absent. */
export async function realFolder(path: string): Promise<string> {
  const full = resolve(path);
  try {
    return await realpath(full);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw unavailable(`${path} can't be opened`, error);
  }
  try {
    return join(await realpath(dirname(full)), basename(full));
  } catch (error) {
    throw unavailable(`${path} can't be opened`, error);
  }
}

/**
 * Looks at a folder without changing it (L3, L4).
 *
 * @throws NotALog, LogFormatError, LogCorrupt, LogUnavailable
 */
export async function inspectFolder(folder: string): Promise<FolderState> {
  const names = await namesIn(folder);
  if (names === undefined || names.every((name) => name === `${MARKER_FILE}${UNFINISHED}`)) {
    return "new";
  }
  if (!names.includes(MARKER_FILE)) {
    throw new NotALog(folder, `it has files in it, and no ${MARKER_FILE} among them`);
  }
  const state = parseMarker(folder, await readMarker(folder));
  if (state === "ready" && !names.includes("CURRENT")) {
    // A store asked to open without this file would make itself anew and delete everything.
    throw brokenStore(folder, "its file CURRENT is missing");
  }
  return state;
}

/** Makes the folder, and says in it that it is not finished. */
export async function beginFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    await writeMarker(folder, "unfinished");
  } catch (error) {
    throw unavailable(`${folder} can't be made`, error);
  }
}

/** Says that the folder is a log: from now on whatever is missing in it is damage. */
export async function finishFolder(folder: string): Promise<void> {
  try {
    await writeMarker(folder, "ready");
    await syncFolder(dirname(folder));
  } catch (error) {
    throw unavailable(`${folder} can't be made`, error);
  }
}

/** Damage of the store's own files, or of those beside it. */
export function brokenStore(folder: string, detail: string, cause?: unknown): LogCorrupt {
  return new LogCorrupt(
    { session: "", from: 0, to: 0, kind: "store" },
    `${folder}: ${detail}`,
    cause === undefined ? {} : { cause },
  );
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR") throw new NotALog(folder, "it is a file", { cause: error });
    throw unavailable(`${folder} can't be read`, error);
  }
}

async function readMarker(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, MARKER_FILE), "utf8");
  } catch (error) {
    throw unavailable(`${join(folder, MARKER_FILE)} can't be read`, error);
  }
}

async function writeMarker(folder: string, state: FolderState): Promise<void> {
  await writeWhole(join(folder, MARKER_FILE), JSON.stringify({ format: LAYOUT_VERSION, state }));
  await syncFolder(folder);
}

function parseMarker(folder: string, text: string): FolderState {
  const { format, state } = parseJson(text);
  if (typeof format !== "number") {
    throw brokenStore(folder, `its ${MARKER_FILE} says nothing of a format`);
  }
  checkLayout(folder, format);
  if (state !== "ready" && state !== "unfinished") {
    throw brokenStore(folder, `its ${MARKER_FILE} is malformed`);
  }
  return state;
}

/** Refuses a layout from the future (L4). */
export function checkLayout(folder: string, format: number): void {
  if (format === LAYOUT_VERSION) return;
  throw new LogFormatError(
    `${folder} is a log of format ${format}, and this dovecote reads format ${LAYOUT_VERSION}. Use a newer dovecote.`,
  );
}

/** An object's fields, none when the text is no JSON object. */
export function parseJson(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
