/**
 * Counts the lines of a part's text files, by `wc`, and says which files it could not count.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { extname, join } from "node:path";
import { run } from "./commands.js";
import { type File, LOOKED_AT_A_TIME, type Listing } from "./files.js";
import { HEAD_BYTES, languageOf } from "./languages.js";
import type { Counted } from "./messages.js";

/** The command that counts lines, for people. */
export const COUNTING = "xargs -0 wc -l";

/** Counts the lines of all files that are text. */
export async function countLines(listing: Listing, signal: AbortSignal): Promise<Counted> {
  const languages = new Map<string, string>();
  const binary = new Map<string, number>();
  for (let from = 0; from < listing.files.length; from += LOOKED_AT_A_TIME) {
    signal.throwIfAborted();
    const some = listing.files.slice(from, from + LOOKED_AT_A_TIME);
    for (const { path, head } of await Promise.all(
      some.map((one) => beginning(listing.dir, one)),
    )) {
      if (head === undefined) continue;
      const language = languageOf(path, head);
      const kind = extname(path).toLowerCase() || "without extension";
      if (language === undefined) binary.set(kind, (binary.get(kind) ?? 0) + 1);
      else languages.set(path, language);
    }
  }
  const lines = await linesOf(listing.dir, [...languages.keys()], signal);
  const notText = [...binary].map(([kind, files]) => ({ kind, files }));
  notText.sort((a, b) => b.files - a.files || (a.kind < b.kind ? -1 : 1));
  const known = notText.reduce((sum, { files }) => sum + files, lines.size);
  return { ...summarise(lines, languages), notText, unread: listing.files.length - known };
}

async function beginning(
  dir: string,
  [path, bytes]: File,
): Promise<{ readonly path: string; readonly head: Buffer | undefined }> {
  if (bytes === 0) return { path, head: Buffer.alloc(0) };
  try {
    const file = await open(join(dir, path));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return { path, head: buffer.subarray(0, bytesRead) };
    } finally {
      await file.close();
    }
  } catch {
    return { path, head: undefined };
  }
}

/** The lines of each file that could be read. `wc` tells of a name with a line break in words of its own. */
async function linesOf(
  dir: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const names = new Set(paths.filter((path) => !path.includes("\n")));
  const input = [...names].map((path) => `./${path}\0`).join("");
  const { out } = await run("xargs", ["-0", "wc", "-l"], { cwd: dir, signal, input });
  const lines = new Map<string, number>();
  for (const line of out.split("\n")) {
    const [, count, path] = /^ *(\d+) \.\/(.*)$/.exec(line) ?? [];
    if (path !== undefined && names.has(path)) lines.set(path, Number(count));
  }
  for (const path of paths.filter((one) => !names.has(one))) {
    const count = await newlinesIn(join(dir, path), signal);
    if (count !== undefined) lines.set(path, count);
  }
  return lines;
}

async function newlinesIn(path: string, signal: AbortSignal): Promise<number | undefined> {
  let count = 0;
  try {
    for await (const piece of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
      for (const byte of piece) if (byte === 10) count++;
    }
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  return count;
}

function summarise(
  lines: ReadonlyMap<string, number>,
  of: ReadonlyMap<string, string>,
): Omit<Counted, "notText" | "unread"> {
  const languages = new Map<string, { name: string; files: number; lines: number }>();
  let all = 0;
  for (const [path, count] of lines) {
    const name = of.get(path) ?? "";
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
