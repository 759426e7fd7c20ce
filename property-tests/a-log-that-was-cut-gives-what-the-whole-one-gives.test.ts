/**
 * Wherever a session's log is cut, once or twice, what it folds to and what can still be needed is as without the cut: the
 * kernel's state, unread mail with its texts, results with theirs (S6, R1, R4).
 */
import { fc } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import type { Point } from "../src/events/point.js";
import { freeze } from "../src/kernel/plain.js";
import { type State, plainHost } from "../src/kernel/state.js";
import type { EventLog } from "../src/log/log.js";
import { MemoryStorage, memoryLog } from "../src/log/memoryLog.js";
import { exportLog, importLog } from "../src/log/transfer.js";
import { verifyLog } from "../src/log/verify.js";
import { foldAll } from "../src/projections/projection.js";
import { ProjectionRunner } from "../src/projections/runner.js";
import type { TranscriptEntry } from "../src/projections/transcriptEntries.js";
import { unread } from "../src/projections/unread.js";
import { openTrace } from "../src/replay/trace.js";
import { cutLog } from "../src/runtime/cutLog.js";
import { foldLog } from "../src/runtime/foldLog.js";
import { type BuiltIn, builtIn } from "../src/runtime/projections.js";
import { Texts } from "../src/runtime/texts.js";
import { checkSlowly } from "../test/support/property.js";
import { type Told, tell, tellings } from "./support/told.js";

const HOST = plainHost([]);
const ID = "s";

async function keep(ran: readonly Told[]): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  const log = memoryLog(storage);
  const session = await log.openSession(ID);
  for (const [index, { events }] of ran.entries()) {
    const n = index + 1;
    const draft = { id: `c${n}`, n, at: n, events: events.map(({ event }) => event) };
    expect(await session.append(draft)).toMatchObject({ kind: "appended" });
  }
  await log.close();
  return storage;
}

/** What a log folds to, and its transcripts. */
async function foldOf(log: EventLog): Promise<{
  readonly folded: string;
  readonly transcripts: ReadonlyMap<string, readonly TranscriptEntry[]>;
}> {
  const runner = new ProjectionRunner<BuiltIn>(builtIn);
  const state = await foldLog((await log.readSession(ID))!, HOST, runner);
  const others = (["roster", "unread", "usage", "jobs"] as const).map((one) => runner.read(one));
  const transcripts = [...runner.read("transcript").entries.entries()].map(
    ([key, row]) => [key, row.toArray()] as const,
  );
  return {
    folded: freeze([state.durable, state.volatile, ...others]),
    transcripts: new Map(transcripts),
  };
}

/** Every text that could be asked for at a place, or later: read from a log that goes on after it. */
async function textsAt(log: EventLog, ran: readonly Told[], from: number): Promise<unknown> {
  const texts = new Texts((await log.readSession(ID))!);
  let mail = unread.initial;
  const said: unknown[] = [];
  for (const [index, { state, events }] of ran.entries()) {
    mail = foldAll(unread, events, mail);
    if (index + 1 < from) continue;
    for (const row of mail.values()) for (const one of row) said.push(await texts.record(one));
    for (const at of pointed(state)) said.push(await texts.text(at));
    for (const { last, turn } of state.durable.agents.values()) {
      if (last !== null) said.push(await texts.settled(last.began, last.settled));
      if (turn?.settling != null) said.push(await texts.outcome(turn.settling.began));
    }
  }
  return said;
}

/** The places of texts that a state holds beside mail and settlements. */
function pointed({ durable, volatile }: State): readonly Point[] {
  const found: (Point | null)[] = [...volatile.notices];
  for (const { task } of volatile.reservations) found.push(task);
  for (const { turn } of durable.agents.values()) {
    if (turn !== null) found.push(turn.task, turn.lastResult, ...turn.partials);
  }
  return found.filter((at) => at !== null);
}

/** What a transcript shows of a log that was cut after a commit. */
function cutAfter(entries: readonly TranscriptEntry[], anchor: number): unknown {
  const gone = entries.filter(({ at }) => at[0] <= anchor);
  const last = gone.at(-1);
  const left = entries.slice(gone.length);
  if (last === undefined) return left;
  return [{ kind: "cut", at: last.at, turn: last.turn, count: gone.length }, ...left];
}

async function lines(log: EventLog): Promise<string[]> {
  const found: string[] = [];
  for await (const line of exportLog(log)) found.push(line);
  return found;
}

const cases = fc.record({
  telling: tellings.map((telling) => ({ ...telling, whole: true })),
  cuts: fc.array(fc.nat({ max: 999 }), { minLength: 1, maxLength: 2 }),
});

// No test of time: room for a large DOVECOTE_RUNS.
describe("a log that was cut", { timeout: 600_000 }, () => {
  it("S6 R1 R4 folds to the same state, mail and results, here, in a copy and in a trace", async () => {
    await checkSlowly(
      cases,
      async ({ telling, cuts }) => {
        const ran = tell(telling);
        const last = ran.length;
        if (last < 2) return;
        const storage = await keep(ran);
        const befores = cuts.map((at) => 2 + (at % (last - 1))).sort((a, b) => a - b);
        const anchor = (befores.at(-1) ?? 0) - 1;
        const whole = await foldOf(memoryLog(storage.copy()));
        const said = await textsAt(memoryLog(storage.copy()), ran, anchor);

        const log = memoryLog(storage);
        for (const before of befores) await cutLog(log, { session: ID, before });
        const cut = await foldOf(log);
        expect(cut.folded).toBe(whole.folded);
        for (const [key, entries] of whole.transcripts) {
          expect(cut.transcripts.get(key)).toEqual(cutAfter(entries, anchor));
        }
        expect(await textsAt(log, ran, anchor)).toEqual(said);
        expect(await verifyLog(log)).toMatchObject({ ok: true });

        const copy = memoryLog();
        const exported = await lines(log);
        await importLog(copy, () => exported);
        expect(await foldOf(copy)).toEqual(cut);
        expect(await lines(copy)).toEqual(exported);

        const trace = await openTrace(log, { session: ID, host: HOST });
        expect(trace.position).toEqual([anchor, 0]);
        const folded = (state: State): string => freeze([state.durable, state.volatile]);
        for (const n of [anchor, Math.ceil((anchor + last) / 2), last]) {
          expect(folded((await trace.at(n)).whole)).toBe(folded(ran[n - 1]!.state));
        }
        await trace.close();
      },
      60,
    );
  });
});
