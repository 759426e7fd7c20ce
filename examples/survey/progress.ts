/**
 * Progress in words: what each event of a run means to somebody who looks on. Knows nothing of where the words go.
 */
import type { AgentPath, Commit, DovecoteEvent, MailRecord } from "dovecote";
import { type Note, count } from "./messages.js";

/** One thing that happened to one agent. */
export interface Step {
  readonly who: string;
  readonly says: string;
}

type EventNamed<Type extends DovecoteEvent["type"]> = Extract<
  DovecoteEvent,
  { readonly type: Type }
>;

/** Turns a run's commits into steps, in order. */
export class Progress {
  /** Who wrote the records of this run, by order point: what a wake names as its cause. */
  private readonly writers = new Map<string, string>();

  /** What a commit means. */
  read(commit: Pick<Commit, "n" | "events">): readonly Step[] {
    const ended = commit.events.flatMap((one) => (one.type === "wait.ended" ? [one.path] : []));
    return commit.events.flatMap((event, index) => {
      if (event.type === "mail.queued") {
        this.writers.set(`${commit.n}.${index}`, `${event.mail} from ${nameOf(event.from)}`);
      }
      // A wait that ends in the commit in which it began was none: mail was there already.
      if (event.type === "wait.began" && ended.includes(event.path)) return [];
      const says = this.say(event);
      return says === undefined || !("path" in event) ? [] : [{ who: nameOf(event.path), says }];
    });
  }

  private say(event: DovecoteEvent): string | undefined {
    switch (event.type) {
      case "turn.started":
        return this.start(event);
      case "mail.queued":
        return event.mail === "MAIL"
          ? `gets mail from ${nameOf(event.from)}: ${firstLine(event.text)}`
          : undefined;
      case "mail.delivered":
        return event.attempt === 0 ? undefined : `reads ${count(event.records.length, "record")}`;
      case "execution.yielded":
        return `lets run: ${event.command}`;
      case "execution.completed":
        return event.stopped === true ? "its command was stopped" : "its command has ended";
      case "wait.began":
        return "waits for mail";
      case "transcript.recorded":
        return noteOf(event.entry);
      case "turn.settled":
        return `settles: ${event.outcome}`;
      default:
        return undefined;
    }
  }

  private start({ start, cause }: EventNamed<"turn.started">): string {
    switch (start) {
      case "spawn":
        return "starts: spawned by the root";
      case "assignment":
        return "starts: assigned by the host";
      case "prompt":
        return "starts: the person asks";
      case "wake": {
        const writer = typeof cause === "string" ? undefined : this.writers.get(cause.join("."));
        return `wakes: ${writer ?? "mail"}`;
      }
    }
  }
}

/** An agent's name for people: what stands below the root. */
export function nameOf(sender: MailRecord["from"] | AgentPath): string {
  return sender.startsWith("/root/")
    ? sender.slice("/root/".length)
    : sender.replace("/root", "root");
}

/** The agents' own notes that are of interest to somebody who looks on. */
function noteOf(entry: EventNamed<"transcript.recorded">["entry"]): string | undefined {
  const note = entry as Partial<Note> | null;
  if (note?.kind === "refused") return `may not spawn ${note.spawn} yet: ${note.code}`;
  return note?.kind === "held" ? "its mail waits: the editor starts when a slot frees" : undefined;
}

function firstLine(text: string | undefined): string {
  return (text ?? "").split("\n", 1)[0] ?? "";
}
