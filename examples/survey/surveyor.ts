/**
 * The surveyor of one part: lists its files, lets the counting run on while it looks for the newest change, mails its
 * finding to the editor, and remembers its files. Woken by a question, it answers from what it has found.
 */
import { dirname, join } from "node:path";
import type { MailRecord, Transcript, Turn } from "dovecote";
import { compare, isChange, memoryOf, recall } from "./changes.js";
import { type Listing, listFiles, newestChange, newestCommit } from "./files.js";
import { COUNTING, countLines } from "./lines.js";
import {
  type AgentKind,
  type Changes,
  type Counted,
  EDITOR,
  type Finding,
  type Look,
  type Note,
  count,
  newestFirst,
  pack,
  plain,
  unpack,
} from "./messages.js";

/** See the module header. Each `turn.sample` stands where an agent with a model would call it. */
export async function surveyor(turn: Turn<AgentKind>): Promise<string> {
  const look = unpack(turn.task?.text, "look");
  return look === undefined ? answer(turn) : survey(turn, look);
}

async function survey(turn: Turn<AgentKind>, look: Look): Promise<string> {
  const listing = await begin(turn, look);
  await turn.yieldExecution({
    command: `${COUNTING}  # ${count(listing.files.length, "file")}`,
    run: async ({ signal }) => {
      const counted = await countLines(listing, signal);
      return pack(count(counted.lines, "line"), counted);
    },
  });
  let counted: Counted | undefined;
  const newest = await turn.sample(async ({ mail, signal }) => {
    counted = countedIn(mail);
    return newestChange(listing, look.folder === ".", signal);
  });
  while (counted === undefined) {
    await turn.wait({ timeoutMs: 60_000 });
    await turn.sample(({ mail }) => {
      counted = countedIn(mail);
      return counted === undefined ? "the counting still runs" : count(counted.lines, "line");
    });
  }
  return report(turn, look, { listing, counted, newest });
}

/** The first sample: reads the task, and lists the files. */
async function begin(turn: Turn<AgentKind>, look: Look): Promise<Listing> {
  const listings: Listing[] = [];
  await turn.sample(async ({ signal }) => {
    const listing = await listFiles(look, signal);
    listings.push(listing);
    return count(listing.files.length, "file");
  });
  const [listing] = listings;
  if (listing === undefined) throw new Error("the files could not be listed");
  return listing;
}

/** The EXECUTION that the yielded command became, once it is there. */
function countedIn(mail: readonly MailRecord[]): Counted | undefined {
  const ended = mail.find(({ type }) => type === "EXECUTION");
  if (ended === undefined) return undefined;
  const counted = unpack(ended.text, "counted");
  if (counted === undefined) throw new Error(ended.text);
  return counted;
}

async function report(
  turn: Turn<AgentKind>,
  look: Look,
  found: { listing: Listing; counted: Counted; newest: string | null },
): Promise<string> {
  const { listing, counted, newest } = found;
  const { survey: number, folder } = look;
  const now = memoryOf(number, listing.files, counted.lines);
  let changes: Changes | null = null;
  await turn.sample(async ({ transcript }) => {
    const before = await recall(transcript, number);
    changes = before === undefined ? null : compare(before, now);
    return changes === null ? "nothing to compare with" : `compared with survey ${changes.since}`;
  });
  if (changes === null || isChange(changes)) await turn.record(now);
  const { languages, longest, lines, notText, unread } = counted;
  const files = listing.files.length;
  const says = `${folder === "." ? "The files at the top" : plain(folder)}: ${count(files, "file")}, ${count(lines, "line")}`;
  const finding: Finding = {
    kind: "finding",
    survey: number,
    folder,
    files,
    lines,
    languages,
    longest,
    notText,
    newest,
    changes,
    notes: unread === 0 ? listing.notes : [...listing.notes, `${count(unread, "file")} unreadable`],
  };
  const { startsWhenSlotFrees } = await turn.send(EDITOR, pack(says, finding));
  if (startsWhenSlotFrees === true) await turn.record({ kind: "held" } satisfies Note);
  return pack(says, { kind: "looked", survey: number, files, lines });
}

/** Woken without a task: somebody asks about the part, or old mail was left. */
async function answer(turn: Turn<AgentKind>): Promise<string> {
  let response = "";
  await turn.sample(async ({ mail, transcript, signal }) => {
    if (!mail.some(({ text }) => unpack(text, "question"))) {
      response = `Read ${mail.length} records; none was a question.`;
    } else response = await longestFile(transcript, signal);
    return response;
  });
  return response;
}

async function longestFile(transcript: Transcript, signal: AbortSignal): Promise<string> {
  let finding: Finding | undefined;
  let look: Look | undefined;
  for await (const item of newestFirst(transcript)) {
    if (item.kind === "sent") finding ??= unpack(item.text, "finding");
    if (item.kind === "task") look ??= unpack(item.text, "look");
    if (finding !== undefined && look !== undefined) break;
  }
  if (finding === undefined || look === undefined) return "I have not looked at my folder yet.";
  const { survey: number, files, lines, longest } = finding;
  const words = longest === null ? "I have no text files." : await describe(look, longest, signal);
  return pack(words, { kind: "looked", survey: number, files, lines, answer: words });
}

async function describe(
  look: Look,
  longest: NonNullable<Finding["longest"]>,
  signal: AbortSignal,
): Promise<string> {
  const path = join(look.target, look.folder, longest.path);
  const name = `./${path.slice(dirname(path).length + 1)}`;
  const commit = await newestCommit(dirname(path), `:(literal)${name}`, signal);
  const changed = commit === undefined ? "git knows no change of it" : `last changed ${commit}`;
  return `${plain(longest.path)}, ${count(longest.lines, "line")}; ${changed}`;
}
