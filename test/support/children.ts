/** Processes for tests that need another one. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

const run = promisify(execFile);
const ARGUMENTS = ["--import", "tsx"];

const TRY_TO_OPEN = fileURLToPath(new URL("./tryToOpen.ts", import.meta.url));
const RAW_OPEN = fileURLToPath(new URL("./rawOpen.ts", import.meta.url));
const APPEND_FOR_EVER = fileURLToPath(new URL("./appendForEver.ts", import.meta.url));

/** How an attempt of another process to open a folder ended: `opened`, or the code of its refusal. */
export async function openElsewhere(folder: string): Promise<string> {
  const { stdout } = await run(process.execPath, [...ARGUMENTS, TRY_TO_OPEN, folder]);
  return stdout.trim();
}

/** How an attempt of another process to write with a bare LevelDB ended: `wrote` or `refused`. */
export async function writeBareElsewhere(folder: string): Promise<string> {
  const { stdout } = await run(process.execPath, [...ARGUMENTS, RAW_OPEN, folder]);
  return stdout.trim();
}

/** Starts a process that appends to a folder until it is killed. */
export function startAppender(folder: string, durability: "disk" | "process"): ChildProcess {
  return spawn(process.execPath, [...ARGUMENTS, APPEND_FOR_EVER, folder, durability], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}
