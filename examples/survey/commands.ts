/**
 * Real commands as child processes: no shell, names only as arguments or on standard input, output and time bounded.
 */
import { spawn } from "node:child_process";

/** How a command ended. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  /** There was more than fits, or it took too long: `out` is the beginning. */
  readonly cut: boolean;
}

/** How to run a command. */
export interface RunOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** What it reads from standard input. */
  readonly input?: string;
}

const MOST_BYTES = 16 * 1024 * 1024;
const MOST_MS = 120_000;

/**
 * Runs a command to its end, its bound, or the signal's abort.
 *
 * @throws when it can't be started, or was aborted.
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { cwd, signal, input } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      signal,
      env: environment(),
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    let cut = false;
    child.stdout.on("data", (piece: Buffer) => {
      if (cut) return;
      pieces.push(piece);
      bytes += piece.length;
      if (bytes <= MOST_BYTES) return;
      cut = true;
      child.kill();
    });
    // A timer of our own: spawn's `timeout` goes on, and keeps the process alive, when the command can't be started.
    const late = setTimeout(() => child.kill(), MOST_MS);
    child.on("error", (error) => {
      clearTimeout(late);
      reject(new Error(`${command} could not be run in ${cwd}: ${error.message}`));
    });
    child.on("close", (code) => {
      clearTimeout(late);
      const out = Buffer.concat(pieces).toString("utf8");
      resolve({ code, out, cut: cut || code === null });
    });
    // A command that ends before it has read everything is no failure of ours.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
  });
}

/** The user's environment without what would point git elsewhere, and without a language of its own. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX, ...rest } = process.env;
  void [GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX];
  return { ...rest, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" };
}

/**
 * Runs git without letting the surveyed repository's settings start programs. `undefined` when git isn't there, the
 * folder is in no repository, or git fails.
 */
export async function git(
  args: readonly string[],
  options: RunOptions,
): Promise<string | undefined> {
  const safe = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"];
  try {
    const { code, out } = await run("git", [...safe, ...args], options);
    return code === 0 ? out : undefined;
  } catch (error) {
    if (options.signal.aborted) throw error;
    return undefined;
  }
}

/** The pieces of an output that a NUL ends. */
export function pieces(out: string): string[] {
  return out.split("\0").filter((piece) => piece !== "");
}

/** Whether a name may have lost bytes when it was read: names that are not UTF-8 can't be handed on. */
export function isMangled(name: string): boolean {
  return name.includes("\uFFFD");
}
