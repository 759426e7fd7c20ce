/** Whatever a session did, its folds go into a snapshot and come out again equal, and nothing that follows can tell (L7, R1). */
import { describe, expect, it } from "vitest";
import type { Command } from "../src/kernel/command.js";
import { decide } from "../src/kernel/decide.js";
import { freeze, thaw } from "../src/kernel/plain.js";
import { fold } from "../src/kernel/stage.js";
import type { State } from "../src/kernel/state.js";
import { foldAll } from "../src/projections/projection.js";
import { builtIn } from "../src/runtime/projections.js";
import { type Folded, decodeFolded, encodeFolded } from "../src/runtime/snapshots.js";
import { check } from "../test/support/property.js";
import { type Told, tell, tellings } from "./support/told.js";

/** Every projection of a session, from nothing or from saved states on. */
function project(
  ran: readonly Told[],
  from: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const events = ran.flatMap((one) => [...one.events]);
  return Object.fromEntries(
    Object.entries(builtIn).map(([name, projection]) => {
      const start = (from[name] ?? projection.initial) as never;
      return [name, foldAll(projection as never, events, start)];
    }),
  );
}

function saved(folded: Folded): Folded {
  const back = decodeFolded(encodeFolded(folded, "hash"));
  if (back === undefined) throw new Error("it does not read what it wrote");
  return back;
}

/** What a session may be asked next, whatever state it is in. */
const NEXT: readonly Command[] = [
  { kind: "open", capacity: null },
  { kind: "prompt", text: "go on" },
  { kind: "send", by: null, target: "/root", text: "hello" },
  { kind: "setCapacity", capacity: 5 },
  { kind: "interrupt", by: null, target: "/root" },
  { kind: "close" },
];

// No test of time: room for a large DOVECOTE_RUNS.
describe("a snapshot", { timeout: 600_000 }, () => {
  it("L7 R1 at any commit, and the commits after it, give what all commits give", () => {
    check(tellings, (telling) => {
      const ran = tell(telling);
      const last = ran.at(-1)!.state;
      const whole = freeze({ durable: last.durable, volatile: last.volatile });
      const projected = freeze(project(ran));
      for (let cut = 1; cut <= ran.length; cut += 1 + Math.floor(ran.length / 5)) {
        const { durable, volatile, next } = ran[cut - 1]!.state;
        const projections = project(ran.slice(0, cut));
        const from = saved({ position: cut, durable, volatile, projections });
        let state: State = { ...last, durable: from.durable, volatile: from.volatile, next };
        for (const { event, at } of ran.slice(cut).flatMap((one) => [...one.events])) {
          state = fold({ ...state, next: at }, event);
        }
        expect(freeze({ durable: state.durable, volatile: state.volatile })).toBe(whole);
        expect(freeze(project(ran.slice(cut), from.projections))).toBe(projected);
      }
    });
  });

  it("L7 decides as the state that it was made of", () => {
    check(tellings, (telling) => {
      for (const { state } of tell(telling)) {
        const { durable, volatile } = state;
        const back = saved({ position: 1, durable, volatile, projections: project([]) });
        const again = { ...state, durable: back.durable, volatile: back.volatile };
        for (const command of NEXT) {
          const [before, after] = [decide(state, command), decide(again, command)];
          expect(after.events).toEqual(before.events);
          expect(after.effects).toEqual(before.effects);
          expect(after.outcome).toEqual(before.outcome);
        }
      }
    });
  });

  it("L7 gives equal text when it is thawed and frozen again", () => {
    check(tellings, (telling) => {
      const ran = tell(telling);
      const text = freeze([ran.at(-1)!.state.durable, ran.at(-1)!.state.volatile, project(ran)]);
      expect(freeze(thaw(text))).toBe(text);
    });
  });
});
