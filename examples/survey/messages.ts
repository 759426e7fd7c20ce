/**
 * What the agents write to each other. Mail is plain text: a line for people, and below it the same as JSON for programs.
 * Everything an agent needs stands in its task, its mail or its transcript, so that it can go on after any crash.
 */
import type { AgentPath, Transcript, TranscriptItem } from "dovecote";

/** Who can be spawned: the names of the behaviours. */
export type AgentKind = "root" | "surveyor" | "editor";

/** The editor's path. */
export const EDITOR: AgentPath = "/root/editor";

/** What a surveyor says of its part when it has looked at it. A type and not an interface, like all that is kept as JSON. */
export type Looked = {
  readonly files: number;
  readonly lines: number;
};

/** One part of the survey: a top folder, or `.` for the files at the top itself. */
export interface Part {
  readonly folder: string;
  /** The name of its agent, below the root. */
  readonly agent: string;
  /** `new`: the root spawns it. `assigned`: the host starts the retained agent. `done`: this survey has it already. */
  readonly state: "new" | "assigned" | "done";
  readonly looked?: Looked;
}

/** What is left out for one reason. */
export interface LeftOut {
  readonly why: string;
  readonly names: readonly string[];
  readonly more: number;
}

/** The person's order to the root. */
export interface Survey {
  readonly kind: "survey";
  readonly survey: number;
  /** The real path of the surveyed folder. */
  readonly target: string;
  readonly parts: readonly Part[];
  /** Every folder that ever had an agent, and that agent's name: names are never given to another folder. */
  readonly names: readonly (readonly [folder: string, agent: string])[];
  /** What stands at the top and is not surveyed, and why: the first few names, and how many more there are. */
  readonly leftOut: readonly LeftOut[];
  /** The log's own folder, where it lies in the surveyed one. */
  readonly except?: string;
}

/** A surveyor's task. */
export interface Look {
  readonly kind: "look";
  readonly survey: number;
  readonly folder: string;
  readonly target: string;
  readonly except?: string;
}

/** Lines by language. */
type Language = {
  readonly name: string;
  readonly files: number;
  readonly lines: number;
};

/** Files that are no text, so that they have no lines to count: how many of one extension. */
type NotText = {
  readonly kind: string;
  readonly files: number;
};

/** A file and its lines. */
type LongFile = {
  readonly path: string;
  readonly lines: number;
};

/** What the yielded command found: EXECUTION mail of a surveyor to itself. */
export interface Counted {
  readonly kind: "counted";
  readonly lines: number;
  readonly languages: readonly Language[];
  readonly longest: LongFile | null;
  readonly notText: readonly NotText[];
  /** How many files could not be read. */
  readonly unread: number;
}

/** What has changed in a part since an earlier survey. */
export type Changes = {
  readonly since: number;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly lines: number;
  /** The first few of them, such as `added a.ts`; none when the part is too large to remember its files. */
  readonly examples: readonly string[];
};

/** A surveyor's mail to the editor. */
export type Finding = Looked & {
  readonly kind: "finding";
  readonly survey: number;
  readonly folder: string;
  readonly languages: readonly Language[];
  readonly longest: LongFile | null;
  readonly notText: readonly NotText[];
  /** The newest change: date and what it was; `null` where there are no files. */
  readonly newest: string | null;
  readonly changes: Changes | null;
  readonly notes: readonly string[];
};

/** The root's order to the editor. */
export interface WriteReport {
  readonly kind: "report";
  readonly survey: number;
  readonly target: string;
  readonly folders: readonly string[];
  readonly failed: readonly { readonly folder: string; readonly reason: string }[];
  readonly leftOut: Survey["leftOut"];
  readonly asked: { readonly folder: string; readonly answer: string } | null;
}

/** Every message. The last three are final responses: what RESULT mail carries. */
export type Message =
  | Survey
  | Look
  | Counted
  | Finding
  | WriteReport
  | { readonly kind: "question" }
  | ({ readonly kind: "looked"; readonly survey: number; readonly answer?: string } & Looked)
  | { readonly kind: "noted" }
  | { readonly kind: "surveyed"; readonly survey: number };

/** The message of one kind. */
export type MessageOf<Kind extends Message["kind"]> = Extract<Message, { readonly kind: Kind }>;

/** What agents note in their transcripts for who looks on: a refusal, and that mail waits for a slot. */
export type Note =
  | { readonly kind: "refused"; readonly spawn: string; readonly code: string }
  | { readonly kind: "held" };

/** A message as text: a line for people, and the message. */
export function pack(line: string, message: Message): string {
  return `${line}\n${JSON.stringify(message)}`;
}

/** The message of a kind in a text; `undefined` when the text is something else. */
export function unpack<Kind extends Message["kind"]>(
  text: string | undefined,
  kind: Kind,
): MessageOf<Kind> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf("\n") + 1));
    const isIt = typeof value === "object" && value !== null && "kind" in value;
    return isIt && value.kind === kind ? (value as MessageOf<Kind>) : undefined;
  } catch {
    return undefined;
  }
}

/** A surveyor's task, for the root that spawns it and for the host that starts it again. */
export function lookTask(survey: Survey, folder: string): string {
  const { survey: number, target, except } = survey;
  const what = folder === "." ? "the files at the top" : `the folder ${plain(folder)}`;
  return pack(`Survey ${number}: look at ${what} of ${plain(target)} and mail ${EDITOR}.`, {
    kind: "look",
    survey: number,
    folder,
    target,
    ...(except === undefined ? {} : { except }),
  });
}

/** A text within a width, in characters. */
export function clip(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}

/** A number of things. */
export function count(n: number, what: string): string {
  return `${n} ${n === 1 ? what : `${what}s`.replace(/ys$/, "ies")}`;
}

/** A name as it can be printed: one line, no control characters. */
export function plain(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");
}

const AT_A_TIME = 32;

/** A transcript's entries, the newest first, read a few at a time. */
export async function* newestFirst(transcript: Transcript): AsyncGenerator<TranscriptItem> {
  for (let end = transcript.length; end > 0; end -= AT_A_TIME) {
    const items = await transcript.read(Math.max(0, end - AT_A_TIME), end);
    yield* items.toReversed();
  }
}
