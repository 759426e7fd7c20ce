/** What the contract suite of logs is written with; useful for an engine's own tests too. */
import assert from "node:assert/strict";
import { DovecoteError } from "../errors.js";
import type { Commit, CommitDraft } from "../events/commit.js";
import type { DovecoteEvent } from "../events/events.js";
import type { EventLog, Head, SessionLog, SessionReader, Snapshot } from "../log/log.js";

/** One place to keep a log in, fresh for each test. */
export interface LogPlace {
  /** Opens the log that is kept here; after a close, again. */
  open(): Promise<EventLog>;
  /** Frees the place, when every log in it is closed. */
  cleanup(): Promise<void>;
}

/** Declares one test of the suite; its place is freed when it is over. */
export type Declare = (title: string, body: (place: LogPlace) => Promise<void>) => void;

/** Texts that a careless codec damages (M1). */
export const ODD_TEXTS: readonly string[] = [
  "a\0b",
  "line\u2028para\u2029end",
  "one\r\ntwo\rthree\n",
  '"},{"e":[],"h":"\\u0000\\\\',
  "\u{1f54a}\u{10ffff}\ufeff\ufffd",
  "e\u0301 \u00e9",
  "x".repeat(3_000_000),
];

/** A commit that follows `head`, holding one MAIL for each text. */
export function draftAfter(head: Head, ...texts: readonly string[]): CommitDraft {
  const n = head.position + 1;
  return { id: `commit-${n}`, n, at: 1_700_000_000_000 + n, events: texts.map(mailOf) };
}

/** Appends one commit and gives the head after it; anything but `appended` fails the test. */
export async function appendOne(log: SessionLog, ...texts: readonly string[]): Promise<Head> {
  const result = await log.append(draftAfter(log.head(), ...texts));
  assert.equal(result.kind, "appended", `append gave ${result.kind}`);
  return result.head;
}

/** All commits of a range. */
export async function readAll(
  log: SessionReader,
  range?: { from?: number; to?: number },
): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  for await (const commit of log.read(range)) commits.push(commit);
  return commits;
}

/** Runs something with an open log, and closes it whatever happens. */
export async function within(
  place: LogPlace,
  body: (log: EventLog) => Promise<void>,
): Promise<void> {
  const log = await place.open();
  try {
    await body(log);
  } finally {
    await log.close();
  }
}

/** Fails unless something rejects with an error of this code. */
export async function rejectsWith(code: string, run: () => Promise<unknown>): Promise<void> {
  await assert.rejects(run, (error) => {
    assert.ok(error instanceof DovecoteError, `not one of this library's errors: ${String(error)}`);
    assert.equal(error.code, code);
    return true;
  });
}

/** A snapshot of a head. */
export function snapshotAt(head: Head): Snapshot {
  return { position: head.position, hash: head.hash, version: 1, state: `{"at":${head.position}}` };
}

function mailOf(text: string): DovecoteEvent {
  return {
    type: "mail.queued",
    cause: "person:prompt",
    path: "/root",
    gen: 0,
    mail: "MAIL",
    from: "person",
    text,
  };
}

/** The text of a commit's first event. */
export function textOf(commit: Commit): string | undefined {
  const event = commit.events[0];
  return event?.type === "mail.queued" ? event.text : undefined;
}
