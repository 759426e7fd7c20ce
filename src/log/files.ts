/** The few things a folder log does with plain files, and the file system's errors in this library's words. */
import { open, rename, rm } from "node:fs/promises";
import { LogUnavailable } from "../errors.js";

/** What a file being written is called until it is whole. */
export const UNFINISHED = ".new";

/** Puts a file in place whole or not at all, at every crash point. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = `${path}${UNFINISHED}`;
  try {
    const file = await open(unfinished, "w");
    try {
      await file.writeFile(text, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Makes the names in a folder durable. Where a folder can't be synced, the file system has to do it by itself. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Windows has no way to ask for it.
  }
}

/** The file system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission is denied. Check who may read and write it",
  EPERM: "permission is denied. Check who may read and write it",
  EROFS: "the file system is read-only. Use another folder, or open the log for reading",
  ENOSPC: "the disk is full. Free some space",
  EDQUOT: "the disk quota is used up. Free some space",
  ENOENT: "the folder that should hold it does not exist. Make that one first",
  ENOTDIR: "a part of its path is a file. Check the path",
  EMFILE: "too many files are open. Close some, or raise the limit",
};

/** A file system's refusal, said for a person. */
export function unavailable(what: string, error: unknown): LogUnavailable {
  const code = codeOf(error) ?? "";
  const detail = error instanceof Error ? error.message : String(error);
  return new LogUnavailable(`${what}: ${REASONS[code] ?? detail}.`, { cause: error });
}
