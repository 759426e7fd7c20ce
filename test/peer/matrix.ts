/**
 * The crash-point matrix of operations (O5): a process is killed before and after each write of an operation, another
 * one opens what is left and repeats it. What must come of it is worked out here from the contract alone.
 */
import { DovecoteError } from "../../src/errors.js";
import { memoryLog, MemoryStorage } from "../../src/log/memoryLog.js";
import type { PeerRecipientResult } from "../../src/runtime/peer/api.js";
import { familyWorld, spawnIdle } from "../support/family.js";
import { openWorld, type World, type WorldOptions } from "../support/world.js";
import { InboxStore, Killer, killedInbox, killedLog, type Side } from "./killer.js";

/** The writes of an operation, in order. */
export const WRITES = [
  "plan",
  "start marker, child",
  "message, child",
  "result, child",
  "start marker, parent",
  "message, parent",
  "result, parent",
] as const;

/** One case of the matrix. */
export interface Case {
  /** Where messages are kept: the session's own log, or an inbox of the host's. */
  readonly inbox: "session" | "host";
  /** The write at which the process dies, counted from 1. */
  readonly write: number;
  readonly side: Side;
  /** What happens before the repeat: the child's path gets another generation, or the inbox forgets. */
  readonly between: "nothing" | "child replaced" | "parent replaced" | "history pruned";
  readonly repeat: "ordinary" | "replayOnly";
}

/** What came of a case. */
export interface Outcome {
  readonly case: Case;
  readonly child: string;
  readonly parent: string;
  /** How many messages each has in the end. */
  readonly counts: readonly [child: number, parent: number];
  /** What is wrong about it; empty when nothing is. */
  readonly faults: readonly string[];
}

/** All cases. */
export function cases(): readonly Case[] {
  const all: Case[] = [];
  for (const inbox of ["session", "host"] as const)
    for (const between of [
      "nothing",
      "child replaced",
      "parent replaced",
      "history pruned",
    ] as const)
      for (const repeat of ["ordinary", "replayOnly"] as const)
        for (let write = 1; write <= WRITES.length; write++)
          for (const side of ["before", "after"] as const) {
            // A session's own log forgets only by retention.
            if (inbox === "session" && between === "history pruned") continue;
            all.push({ inbox, write, side, between, repeat });
          }
  return all;
}

const TARGET = "/root/p/c";
const ID = "the-operation";

/** Kills, opens again, repeats, and compares with what must be. */
export async function tryCase(one: Case): Promise<Outcome> {
  const storage = new MemoryStorage();
  const store = new InboxStore();
  await killed(one, storage, store);
  const world = await openWorld(optionsOf(one, storage.copy(), store, new Killer()));
  await change(world, one, store);
  const before = await countsOf(world, one, store);
  const got = await repeat(world, one);
  const counts = await countsOf(world, one, store);
  const expected = expectedOf(one);
  const faults: string[] = [];
  const check = (what: string, is: unknown, should: unknown): void => {
    if (is !== should) faults.push(`${what}: ${String(is)} instead of ${String(should)}`);
  };
  check("child", got.child, expected.child);
  check("parent", got.parent, expected.parent);
  check("ok", got.ok, expected.ok);
  check("appended by the repeat", counts.total - before.total, expected.appended);
  if (counts.child > 1 || counts.parent > 1) faults.push("a recipient has it twice");
  const again = await repeat(world, one);
  const last = await countsOf(world, one, store);
  if (again.refused === null) check("appended by a third call", last.total - counts.total, 0);
  await world.session.close();
  const { child, parent } = got;
  return { case: one, child, parent, counts: [counts.child, counts.parent], faults };
}

/** A session with `/root/p` and `/root/p/c` at rest, whose process dies in the middle of an operation. */
async function killed(one: Case, storage: MemoryStorage, store: InboxStore): Promise<void> {
  const killer = new Killer();
  const world = await familyWorld(optionsOf(one, storage, store, killer));
  killer.arm(one.write, one.side);
  void world.session.sendPeerMessage(TARGET, "hello", { operationId: ID });
  await killer.died;
}

function optionsOf(
  one: Case,
  storage: MemoryStorage,
  store: InboxStore,
  killer: Killer,
): WorldOptions {
  const log = killedLog(memoryLog(storage), killer);
  return one.inbox === "session"
    ? { storage, log }
    : { storage, log, peer: { inbox: killedInbox(store, killer) } };
}

async function change(world: World, { between }: Case, store: InboxStore): Promise<void> {
  if (between === "history pruned") store.pruned = true;
  if (between === "child replaced") {
    await world.session.end(TARGET);
    await spawnIdle(world, "c", "/root/p");
  }
  if (between === "parent replaced") {
    await world.session.end("/root/p");
    await spawnIdle(world, "p", "/root");
    await spawnIdle(world, "c", "/root/p");
  }
  await world.session.whenQuiet();
}

interface Repeated {
  readonly child: string;
  readonly parent: string;
  readonly ok: boolean;
  readonly refused: string | null;
}

async function repeat(world: World, { repeat: kind }: Case): Promise<Repeated> {
  try {
    const replayOnly = kind === "replayOnly";
    const options = { operationId: ID, replayOnly };
    const result = await world.session.sendPeerMessage(TARGET, "hello", options);
    return {
      child: inWords(result.child),
      parent: inWords(result.parent),
      ok: result.ok,
      refused: null,
    };
  } catch (error) {
    if (!(error instanceof DovecoteError)) throw error;
    const refused = `refused: ${error.code}`;
    return { child: refused, parent: refused, ok: false, refused };
  }
}

function inWords({ outcome, receipt, code }: PeerRecipientResult): string {
  if (outcome === "sent") return `sent, ${receipt}`;
  return code === undefined ? outcome : `${outcome}, ${code}`;
}

interface Counts {
  readonly child: number;
  readonly parent: number;
  readonly total: number;
}

/** How often each identity has a message of this layer. */
async function countsOf(world: World, { inbox }: Case, store: InboxStore): Promise<Counts> {
  const per = new Map<string, number>();
  const add = (key: string): void => void per.set(key, (per.get(key) ?? 0) + 1);
  if (inbox === "host") {
    for (const { to } of store.messages.values()) add(`${to.path}#${to.generation}`);
  } else {
    for (const event of await world.eventsOf("mail.queued")) {
      if (event.message !== undefined) add(`${event.path}#${event.gen}`);
    }
  }
  const most = (path: string): number =>
    Math.max(0, ...[...per].filter(([key]) => key.startsWith(`${path}#`)).map(([, n]) => n));
  const sum = [...per.values()].reduce((total, n) => total + n, 0);
  return {
    child: most(TARGET),
    parent: most("/root/p"),
    total: inbox === "host" ? store.appends : sum,
  };
}

/** How far an operation had come with one recipient when the process died. */
type Progress = "nothing" | "marker" | "message" | "result";

interface Expected {
  readonly child: string;
  readonly parent: string;
  readonly ok: boolean;
  readonly appended: number;
}

/** What O5 and O6 say. */
export function expectedOf(one: Case): Expected {
  const durable = one.side === "after" ? one.write : one.write - 1;
  if (durable === 0) {
    const code = one.repeat === "replayOnly" ? "refused: operation-unknown" : "sent, published";
    const ok = one.repeat === "ordinary";
    return { child: code, parent: code, ok, appended: ok ? 2 : 0 };
  }
  const child = recipientOf(one, "child", progressOf(durable - 1));
  const parent = recipientOf(one, "parent", progressOf(durable - 4));
  const ok = child.startsWith("sent") && /^(?:sent|skipped)/.test(parent);
  const appended = [child, parent].filter((got) => got === "sent, published").length;
  return { child, parent, ok, appended };
}

function progressOf(writes: number): Progress {
  const steps = ["nothing", "marker", "message", "result"] as const;
  return steps[Math.max(0, Math.min(writes, 3))] ?? "nothing";
}

function recipientOf(one: Case, who: "child" | "parent", progress: Progress): string {
  const { between, repeat: kind, inbox } = one;
  const isPruned = between === "history pruned";
  // Ending the parent ends the child: both are then replaced.
  const isGone = between === "parent replaced" || (between === "child replaced" && who === "child");
  switch (progress) {
    case "result":
      if (isPruned) return "sent, unknown";
      return isGone && inbox === "session" ? "sent, expired" : "sent, pending";
    case "message":
      return isPruned ? "unknown, history-pruned" : "sent, duplicate";
    case "marker":
      return isPruned ? "unknown, history-pruned" : "unknown, history-missing";
    case "nothing":
      if (kind === "replayOnly") return "not-attempted, replay-only";
      if (between !== "child replaced" && between !== "parent replaced") return "sent, published";
      return who === "child" ? "failed, target-replaced" : "failed, child-not-addressable";
  }
}

/** The outcomes as a table. */
export function printed(outcomes: readonly Outcome[]): string {
  const head = [
    "inbox",
    "killed",
    "between",
    "repeat",
    "child",
    "parent",
    "child has",
    "parent has",
    "verdict",
  ];
  const lines = outcomes.map(({ case: one, child, parent, counts, faults }) => [
    one.inbox,
    `${one.side} ${WRITES[one.write - 1]}`,
    one.between,
    one.repeat,
    child,
    parent,
    ...counts,
    faults.length === 0 ? "as it must be" : faults.join("; "),
  ]);
  const rows = [head, head.map(() => "---"), ...lines];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
