/**
 * What a surveyor remembers of its files in its own transcript, and what has changed since. A file counts as changed when
 * its size or the time it was written is another.
 */
import type { Transcript } from "dovecote";
import type { File } from "./files.js";
import { type Changes, newestFirst, plain } from "./messages.js";

/** What an agent keeps of one survey. `files` is `null` where there are too many to keep. */
export type Memory = {
  readonly kind: "files";
  readonly survey: number;
  readonly lines: number;
  readonly count: number;
  readonly files: readonly File[] | null;
};

const MOST_REMEMBERED = 2_000;
const MOST_EXAMPLES = 3;

/** What to remember. */
export function memoryOf(survey: number, files: readonly File[], lines: number): Memory {
  const kept = files.length <= MOST_REMEMBERED ? files : null;
  return { kind: "files", survey, lines, count: files.length, files: kept };
}

/** The newest memory of an earlier survey. */
export async function recall(transcript: Transcript, before: number): Promise<Memory | undefined> {
  for await (const { kind, data } of newestFirst(transcript)) {
    if (kind !== "recorded" || data === null || typeof data !== "object") continue;
    const memory = data as unknown as Memory;
    if (memory.kind === "files" && memory.survey < before) return memory;
  }
  return undefined;
}

/** What differs between two memories. */
export function compare(before: Memory, now: Memory): Changes {
  const lines = now.lines - before.lines;
  const since = before.survey;
  if (before.files === null || now.files === null) {
    const more = now.count - before.count;
    const [added, removed] = [Math.max(0, more), Math.max(0, -more)];
    return { since, added, removed, changed: 0, lines, examples: [] };
  }
  const old = new Map(before.files.map(([path, bytes, written]) => [path, `${bytes} ${written}`]));
  const paths = new Set(now.files.map(([path]) => path));
  const added = now.files.filter(([path]) => !old.has(path));
  const changed = now.files.filter(([path, bytes, written]) => {
    const known = old.get(path);
    return known !== undefined && known !== `${bytes} ${written}`;
  });
  const removed = before.files.filter(([path]) => !paths.has(path));
  const examples = [
    ...examplesOf("added", added),
    ...examplesOf("removed", removed),
    ...examplesOf("changed", changed),
  ];
  return {
    since,
    added: added.length,
    removed: removed.length,
    changed: changed.length,
    lines,
    examples,
  };
}

function examplesOf(what: string, files: readonly File[]): string[] {
  return files.slice(0, MOST_EXAMPLES).map(([path]) => `${what} ${plain(path)}`);
}

/** Whether anything differs. */
export function isChange(changes: Changes): boolean {
  const { added, removed, changed, lines } = changes;
  return added + removed + changed > 0 || lines !== 0;
}
