/**
 * The surveyed folder: that it is one and can be read, what stands at its top, and where its log lies. Writes nothing.
 */
import { createHash } from "node:crypto";
import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { BadInput } from "./args.js";
import { git, isMangled, pieces } from "./commands.js";
import { type LeftOut, type Survey, plain } from "./messages.js";

/** The most folders that get an agent. */
const MOST_FOLDERS = 24;
/** The most names that are told of what is left out for one reason. */
const MOST_NAMES = 10;

/** What stands at the top of the surveyed folder. */
export interface Top {
  /** Sorted; `.` is first and stands for the files at the top, if there are any. */
  readonly folders: readonly string[];
  readonly leftOut: Survey["leftOut"];
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is a file, or leads through one",
  EACCES: "can't be read: permission is denied",
  EPERM: "can't be read: permission is denied",
  ELOOP: "is a symbolic link that leads to itself",
};

/**
 * The real path of a folder.
 *
 * @throws BadInput when it does not exist, is a file, or can't be read.
 */
export async function findFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(resolve(folder));
    if (!(await stat(real)).isDirectory())
      throw new BadInput(`${folder} is a file. Name a folder.`);
    await readdir(real);
    return real;
  } catch (error) {
    if (error instanceof BadInput) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = REASONS[code] ?? `can't be read: ${String(error)}`;
    throw new BadInput(`${folder} ${why}. Name a folder that can be read.`, { cause: error });
  }
}

/** The id of a folder's session, by its real path: a log can hold the surveys of many folders. */
export function sessionId(real: string): string {
  return `survey-${createHash("sha256").update(real).digest("hex").slice(0, 16)}`;
}

/** Where a folder's log lies unless another place is named: outside of it, and the same at every run. */
export function defaultLog(real: string): string {
  const given = process.env["XDG_STATE_HOME"];
  const state =
    given !== undefined && isAbsolute(given) ? given : join(homedir(), ".local", "state");
  return join(state, "dovecote", "survey", sessionId(real).slice("survey-".length));
}

/** What stands at the top. Links are not followed; git's own folder, installed packages and the log are passed over. */
export async function readTop(real: string, log: string, signal: AbortSignal): Promise<Top> {
  const entries = await readdir(real, { withFileTypes: true });
  const names = entries.filter((one) => one.isDirectory() || one.isFile()).map(({ name }) => name);
  const ignored = await ignoredOf(real, names, signal);
  const files = entries.some((one) => one.isFile() && !ignored.has(one.name));
  const folders: string[] = [];
  const leftOut = new Map<string, string[]>();
  const leave = (name: string, why: string): void => {
    const names = leftOut.get(why);
    if (names === undefined) leftOut.set(why, [name]);
    else names.push(name);
  };
  for (const entry of entries.sort(byName)) {
    const { name } = entry;
    if (entry.isSymbolicLink()) leave(name, "a link");
    if (!entry.isDirectory() || name === ".git") continue;
    if (name === "node_modules") leave(name, "installed packages");
    else if (join(real, name) === log) leave(name, "the survey's own log");
    else if (ignored.has(name)) leave(name, "ignored by git");
    else if (isMangled(name) && !(await exists(join(real, name))))
      leave(name, "not named in UTF-8");
    else if (folders.length < MOST_FOLDERS) folders.push(name);
    else leave(name, `more than ${MOST_FOLDERS} folders`);
  }
  return { folders: files ? [".", ...folders] : folders, leftOut: [...leftOut].map(someOf) };
}

function someOf([why, names]: readonly [string, readonly string[]]): LeftOut {
  const shown = names.slice(0, MOST_NAMES);
  return { why, names: shown, more: names.length - shown.length };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Which of the names git ignores; none where the folder itself is ignored, for then git has no say in it. */
async function ignoredOf(
  cwd: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (names.length === 0 || (await isIgnored(cwd, signal))) return new Set();
  const input = names.map((name) => `./${name}\0`).join("");
  const out = await git(["check-ignore", "-z", "--stdin"], { cwd, signal, input });
  return new Set(pieces(out ?? "").map((path) => path.replace(/^\.\//, "")));
}

/** Whether an outer repository ignores a folder. */
export async function isIgnored(cwd: string, signal: AbortSignal): Promise<boolean> {
  return (await git(["check-ignore", "-q", "."], { cwd, signal })) !== undefined;
}

/** The log's folder, where it lies in the surveyed one. */
export function logInside(real: string, log: string): string | undefined {
  const way = relative(real, log);
  return way !== "" && way.split(sep)[0] !== ".." && !isAbsolute(way) ? log : undefined;
}

/** Names for agents: stable, `a-z 0-9 _`, and never given twice (A1). */
export function nameAgents(
  folders: readonly string[],
  known: Survey["names"],
): ReadonlyMap<string, string> {
  const names = new Map(known);
  const taken = new Set(["editor", "root", ...names.values()]);
  for (const folder of folders) {
    if (names.has(folder)) continue;
    const name = freeName(folder === "." ? "top_files" : folder, taken);
    names.set(folder, name);
    taken.add(name);
  }
  return names;
}

function freeName(folder: string, taken: ReadonlySet<string>): string {
  const wanted = plain(folder)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "_")
    .replace(/^_+|_+$/g, "");
  const stem = wanted.slice(0, 56) || "folder";
  for (let n = 1; ; n++) {
    const name = n === 1 ? stem : `${stem}_${n}`;
    if (!taken.has(name)) return name;
  }
}
