/**
 * Logs that older versions wrote, replayed: each must fold to what it folded to when it was kept (L4, L7). A log of a
 * format is kept for good. What it folds to may change only together with the version of the fold that changed:
 * `DOVECOTE_GOLDEN=write` then writes the expectations anew, and makes the logs of a format that has none.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fc } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { FORMAT_VERSION } from "../../src/events/commit.js";
import type { DovecoteEvent } from "../../src/events/events.js";
import { type Program, play, programs } from "../../src/fuzz/programs.js";
import { URGENCY } from "../../src/kernel/durability.js";
import { freeze } from "../../src/kernel/plain.js";
import { plainHost } from "../../src/kernel/state.js";
import { readLines, writeLines } from "../../src/log/lines.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import { exportLog, importLog } from "../../src/log/transfer.js";
import { ProjectionRunner } from "../../src/projections/runner.js";
import { cutLog } from "../../src/runtime/cutLog.js";
import { foldLog } from "../../src/runtime/foldLog.js";
import { foldVersions } from "../../src/runtime/snapshots.js";
import { builtIn } from "../../src/runtime/projections.js";
import { peered } from "../support/peered.js";
import { type Story, survey, workedOff } from "../support/story.js";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));
const WRITING = process.env["DOVECOTE_GOLDEN"] === "write";

/** What is expected of a log. */
interface Golden {
  readonly versions: Readonly<Record<string, number>>;
  readonly head: unknown;
  readonly folds: Readonly<Record<string, unknown>>;
}

async function logsOf(format: string): Promise<readonly string[]> {
  const names = await readdir(join(FIXTURES, format));
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(FIXTURES, format, name));
}

async function replay(file: string): Promise<{ golden: Golden; types: ReadonlySet<string> }> {
  const log = memoryLog();
  await importLog(log, () => readLines(file));
  const reader = (await log.readSession("s"))!;
  const runner = new ProjectionRunner(builtIn);
  const { durable, volatile } = await foldLog(reader, plainHost([]), runner);
  const folds: Record<string, unknown> = { kernel: { durable, volatile } };
  for (const name of runner.names) folds[name] = runner.read(name);
  const types = new Set<string>();
  for await (const { events } of reader.read()) for (const { type } of events) types.add(type);
  const plain = JSON.parse(freeze(folds)) as Golden["folds"];
  return { golden: { versions: foldVersions(), head: reader.head(), folds: plain }, types };
}

const expectation = (file: string): string => file.replace(/\.jsonl$/, ".json");

if (WRITING) await write();

describe.each(await readdir(FIXTURES))("logs of %s", async (format) => {
  it.each((await logsOf(format)).map((file) => [basename(file), file] as const))(
    "L4 L7 R1 %s folds to what it folded to, or the fold has another version",
    async (_, file) => {
      const { golden } = await replay(file);
      const kept = JSON.parse(await readFile(expectation(file), "utf8")) as Golden;
      expect(golden.head).toEqual(kept.head);
      // Another version with old expectations means that they were forgotten.
      expect(golden.versions, "run with DOVECOTE_GOLDEN=write").toEqual(kept.versions);
      for (const [name, fold] of Object.entries(golden.folds)) {
        const what = `${name} folds to something else: raise its version, then run with DOVECOTE_GOLDEN=write`;
        expect(fold, what).toEqual(kept.folds[name]);
      }
    },
  );
});

it("L4 the logs of the current format hold every event that there is", async () => {
  const seen = new Set<string>();
  for (const file of await logsOf(`format-${FORMAT_VERSION}`)) {
    for (const type of (await replay(file)).types) seen.add(type);
  }
  expect([...seen].sort()).toEqual(Object.keys(URGENCY).sort());
});

/** Makes what is missing: logs of a format that has none, and whatever logs fold to now. */
async function write(): Promise<void> {
  const format = join(FIXTURES, `format-${FORMAT_VERSION}`);
  await mkdir(format, { recursive: true });
  const seen = new Set<string>();
  for (const file of await logsOf(basename(format))) {
    for (const type of (await replay(file)).types) seen.add(type);
  }
  const random = fc.sample(programs, { seed: 20, numRuns: 2000 }).map(played);
  const candidates = [
    ["survey", told(survey())] as const,
    ["worked-off", told(workedOff())] as const,
    ["peered", peered()] as const,
    ...random.map((commits, index) => [`program-${index + 1}`, commits] as const),
  ];
  for (const [name, commits] of candidates) {
    const types = commits.flat().map(({ type }) => type);
    if (types.every((type) => seen.has(type))) continue;
    for (const type of types) seen.add(type);
    const file = join(format, `${name}.jsonl`);
    if (!existsSync(file)) await keep(file, commits);
  }
  const cut = join(format, "cut.jsonl");
  if (!existsSync(cut)) await keep(cut, told(workedOff()), 12);
  for (const name of await readdir(FIXTURES)) {
    for (const file of await logsOf(name)) {
      const { golden } = await replay(file);
      await writeFile(expectation(file), `${JSON.stringify(golden, null, 1)}\n`);
    }
  }
}

function played(program: Program): readonly (readonly DovecoteEvent[])[] {
  return play(program).commits.toArray();
}

function told(story: Story): readonly (readonly DovecoteEvent[])[] {
  const commits: DovecoteEvent[][] = [];
  for (const { event, at } of story.log) (commits[at[0] - 1] ??= []).push(event);
  return commits;
}

/** A log that is cut holds a fold: one of other versions than today's must still be read, by a step (S6, L4). */
async function keep(
  file: string,
  commits: readonly (readonly DovecoteEvent[])[],
  cutBefore?: number,
): Promise<void> {
  const log = memoryLog();
  const session = await log.openSession("s");
  for (const [index, events] of commits.entries()) {
    const n = index + 1;
    await session.append({ id: `commit-${n}`, n, at: 1_700_000_000_000 + n, events });
  }
  await session.close();
  if (cutBefore !== undefined) await cutLog(log, { session: "s", before: cutBefore });
  await writeLines(file, exportLog(log));
}
