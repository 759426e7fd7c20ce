/** Killed before and after each write of an operation, then repeated: nobody is sent to twice (O5, O6). */
import { describe, expect, it } from "vitest";
import { memoryLog, MemoryStorage } from "../../src/log/memoryLog.js";
import { familyWorld } from "../support/family.js";
import { InboxStore, Killer, killedInbox, killedLog } from "./killer.js";
import { type Case, cases, expectedOf, tryCase, WRITES } from "./matrix.js";

describe("the crash-point matrix", () => {
  it("O5 covers every write that an operation makes, in this order, whatever the inbox", async () => {
    for (const inbox of ["session", "host"]) {
      const killer = new Killer();
      const log = killedLog(memoryLog(new MemoryStorage()), killer);
      const peer = { inbox: killedInbox(new InboxStore(), killer) };
      const world = await familyWorld(inbox === "host" ? { log, peer } : { log });
      killer.arm(100, "after");
      await world.session.sendPeerMessage("/root/p/c", "hello");
      expect(killer.writes).toEqual(WRITES);
    }
  });

  it.each(["session", "host"] as const)(
    "O5 O6 sends to no recipient twice, and tells of each what is known: inbox of the %s",
    async (inbox) => {
      const mine = cases().filter((one) => one.inbox === inbox);
      const wrong: unknown[] = [];
      for (const one of mine) {
        const outcome = await tryCase(one);
        if (outcome.faults.length > 0) wrong.push(outcome);
      }
      expect(wrong).toEqual([]);
      expect(mine.length).toBeGreaterThan(80);
    },
  );

  it("O5 expects every kind of end somewhere", () => {
    const ends = new Set(
      cases().flatMap((one: Case) => {
        const { child, parent } = expectedOf(one);
        return [child, parent];
      }),
    );
    for (const end of [
      "sent, published",
      "sent, duplicate",
      "sent, pending",
      "sent, expired",
      "sent, unknown",
      "unknown, history-missing",
      "unknown, history-pruned",
      "not-attempted, replay-only",
      "failed, target-replaced",
      "failed, child-not-addressable",
      "refused: operation-unknown",
    ]) {
      expect(ends).toContain(end);
    }
  });
});
