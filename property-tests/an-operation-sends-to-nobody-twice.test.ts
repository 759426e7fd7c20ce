/**
 * Whatever dies, fails, ends or is forgotten meanwhile, a message with a copy for the parent reaches each recipient at
 * most once, and nobody hears more about it than is so (O1-O6, R4).
 */
import { expect, it, vi } from "vitest";
import { checkSlowly } from "../test/support/property.js";
import { PeerPlay, peerPrograms } from "./support/peerPlay.js";

// How many programs are played is DOVECOTE_RUNS's to say; a loaded machine must not fail a property.
vi.setConfig({ testTimeout: 3_600_000 });

const RUNS = 80;

it("O1 O2 O3 O5 O6 R4 sends to nobody twice, and claims no more than is there", async () => {
  const total: Record<string, number> = {};
  await checkSlowly(
    peerPrograms,
    async (program) => {
      const play = new PeerPlay(program);
      expect(await play.run()).toEqual([]);
      for (const [name, count] of Object.entries(play.figures)) {
        total[name] = (total[name] ?? 0) + count;
      }
    },
    RUNS,
  );
  // Programs that never get anywhere would show nothing.
  const { kills = 0, duplicates = 0, unknown = 0, failed = 0 } = total;
  if (process.env["DOVECOTE_RUNS"] !== undefined) console.log(total);
  else expect(Math.min(kills, duplicates + unknown, failed)).toBeGreaterThan(0);
});
