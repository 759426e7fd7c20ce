/**
 * What a surveyor does with its part of the folder: lists the files and finds the newest change, by real commands; git
 * where it is there, else find. Counting their lines is the business of `lines.ts`.
 */
import { access, constants, lstat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { git, isMangled, pieces, run } from "./commands.js";
import { type Look, count, plain } from "./messages.js";
import { isIgnored } from "./target.js";

/** A file: its path in the part, its bytes, and when it was written, in milliseconds. */
export type File = readonly [path: string, bytes: number, writtenMs: number];

/** The files of a part, sorted by path, and what to say about the listing. */
export interface Listing {
  readonly dir: string;
  readonly files: readonly File[];
  readonly notes: readonly string[];
}

const MOST_FILES = 50_000;

/** How many files are looked at side by side. */
export const LOOKED_AT_A_TIME = 64;

/** Lists the files of a part; links are not followed. */
export async function listFiles(look: Look, signal: AbortSignal): Promise<Listing> {
  const dir = join(look.target, look.folder);
  await checkReadable(dir);
  const { paths, notes } = await listPaths(dir, look.folder === ".", signal);
  const kept = paths
    .filter((path) => !path.split("/").some((one) => one === ".git" || one === "node_modules"))
    .filter((path) => look.except === undefined || !lies(resolve(dir, path), look.except))
    .sort();
  if (kept.length > MOST_FILES) notes.push(`only its first ${MOST_FILES} files were looked at`);
  const files: File[] = [];
  const passedOver = { lost: 0, mangled: 0, repository: 0, other: 0 };
  for (let from = 0; from < Math.min(kept.length, MOST_FILES); from += LOOKED_AT_A_TIME) {
    const some = kept.slice(from, Math.min(from + LOOKED_AT_A_TIME, MOST_FILES));
    for (const file of await Promise.all(some.map((path) => lookAt(dir, path)))) {
      if (typeof file === "string") passedOver[file]++;
      else files.push(file);
    }
  }
  const { lost, mangled, repository } = passedOver;
  if (lost > 0) notes.push(`${count(lost, "file")} could not be looked at`);
  if (mangled > 0) notes.push(`${count(mangled, "file")} left out, with a name that is not UTF-8`);
  if (repository > 0)
    notes.push(`not looked into: ${count(repository, "git repository")} inside it`);
  return { dir, files, notes };
}

/** @throws in plain words: a command that can't be started in a folder says nothing of the folder. */
async function checkReadable(dir: string): Promise<void> {
  try {
    await access(dir, constants.R_OK | constants.X_OK);
  } catch (error) {
    const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new Error(isGone ? "the folder is gone" : "permission to read the folder is denied");
  }
}

async function listPaths(
  cwd: string,
  isTop: boolean,
  signal: AbortSignal,
): Promise<{ paths: string[]; notes: string[] }> {
  if (!(await isIgnored(cwd, signal))) {
    const where = isTop ? ":(glob)*" : ".";
    const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", where];
    const out = await git(args, { cwd, signal });
    if (out !== undefined) return { paths: [...new Set(pieces(out))], notes: [] };
  }
  const passOver = ["(", "-name", ".git", "-o", "-name", "node_modules", ")", "-prune", "-o"];
  const which = isTop ? [".", "-maxdepth", "1"] : [".", ...passOver];
  const { out, code, cut } = await run("find", [...which, "-type", "f", "-print0"], {
    cwd,
    signal,
  });
  const whole = pieces(cut ? out.slice(0, out.lastIndexOf("\0") + 1) : out);
  const notes =
    code === 0 ? [] : [cut ? "it is too large to list whole" : "parts of it can't be read"];
  return { paths: whole.map((path) => path.replace(/^\.\//, "")), notes };
}

function lies(path: string, folder: string): boolean {
  return path.startsWith(folder + sep);
}

/** A file, or why it is none: `other` is a link, a socket, or a file that git still knows and that is gone. */
type LookedAt = File | "lost" | "mangled" | "repository" | "other";

async function lookAt(dir: string, path: string): Promise<LookedAt> {
  try {
    const stat = await lstat(join(dir, path));
    // Git lists a folder as one piece when it is a repository of its own.
    if (stat.isDirectory()) return "repository";
    return stat.isFile() ? [path, stat.size, Math.round(stat.mtimeMs)] : "other";
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) return "lost";
    return isMangled(path) ? "mangled" : "other";
  }
}

/** The newest change of a part: its newest commit, or the file that was written last. */
export async function newestChange(
  listing: Listing,
  isTop: boolean,
  signal: AbortSignal,
): Promise<string | null> {
  if (listing.files.length === 0) return null;
  const commit = await newestCommit(listing.dir, isTop ? ":(glob)*" : ".", signal);
  if (commit !== undefined) return commit;
  const newest = listing.files.reduce((a, b) => (b[2] > a[2] ? b : a));
  return `${new Date(newest[2]).toISOString().slice(0, 10)} ${plain(newest[0])} was written`;
}

/** The newest commit that touched what a pathspec names: its date, short name and subject. */
export async function newestCommit(
  cwd: string,
  where: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const format = "--format=%cs %h %s";
  const out = await git(["log", "-1", "--no-color", format, "--", where], { cwd, signal });
  return out === undefined || out.trim() === "" ? undefined : plain(out.trim());
}
