/** The state that a running session decides on is what a reader of its events would fold, durable and volatile (L1, R1). */
import { expect, it } from "vitest";
import { fold } from "../src/kernel/stage.js";
import type { KernelRun } from "../src/fuzz/kernelRun.js";
import { emptyState } from "../src/kernel/state.js";
import { everyProgram } from "./support/play.js";
import { plainDurable, plainVolatile } from "./support/plain.js";

function sameAsFolded(run: KernelRun): void {
  let folded = emptyState(run.host);
  // Through JSON, so that nothing rests on two events sharing an object.
  for (const { event, at } of run.placed()) {
    folded = fold({ ...folded, next: at }, JSON.parse(JSON.stringify(event)) as typeof event);
  }
  const { durable, volatile } = run.loop.state;
  const live = [plainDurable(durable), plainVolatile(volatile, durable)];
  const read = [plainDurable(folded.durable), plainVolatile(folded.volatile, folded.durable)];
  // As text first: that is quick, and only a difference needs to be told in full.
  if (JSON.stringify(live) !== JSON.stringify(read)) expect(live).toEqual(read);
}

it("L1 R1 has the state that its events fold to, whenever something has been shown", () => {
  everyProgram({ shown: sameAsFolded });
});

it("L1 shows events at the points where the log has them, none missing and none twice", () => {
  everyProgram({
    rest(run) {
      const { loop } = run;
      const commits = run.commits.toArray();
      const placed = run.placed();
      const stored = commits.flatMap((events, n) =>
        events.map((event, index) => ({ event, at: [n + 1, index] })),
      );
      expect(placed.slice(0, stored.length)).toEqual(stored);
      // What is left over is the frame of a run that did nothing.
      const frame = ["session.opened", "session.closing", "session.closed"];
      const rest = placed.slice(stored.length).map(({ event }) => event.type);
      expect(rest.filter((type) => !frame.includes(type))).toEqual([]);
      expect(loop.state.next[0]).toBe(commits.length + 1);
    },
  });
});
