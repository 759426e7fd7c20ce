/**
 * What a surveyor does with its part of the folder: lists the files, counts the lines, finds the newest change.
 * Each is a real command; git where it is there, else find.
 */
import { lstat } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";
import { git, pieces, run } from "./commands.js";
import { type Counted, type Look, plain } from "./messages.js";
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
const LOOKED_AT_A_TIME = 64;

const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    C: ".c .h",
    "C#": ".cs",
    "C++": ".cc .cpp .cxx .hpp .hh",
    CSS: ".css .scss .less",
    Go: ".go",
    HTML: ".html .htm",
    Java: ".java",
    JavaScript: ".js .mjs .cjs .jsx",
    JSON: ".json .jsonl .json5",
    Kotlin: ".kt .kts",
    Lua: ".lua",
    Markdown: ".md .mdx",
    PHP: ".php",
    Perl: ".pl .pm",
    Python: ".py .pyi",
    Ruby: ".rb",
    Rust: ".rs",
    SQL: ".sql",
    Shell: ".sh .bash .zsh",
    Swift: ".swift",
    TOML: ".toml",
    Text: ".txt .rst .adoc",
    TypeScript: ".ts .mts .cts .tsx",
    XML: ".xml .svg",
    YAML: ".yml .yaml",
  }).flatMap(([name, extensions]) => extensions.split(" ").map((one) => [one, name] as const)),
);

/** Lists the files of a part; links are not followed. */
export async function listFiles(look: Look, signal: AbortSignal): Promise<Listing> {
  const dir = join(look.target, look.folder);
  const { paths, notes } = await listPaths(dir, look.folder === ".", signal);
  const kept = paths
    .filter((path) => !path.split("/").some((one) => one === ".git" || one === "node_modules"))
    .filter((path) => look.except === undefined || !lies(resolve(dir, path), look.except))
    .sort();
  if (kept.length > MOST_FILES) notes.push(`only its first ${MOST_FILES} files were looked at`);
  const files: File[] = [];
  let lost = 0;
  for (let from = 0; from < Math.min(kept.length, MOST_FILES); from += LOOKED_AT_A_TIME) {
    const some = kept.slice(from, Math.min(from + LOOKED_AT_A_TIME, MOST_FILES));
    for (const file of await Promise.all(some.map((path) => lookAt(dir, path)))) {
      if (file === "lost") lost++;
      else if (file !== "other") files.push(file);
    }
  }
  if (lost > 0) notes.push(`${lost} of its files could not be looked at`);
  return { dir, files, notes };
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

async function lookAt(dir: string, path: string): Promise<File | "lost" | "other"> {
  try {
    const stat = await lstat(join(dir, path));
    return stat.isFile() ? [path, stat.size, Math.round(stat.mtimeMs)] : "other";
  } catch (error) {
    // A file that git still knows and that is gone from the folder is no file of it.
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "other" : "lost";
  }
}

/** The command that counts lines, for people. */
export const COUNTING = "xargs -0 wc -l";

/** Counts the lines of the files whose language is known, by `wc`, with their names on standard input. */
export async function countLines(listing: Listing, signal: AbortSignal): Promise<Counted> {
  const known = listing.files.filter(([path]) => languageOf(path) !== undefined);
  const input = known.map(([path]) => `./${path}\0`).join("");
  const { out } = await run("xargs", ["-0", "wc", "-l"], { cwd: listing.dir, signal, input });
  const names = new Set(known.map(([path]) => path));
  const lines = new Map<string, number>();
  for (const line of out.split("\n")) {
    const [, count, path] = /^ *(\d+) \.\/(.*)$/.exec(line) ?? [];
    if (path !== undefined && names.has(path)) lines.set(path, Number(count));
  }
  return summarise(lines);
}

function summarise(lines: ReadonlyMap<string, number>): Counted {
  const languages = new Map<string, { name: string; files: number; lines: number }>();
  let all = 0;
  for (const [path, count] of lines) {
    const name = languageOf(path) ?? "";
    const language = languages.get(name) ?? { name, files: 0, lines: 0 };
    languages.set(name, { name, files: language.files + 1, lines: language.lines + count });
    all += count;
  }
  const byLines = [...languages.values()].sort(
    (a, b) => b.lines - a.lines || (a.name < b.name ? -1 : 1),
  );
  const [longest] = [...lines].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return {
    kind: "counted",
    lines: all,
    languages: byLines,
    longest: longest === undefined ? null : { path: longest[0], lines: longest[1] },
  };
}

function languageOf(path: string): string | undefined {
  return LANGUAGES[extname(path).toLowerCase()];
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
