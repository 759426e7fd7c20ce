/** Plays one schedule of a behaviour world and prints every set of enabled steps, and a hash of the log's bytes. */
import { createHash } from "node:crypto";
import { scenario } from "../../src/fuzz/behaviorWorld.js";
import { type Pick, play, replay } from "../../src/fuzz/run.js";
import { decodeSchedule, encodeSchedule } from "../../src/fuzz/schedule.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import { busy } from "./busy.js";

const storages: Parameters<typeof memoryLog>[0][] = [];
const kind = scenario("busy", busy, (storage) => storages.push(storage));
const sets: string[] = [];
const [token] = process.argv.slice(2);

/** Any schedule with a crash in it would do. */
const wander: Pick = ({ enabled, fair, at }) =>
  at === 39 ? (enabled.at(-2) ?? null) : (fair[(at * 7) % Math.min(fair.length, 3)] ?? null);

const ran =
  token === undefined
    ? await play(kind, wander)
    : await replay(kind, decodeSchedule(token), "strict", (world) => {
        sets.push(world.enabled().join());
      });
const hash = createHash("sha256");
for (const storage of storages) {
  const reader = await memoryLog(storage).readSession("main");
  for await (const { text } of reader?.records() ?? []) hash.update(text);
}
console.log(
  JSON.stringify({ token: encodeSchedule(ran.schedule), sets, bytes: hash.digest("hex") }),
);
