/** Damage to the files of a log, of every kind, at random places. */
import { copyFile, cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { levelLog, openLevel } from "../../src/log/levelLog.js";
import { appendOne, snapshotAt } from "../../src/testing/logSupport.js";
import { startAppender } from "../support/children.js";
import { killAfter } from "./kills.js";
import type { Chance } from "./chance.js";
import { hashesOf, judge, type Truth } from "./truth.js";
import type { Table } from "./table.js";

/** Files that are damaged. */
const TARGETS = ["journal", "table", "manifest", "CURRENT", "watermark"] as const;
const WAYS = ["flip", "zero", "truncate", "delete", "swap"] as const;
type Target = (typeof TARGETS)[number];
type Way = (typeof WAYS)[number];

const PATTERNS: Readonly<Record<Target, RegExp>> = {
  journal: /^[0-9]+\.log$/,
  table: /^[0-9]+\.ldb$/,
  manifest: /^MANIFEST-/,
  CURRENT: /^CURRENT$/,
  watermark: /^dovecote\.watermark$/,
};

/** A log to be damaged, as it was earlier and as it is, and what must be in it. */
interface Base {
  readonly name: string;
  readonly folder: string;
  readonly earlier: string;
  readonly truth: Truth;
}

/** Damages copies of two logs, one that was closed and one whose process was killed, and judges each. */
export async function damages(
  work: string,
  count: number,
  chance: Chance,
  table: Table,
  say: (done: number) => void,
): Promise<void> {
  const bases = [await closedBase(work, chance), await killedBase(work)];
  for (let index = 0; index < count; index += 1) {
    // Every pair of file and way comes up equally often; which base and which place is chance.
    const target = TARGETS[index % TARGETS.length] ?? "journal";
    const way = WAYS[Math.floor(index / TARGETS.length) % WAYS.length] ?? "flip";
    const base = chance.pick(bases);
    const folder = join(work, "case");
    await cp(base.folder, folder, { recursive: true, preserveTimestamps: true });
    const place = await damage(folder, base, target, way, chance);
    if (place !== undefined) {
      const { verdict, detail } = await judge(folder, base.truth);
      table.add(`${way} ${target}`, verdict, `${base.name}, ${place}: ${detail}`);
    }
    await rm(folder, { recursive: true, force: true });
    say(index + 1);
  }
}

/** Three sessions over several tables and a journal, closed as it should be; its earlier self is from halfway. */
async function closedBase(work: string, chance: Chance): Promise<Base> {
  const folder = join(work, "closed");
  const earlier = join(work, "closed-earlier");
  const ids = ["a", "b", "c"];
  for (const half of [1, 2]) {
    const log = levelLog(folder, { durability: "process" });
    for (const id of ids) {
      const session = await log.openSession(id);
      for (let n = 0; n < 40; n += 1) await appendOne(session, chance.text(4000), "more");
      if (id === "b") await session.saveSnapshot(snapshotAt(session.head()));
      for (let n = 0; n < 10; n += 1) await appendOne(session, chance.text(4000));
    }
    await log.close();
    // Opened and closed again, what was in the journal is in a table.
    if (half === 1) await (await openLevel(folder, false)).close();
    if (half === 1) await cp(folder, earlier, { recursive: true });
  }
  const log = levelLog(folder);
  const hashes = await hashesOf(log);
  for (const id of ids) {
    const session = await log.openSession(id);
    for (let n = 0; n < 5; n += 1)
      hashes.get(id)?.push((await appendOne(session, chance.text(3000))).hash);
  }
  await log.close();
  const lengths = new Map([...hashes].map(([id, { length }]) => [id, length]));
  return {
    name: "closed",
    folder,
    earlier,
    truth: { hashes, confirmed: lengths, marked: lengths },
  };
}

/** A log whose process was killed while it wrote, after it had been opened a second time. */
async function killedBase(work: string): Promise<Base> {
  const folder = join(work, "killed");
  const earlier = join(work, "killed-earlier");
  await killAfter(startAppender(folder, "process"), 1500);
  await cp(folder, earlier, { recursive: true });
  const confirmed = await killAfter(startAppender(folder, "process"), 4000);
  const copy = join(work, "killed-copy");
  await cp(folder, copy, { recursive: true });
  const log = levelLog(copy);
  const hashes = await hashesOf(log);
  await log.close();
  await rm(copy, { recursive: true });
  return {
    name: "killed",
    folder,
    earlier,
    truth: { hashes, confirmed, marked: await markedIn(folder) },
  };
}

async function markedIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(join(folder, "dovecote.watermark"), "utf8");
  const { sessions } = JSON.parse(text) as { sessions: readonly [string, number, string][] };
  return new Map(sessions.map(([session, position]) => [session, position]));
}

/** Says where it damaged what; `undefined` when there was nothing to damage in that way. */
async function damage(
  folder: string,
  base: Base,
  target: Target,
  way: Way,
  chance: Chance,
): Promise<string | undefined> {
  const names = (await readdir(folder)).filter((name) => PATTERNS[target].test(name));
  if (names.length === 0) return undefined;
  const name = chance.pick(names.sort());
  const file = join(folder, name);
  if (way === "swap") return swap(folder, base, target, name, chance);
  if (way === "delete") {
    await rm(file);
    return name;
  }
  const bytes = await readFile(file);
  if (bytes.length === 0) return undefined;
  const at = chance.below(bytes.length);
  if (way === "truncate") {
    await writeFile(file, bytes.subarray(0, at));
    return `${name} at ${at}`;
  }
  const length = way === "flip" ? 1 : 1 + chance.below(Math.min(4096, bytes.length - at));
  if (way === "flip") bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8));
  else bytes.fill(0, at, at + length);
  await writeFile(file, bytes);
  return `${name} at ${at}, ${length} bytes`;
}

/** Puts another file of the same kind in its place: of the same folder, or of the log's earlier self. */
async function swap(
  folder: string,
  base: Base,
  target: Target,
  name: string,
  chance: Chance,
): Promise<string | undefined> {
  const others = (await readdir(folder)).filter(
    (one) => PATTERNS[target].test(one) && one !== name,
  );
  if (others.length > 0 && chance.below(2) === 0) {
    const other = chance.pick(others.sort());
    await rename(join(folder, name), join(folder, "swapping"));
    await rename(join(folder, other), join(folder, name));
    await rename(join(folder, "swapping"), join(folder, other));
    return `${name} and ${other}`;
  }
  const earlier = (await readdir(base.earlier)).filter((one) => PATTERNS[target].test(one));
  if (earlier.length === 0) return undefined;
  const old = chance.pick(earlier.sort());
  await copyFile(join(base.earlier, old), join(folder, name));
  return `${name} of earlier (${old})`;
}
