/**
 * Where the words go. Plain: progress on stderr, a line for each step, the report on stdout; on a terminal, a line for each
 * agent that is drawn over. JSON: one object a line on stdout.
 */
import type { Commit } from "dovecote";
import { clip } from "./messages.js";
import { Progress, type Step } from "./progress.js";

const NAME_WIDTH = 16;
const WIDTH = 100;
const ROWS = 24;
const LEAST_WIDTH = 20;

/** What the survey has to say. */
export interface Output {
  /** How many characters fit in a line. */
  readonly width: number;
  /** A sentence for people, and the same as data. */
  say(sentence: string, data: { readonly type: string } & Record<string, unknown>): void;
  /** A durable commit. */
  show(commit: Pick<Commit, "n" | "events">): void;
  /** What the survey was run for. */
  give(text: string, data: { readonly type: string } & Record<string, unknown>): void;
}

/** The output that fits the streams and the options. */
export function chooseOutput(json: boolean): Output {
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that leaves early (`| head`) ends nothing: the run goes on to its end.
    stream.on("error", () => undefined);
  }
  if (json) return new JsonOutput();
  const isLive = process.stderr.isTTY && process.env["TERM"] !== "dumb";
  return isLive ? new LiveOutput() : new PlainOutput();
}

/** A terminal may not know how wide it is; `COLUMNS` speaks where there is none. */
function widthOf(columns: number | undefined): number {
  const width = columns || Number(process.env["COLUMNS"]) || WIDTH;
  return Math.max(LEAST_WIDTH, width);
}

class JsonOutput implements Output {
  readonly width = WIDTH;

  say(_sentence: string, data: { readonly type: string } & Record<string, unknown>): void {
    process.stdout.write(`${JSON.stringify(data)}\n`);
  }

  show({ n, events }: Pick<Commit, "n" | "events">): void {
    events.forEach((event, index) => this.say("", { type: "event", at: [n, index], event }));
  }

  give(text: string, data: { readonly type: string } & Record<string, unknown>): void {
    this.say(text, { ...data, text });
  }
}

function lineOf({ who, says }: Step): string {
  return `${who.padEnd(NAME_WIDTH)} ${says}`;
}

class PlainOutput implements Output {
  readonly width = widthOf(undefined);
  private readonly progress = new Progress();

  say(sentence: string): void {
    if (sentence !== "") process.stderr.write(`${sentence}\n`);
  }

  show(commit: Pick<Commit, "n" | "events">): void {
    for (const step of this.progress.read(commit)) this.say(lineOf(step));
  }

  give(text: string): void {
    process.stdout.write(`\n${text}\n`);
  }
}

/** A block of lines at the bottom of the terminal, one an agent, drawn anew at each commit. */
class LiveOutput implements Output {
  readonly width = widthOf(process.stderr.columns);
  private readonly progress = new Progress();
  private readonly lines = new Map<string, string>();
  private drawn = 0;

  say(sentence: string): void {
    this.leave();
    if (sentence !== "") process.stderr.write(`${sentence}\n`);
  }

  show(commit: Pick<Commit, "n" | "events">): void {
    const steps = this.progress.read(commit);
    for (const step of steps) this.lines.set(step.who, lineOf(step));
    if (steps.length > 0) this.draw();
  }

  give(text: string): void {
    this.leave();
    process.stdout.write(`\n${text}\n`);
  }

  private draw(): void {
    const rows = process.stderr.rows || ROWS;
    const columns = widthOf(process.stderr.columns);
    const lines = [...this.lines.values()].slice(0, Math.max(1, rows - 1));
    const up = this.drawn === 0 ? "" : `\u001b[${this.drawn}A`;
    const text = lines.map((line) => `\u001b[2K${clip(line, columns - 1)}\n`);
    process.stderr.write(`\r${up}${text.join("")}`);
    this.drawn = lines.length;
  }

  /** What is drawn stays, and what comes next stands below it. */
  private leave(): void {
    this.lines.clear();
    this.drawn = 0;
  }
}
