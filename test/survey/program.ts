/** Runs the survey as people do: as a process of its own, with a place for logs that is the test's. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Commit, DovecoteEvent } from "dovecote";
import { testFolder } from "../support/folders.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** How a run ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A run under way. */
export interface Running {
  /** Kills it, or asks it to stop, as soon as it has printed a line that fits. */
  signalAt(fits: (line: string) => boolean, signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** Starts the survey. `state` is where its logs lie unless it is told otherwise. */
export function startSurvey(state: string, ...args: string[]): Running {
  const command = ["--import", "tsx", "examples/survey/main.ts", ...args];
  const env = { ...process.env, XDG_STATE_HOME: state };
  const child = spawn(process.execPath, command, { cwd: ROOT, env });
  const texts = { out: "", err: "" };
  let watch: ((line: string) => void) | undefined;
  for (const [name, stream] of [["out", child.stdout] as const, ["err", child.stderr] as const]) {
    let rest = "";
    stream.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) watch?.(line);
    });
  }
  return {
    signalAt(fits, signal) {
      watch = (line) => {
        if (!fits(line)) return;
        watch = undefined;
        child.kill(signal);
      };
    },
    ended: new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, ...texts }));
    }),
  };
}

/** Runs the survey to its end. */
export function survey(state: string, ...args: string[]): Promise<Ended> {
  return startSurvey(state, ...args).ended;
}

/** Files with their text, by path. */
export async function write(folder: string, files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** A folder with seven parts, more than there are slots. */
export async function madeFolder(): Promise<string> {
  const folder = await testFolder();
  await write(folder, { "read me.md": "# A\n", "--odd": "x", "node_modules/p/index.js": "p\n" });
  for (const name of ["a-b", "a_b", "c d", "editor", "f", "g"]) {
    await write(folder, { [`${name}/one.ts`]: "1\n2\n", [`${name}/it's $HOME.md`]: "# b\n" });
  }
  await write(folder, { "f/long.py": "x\n".repeat(500), "f/deep/-n/x.rs": "fn\n" });
  await symlink("f", join(folder, "link"));
  return folder;
}

/** Everything below a folder, with the hash of what the files hold: equal before and after means nothing was written. */
export async function everything(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names.sort().map(async (name) => {
      const path = join(folder, name);
      if ((await stat(path)).isDirectory()) return `${name}/`;
      const hash = createHash("sha256").update(await readFile(path));
      return `${name} ${hash.digest("hex")}`;
    }),
  );
}

/** An event as `--json` prints it. */
export interface Printed {
  readonly type: "event";
  readonly at: readonly [number, number];
  readonly event: DovecoteEvent;
}

interface Line extends Partial<Omit<Printed, "type">> {
  readonly type: string;
  readonly text?: string;
  readonly recovered?: readonly { readonly path: string }[];
}

/** The lines that `--json` printed, whole ones only. */
export function linesOf(out: string): readonly Line[] {
  const whole = out.slice(0, out.lastIndexOf("\n") + 1).split("\n");
  return whole.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
}

/** The events among them. */
export function eventsOf(out: string): readonly Printed[] {
  return linesOf(out).filter((line): line is Printed => line.type === "event");
}

/**
 * Where the records of a log are, by the points at which they were accepted: delivered, each as often as it was, or still
 * unread. A record that moved to a parent is known there by the point of its move (S5).
 */
export function recordsOf(commits: readonly Commit[]) {
  const delivered = new Map<string, number>();
  const unread = new Set<string>();
  const accepted = new Map<string, string>();
  const originOf = (at: string): string => accepted.get(at) ?? at;
  for (const { n, events } of commits) {
    events.forEach((event, index) => {
      if (event.type === "mail.queued") unread.add(`${n}.${index}`);
      if (event.type === "mail.moved") {
        accepted.set(`${n}.${index}`, originOf(event.record.join(".")));
      }
      if (event.type !== "mail.delivered") return;
      for (const record of event.records.map((at) => originOf(at.join(".")))) {
        unread.delete(record);
        delivered.set(record, (delivered.get(record) ?? 0) + 1);
      }
    });
  }
  return { delivered, unread };
}
