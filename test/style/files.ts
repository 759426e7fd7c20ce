/** Reads the repository's files for the style tests. Paths are relative to its root, with forward slashes. */
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import ts from "typescript";

/** The repository's root folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A TypeScript file, read and parsed. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

const notOurs = new Set(["node_modules", "dist", "coverage", "data", ".git", ".stryker-tmp"]);

/** Every file below a folder, installed and built ones left out; none when there is no such folder. */
export function filesBelow(folder = ""): string[] {
  const inFolder = (name: string) => (folder === "" ? name : `${folder}/${name}`);
  let entries;
  try {
    entries = readdirSync(`${root}/${folder}`, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    if (notOurs.has(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(inFolder(entry.name));
    return entry.isFile() ? [inFolder(entry.name)] : [];
  });
}

/** The text of a file. */
export function read(path: string): string {
  return readFileSync(`${root}/${path}`, "utf8");
}

/** Parses a text as if it stood at `path`. */
export function parse(path: string, text: string): Source {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true, kind);
  return { path, text, tree };
}

/** Every TypeScript file below the folders, parsed. */
export function sourcesBelow(...folders: string[]): Source[] {
  return folders
    .flatMap((folder) => filesBelow(folder))
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => parse(path, read(path)));
}
