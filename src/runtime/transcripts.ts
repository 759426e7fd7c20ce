/**
 * Transcripts as their readers see them: the entries of the projection, with their texts loaded from the log.
 */
import { LogCut } from "../errors.js";
import type { Row } from "../kernel/persistent.js";
import type { CutEntry, TranscriptEntry } from "../projections/transcriptEntries.js";
import type { Transcript, TranscriptItem } from "./api.js";
import type { Texts } from "./texts.js";

/** A transcript over entries that are looked up anew at each reading. */
export function readTranscript(texts: Texts, entries: () => Row<TranscriptEntry>): Transcript {
  return {
    get length() {
      return entries().length;
    },
    async read(from, to) {
      const items: TranscriptItem[] = [];
      for (const entry of entries().toArray().slice(from, to))
        items.push(await itemOf(texts, entry));
      return items;
    },
  };
}

async function itemOf(texts: Texts, entry: TranscriptEntry): Promise<TranscriptItem> {
  const { kind, at, turn } = entry;
  if (entry.kind === "cut") return { kind, at, turn, text: "", cut: entry.count };
  const text = await textOf(texts, entry);
  const base = { kind, at, turn, text: text ?? "", ...(text === undefined ? { cut: 1 } : {}) };
  switch (entry.kind) {
    case "task":
      return { ...base, from: entry.from ?? "person" };
    case "mail": {
      const outcome = entry.outcome === null ? {} : { outcome: entry.outcome };
      return { ...base, type: entry.mail, from: entry.from, ...outcome };
    }
    case "sent":
      return { ...base, to: entry.to };
    case "spawned":
      return { ...base, to: entry.child.path };
    case "interrupted":
      return { ...base, to: entry.target.path };
    case "response":
      return { ...base, outcome: entry.outcome };
    case "sample":
    case "recorded":
      return { ...base, ...(await dataOf(texts, entry.textAt)) };
    case "waited":
    case "yielded":
    case "notice":
    case "asked":
      return base;
  }
}

/** `undefined` where retention has cut it: a place may outlive the text that it points to (S6). */
async function textOf(
  texts: Texts,
  entry: Exclude<TranscriptEntry, CutEntry>,
): Promise<string | undefined> {
  if (entry.kind !== "waited") {
    return texts.text(entry.textAt).catch((error: unknown) => {
      if (error instanceof LogCut) return undefined;
      throw error;
    });
  }
  const counts = entry.unread.map(({ count, mail, from }) => `${count} ${mail} from ${from}`);
  return counts.length === 0 ? entry.why : `${entry.why}: ${counts.join(", ")}`;
}

async function dataOf(
  texts: Texts,
  at: TranscriptEntry["at"],
): Promise<Pick<TranscriptItem, "data">> {
  const event = await texts.find(at);
  const value =
    event?.type === "sample.ended"
      ? event.result
      : event?.type === "transcript.recorded"
        ? event.entry
        : undefined;
  return value === undefined || typeof value === "string" ? {} : { data: value };
}
