/** Ending: nothing of the subtree starts or gets mail from outside from the request on, and a path's next user is another generation (A5). */
import { expect, it } from "vitest";
import { everyProgram } from "./support/play.js";

it("A5 starts nothing and takes no MAIL below an agent that is being ended", () => {
  everyProgram({
    event({ event }, { book }) {
      if (event.type === "mail.queued" && event.mail !== "MAIL" && event.mail !== "INPUT") return;
      if (
        event.type === "turn.started" ||
        event.type === "start.reserved" ||
        event.type === "agent.spawned" ||
        event.type === "wake.marked" ||
        event.type === "mail.queued"
      ) {
        expect(book.endingOf(event.path)).toBeUndefined();
      }
    },
    rest({ book, loop }) {
      expect([...book.ending]).toEqual([]);
      expect(loop.state.durable.endings).toEqual([]);
    },
  });
});

it("A5 gives every user of a path the next generation, and retires whole subtrees at rest", () => {
  everyProgram({
    event({ event }, { book }) {
      if (event.type === "agent.spawned") {
        expect(book.agents.has(event.path)).toBe(false);
        expect(event.gen).toBe((book.retired.get(event.path) ?? 0) + 1);
      }
      if (event.type !== "agent.retired") return;
      const members = [...book.agents.keys()].filter(
        (path) => path === event.path || path.startsWith(`${event.path}/`),
      );
      expect(event.members.map(({ path }) => path).toSorted()).toEqual(members.toSorted());
      for (const path of members) expect(book.isLive(path)).toBe(false);
    },
  });
});
