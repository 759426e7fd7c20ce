/** Every turn of a non-root agent settles once, with one RESULT in the same commit, to its spawn parent (S1, S2, R2). */
import { expect, it } from "vitest";
import { parentPath } from "../src/paths.js";
import { everyProgram } from "./support/play.js";

it("S1 S2 R2 gives one RESULT for each started turn, to the spawn parent and nobody else", () => {
  everyProgram({
    rest(run) {
      const of = (path: string, gen: number, turn: number) => `${path}#${gen}.${turn}`;
      const started = run
        .placed()
        .flatMap(({ event }) =>
          event.type === "turn.started" && event.path !== "/root"
            ? [of(event.path, event.gen, event.turn)]
            : [],
        );
      const settled = run
        .placed()
        .flatMap(({ event, at }) =>
          event.type === "turn.settled" && event.path !== "/root"
            ? [
                `${of(event.path, event.gen, event.turn)} ${event.outcome} ${parentPath(event.path)} ${at[0]}`,
              ]
            : [],
        );
      const results = run.placed().flatMap(({ event, at }) => {
        if (event.type !== "mail.queued" || event.mail !== "RESULT") return [];
        const { by, path, outcome } = event;
        if (by === undefined) return ["a RESULT of nobody"];
        return [`${of(by.path, by.gen, by.turn)} ${outcome} ${path} ${at[0]}`];
      });
      expect(new Set(started).size).toBe(started.length);
      expect(results.toSorted()).toEqual(settled.toSorted());
      expect(settled.map((text) => text.split(" ")[0] ?? "").toSorted()).toEqual(
        started.toSorted(),
      );
    },
  });
});
