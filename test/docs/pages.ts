/** Reads the Markdown pages for the tests of the docs: which there are, their prose, their tables and their code blocks. */
import { filesBelow, read } from "../style/files.js";

/** The page that owns the words. */
export const glossary = "docs/glossary.md";

/** Every Markdown page of the project. */
export function pages(): string[] {
  const top = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"];
  return [...top, ...filesBelow("docs").filter((path) => path.endsWith(".md"))];
}

/** A fenced block of code. */
export interface Block {
  /** What stands behind the opening fence: `ts run`. */
  readonly info: string;
  readonly code: string;
  /** The line of its first line of code, from 1. */
  readonly line: number;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```([^\n`]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    info: (match[1] ?? "").trim(),
    code: match[2] ?? "",
    line: text.slice(0, match.index).split("\n").length + 1,
  }));
}

/** A page without its code, and without what the index of tests has written into it; its lines stay where they are. */
export function proseOf(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, " ");
  return text
    .replace(/^```[\s\S]*?^```$/gm, blank)
    .replace(/^<details>[\s\S]*?^<\/details>$/gm, blank)
    .replace(/``[^\n]*?``|`[^`\n]*`/g, blank);
}

/** The rows of the tables whose header begins with `first`: one list of cells for each row. */
export function rowsUnder(text: string, first: string): string[][] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of text.split("\n")) {
    if (!line.startsWith("|")) inside = false;
    else if (/^\|( ?-+ ?\|)+$/.test(line)) continue;
    else if (inside) rows.push(cellsOf(line));
    else inside = cellsOf(line)[0] === first;
  }
  return rows;
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

export { read };
