/** Interrupts take no mail, and wake nobody by what was there when they were asked (I2-I6). */
import { expect, it } from "vitest";
import type { AgentPath } from "../src/paths.js";
import { everyProgram } from "./support/play.js";

it("I2 I3 I4 I5 gives no mail of an interrupted agent to anyone before its next turn", () => {
  const stopped = new Set<AgentPath>();
  everyProgram({
    event({ event, at }) {
      if (at[0] === 1 || event.type === "session.opened") stopped.clear();
      // A root turn that the person's text starts takes it as its task in the same breath.
      if (event.type === "turn.started") stopped.delete(event.path);
      if (event.type === "agent.interrupted") stopped.add(event.path);
      if (event.type === "mail.delivered") expect(stopped).not.toContain(event.path);
      if (event.type === "mail.consumed") expect(stopped).not.toContain(event.path);
    },
  });
});

it("I2 I5 W5 wakes an interrupted agent only by mail that came after the request", () => {
  const asked = new Map<AgentPath, number>();
  everyProgram({
    event({ event, at }, { book }) {
      if (at[0] === 1 || event.type === "session.opened") asked.clear();
      if (event.type === "agent.interrupted") asked.set(event.path, at[0] * 10_000 + at[1]);
      if (event.type === "wake.cleared" || event.type === "agent.interrupted") return;
      if (event.type === "turn.started" || event.type === "start.reserved") {
        if (event.start !== "wake") asked.delete(event.path);
        // A live turn, as a start, is not there: the mark is what counts.
        expect(book.isLive(event.path)).toBe(false);
      }
      if (event.type !== "wake.marked") return;
      const [n, index] = event.record;
      expect(n * 10_000 + index).toBeGreaterThan(asked.get(event.path) ?? 0);
    },
  });
});
