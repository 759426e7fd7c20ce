/** Whatever a session does, its projections say what the kernel knows, and a replay gives the same again (Q2, M4, R4). */
import { describe, expect, it } from "vitest";
import { type Point, formatPoint } from "../src/events/point.js";
import { agentsOf } from "../src/fuzz/choices.js";
import type { Placed } from "../src/kernel/loop.js";
import type { Agent, State } from "../src/kernel/state.js";
import { agentKey, foldAll } from "../src/projections/projection.js";
import { type RosterEntry, listAgents, roster } from "../src/projections/roster.js";
import { ProjectionRunner } from "../src/projections/runner.js";
import { type Transcripts, transcript, transcriptOf } from "../src/projections/transcript.js";
import { type UnreadMail, type UnreadRecord, unread, unreadOf } from "../src/projections/unread.js";
import { check } from "../test/support/property.js";
import { tell, tellings } from "./support/told.js";

const all = { roster, unread, transcript };

/** What the roster should say of an agent, told from the kernel's two states. */
function expectedEntry(state: State, agent: Agent): Partial<RosterEntry> {
  const one = state.volatile.reservations.find(({ path }) => path === agent.path);
  return {
    path: agent.path,
    gen: agent.gen,
    parent: agent.parent?.path ?? null,
    role: agent.role,
    behavior: agent.behavior,
    phase: agent.phase,
    preparing: one === undefined ? null : { start: one.start, since: one.at },
    marked: state.volatile.marks.get(agent.path) ?? null,
    unread: agent.unread.length,
    blockers: agent.turn?.blockers ?? [],
    turns: agent.turns,
    settling: agent.turn?.settling?.began ?? null,
    last: agent.last,
  };
}

function expectRoster(state: State, found: readonly RosterEntry[]): void {
  const agents = agentsOf(state);
  expect(found.map(({ path }) => path)).toEqual(agents.map(({ path }) => path));
  agents.forEach((agent, i) => {
    expect(found[i]).toMatchObject(expectedEntry(state, agent));
  });
}

function bare(record: Omit<UnreadRecord, "outcome">): unknown {
  const { at, textAt, mail, from, execution, withheld, warning } = record;
  return { at, textAt, mail, from, execution, withheld, warning };
}

function expectUnread(state: State, found: UnreadMail): void {
  for (const agent of agentsOf(state)) {
    const known = agent.unread.toArray();
    const records = unreadOf(found, agent).toArray();
    expect(records.map(bare)).toEqual(known.map(bare));
  }
}

/** The points of all accepted records as they are now: a moved one has the point of its move (S5). */
function acceptedRecords(events: readonly Placed[]): ReadonlySet<string> {
  const points = new Set<string>();
  for (const { event, at } of events) {
    if (event.type === "mail.moved") points.delete(formatPoint(event.record));
    if (event.type === "mail.queued" || event.type === "mail.moved") points.add(formatPoint(at));
  }
  return points;
}

/** The points of all records that somebody holds, repeated where several do: ended agents too, and what handlers took. */
function heldRecords(
  log: readonly Placed[],
  mail: UnreadMail,
  transcripts: Transcripts,
): readonly string[] {
  const held: Point[] = [];
  for (const { event } of log) {
    if (event.type === "mail.consumed") held.push(event.record);
    if (event.type !== "agent.spawned") continue;
    for (const record of unreadOf(mail, event)) held.push(record.at);
    for (const entry of transcriptOf(transcripts, event)) {
      if (entry.kind === "mail") held.push(entry.record);
      if (entry.kind === "task" && entry.record !== null) held.push(entry.record);
    }
  }
  return held.map(formatPoint);
}

function readable(state: State | undefined, mail: UnreadMail, transcripts: Transcripts): unknown {
  return (state === undefined ? [] : agentsOf(state)).map((agent) => ({
    agent: agentKey(agent),
    unread: unreadOf(mail, agent).toArray(),
    transcript: transcriptOf(transcripts, agent).toArray(),
  }));
}

// No test of time: room for a large DOVECOTE_RUNS.
describe("live projections", { timeout: 600_000 }, () => {
  it("A8 W9 the roster says of every agent what the kernel knows, after every part of its log", () => {
    check(tellings, (telling) => {
      const runner = new ProjectionRunner(all);
      for (const { state, events } of tell(telling)) {
        runner.show(events);
        expectRoster(state, listAgents(runner.read("roster")));
      }
    });
  });

  it("M4 W4 unread mail is the kernel's, in its order, after every part of its log", () => {
    check(tellings, (telling) => {
      const runner = new ProjectionRunner(all);
      for (const { state, events } of tell(telling)) {
        runner.show(events);
        expectUnread(state, runner.read("unread"));
      }
    });
  });

  it("R4 every accepted record is in exactly one place: unread, expired, consumed, or one transcript", () => {
    check(tellings, (telling) => {
      const runner = new ProjectionRunner(all);
      const log: Placed[] = [];
      for (const { events } of tell(telling)) {
        runner.show(events);
        log.push(...events);
        const held = heldRecords(log, runner.read("unread"), runner.read("transcript"));
        expect([...held].sort()).toEqual([...acceptedRecords(log)].sort());
      }
    });
  });

  it("Q2 equal a fresh replay of the log, also after appends that failed", () => {
    check(tellings, (telling) => {
      const runner = new ProjectionRunner(all);
      const log: Placed[] = [];
      let last: State | undefined;
      for (const { state, events } of tell(telling)) {
        // Half of the parts are shown, lost, and shown again: what was lost must leave no trace.
        if (log.length % 2 === 1) {
          runner.show(events);
          runner.fallBack();
        }
        runner.confirm(events);
        log.push(...events);
        last = state;
      }
      expect(listAgents(runner.read("roster"))).toEqual(listAgents(foldAll(roster, log)));
      const live = readable(last, runner.read("unread"), runner.read("transcript"));
      expect(live).toEqual(readable(last, foldAll(unread, log), foldAll(transcript, log)));
    });
  });

  it("M5 M6 entries of a transcript stand in the order of the log, and belong to its turns", () => {
    check(tellings, (telling) => {
      const runner = new ProjectionRunner(all);
      let last: State | undefined;
      for (const { state, events } of tell(telling)) {
        runner.show(events);
        last = state;
      }
      for (const agent of last === undefined ? [] : agentsOf(last)) {
        const entries = transcriptOf(runner.read("transcript"), agent).toArray();
        const places = entries.map(({ at }) => at[0] * 1e6 + at[1]);
        expect(places).toEqual([...places].sort((x, y) => x - y));
        const turns = entries.map(({ turn }) => turn);
        expect(turns).toEqual([...turns].sort((x, y) => x - y));
        expect(Math.max(0, ...turns)).toBeLessThanOrEqual(agent.turns);
      }
    });
  });
});
