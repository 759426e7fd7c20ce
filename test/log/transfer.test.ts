/** Export and import: a log as lines, and a log again (L4). */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seal } from "../../src/events/sealed.js";
import { readLines, writeLines } from "../../src/log/lines.js";
import { levelLog } from "../../src/log/levelLog.js";
import type { EventLog } from "../../src/log/log.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import { sha256 } from "../../src/log/sha256.js";
import { exportLog, importLog, type Lines } from "../../src/log/transfer.js";
import { verifyLog } from "../../src/log/verify.js";
import { appendOne, draftAfter, ODD_TEXTS, readAll } from "../../src/testing/logSupport.js";
import { fingerprint, testFolder } from "../support/folders.js";
import { watchedLog } from "../support/watchedLog.js";

async function filled(log: EventLog = memoryLog()): Promise<EventLog> {
  for (const id of ["a", "b/ü"]) {
    const session = await log.openSession(id);
    for (const text of ODD_TEXTS) await appendOne(session, text, "more");
    await session.append({ ...draftAfter(session.head(), "keyed"), keys: { once: id } });
    await session.close();
  }
  return log;
}

async function linesOf(log: EventLog): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLog(log)) lines.push(line);
  return lines;
}

async function headsOf(log: EventLog): Promise<unknown> {
  return (await verifyLog(log)).sessions.map(({ session, head, ok }) => ({ session, head, ok }));
}

describe("an export that is imported", () => {
  it("L4 M1 ends with the same hashes, texts and keys, through a file and whichever log it goes to", async () => {
    const log = await filled();
    const folder = await testFolder();
    const file = join(folder, "all.jsonl");
    await writeLines(file, exportLog(log));
    const lines: Lines = () => readLines(file);
    for (const other of [memoryLog(), levelLog(join(folder, "log"))]) {
      await importLog(other, lines);
      expect(await headsOf(other)).toEqual(await headsOf(log));
      expect(await linesOf(other)).toEqual(await linesOf(log));
      const session = await other.openSession("a");
      expect(await session.lookup("once")).toBe("a");
      expect(session.epoch).toBe(2);
      await appendOne(session, "on");
      await other.close();
    }
    const again = levelLog(join(folder, "log"));
    expect(await readAll(await again.openSession("a"))).toHaveLength(ODD_TEXTS.length + 2);
    await again.close();
  });

  it("L4 keeps fields that this version does not know", async () => {
    const lines = await linesOf(await filled());
    const { h: _, ...fields } = JSON.parse(lines[1] ?? "") as { h: string; e: object[] };
    const { text, hash } = seal({ ...fields, e: [{ ...fields.e[0], later: 7 }], new: 1 }, sha256);
    const head = { position: 1, hash, epoch: 1 };
    const header = JSON.stringify({ dovecote: "session", format: 1, session: "a", head });
    const log = memoryLog();
    await importLog(log, () => [header, text]);
    expect(await linesOf(log)).toEqual([header, text]);
    const [commit] = await readAll((await log.readSession("a"))!);
    expect(commit?.events[0]).toMatchObject({ later: 7 });
  });

  it("L4 takes the sessions that are named, and tells how far it is", async () => {
    const log = await filled();
    const seen: string[] = [];
    const onProgress = (at: { session: string; position: number; of: number }): void => {
      seen.push(`${at.session} ${at.position}/${at.of}`);
    };
    const lines: string[] = [];
    for await (const line of exportLog(log, { sessions: ["b/ü"], onProgress })) lines.push(line);
    const all = ODD_TEXTS.length + 1;
    expect(lines).toHaveLength(all + 1);
    await importLog(memoryLog(), () => lines, { onProgress });
    expect(seen).toEqual([`b/ü ${all}/${all}`, `b/ü ${all}/${all}`]);
    const missing = exportLog(log, { sessions: ["none"] });
    await expect(missing.next()).rejects.toMatchObject({ code: "bad-argument" });
  });
});

describe("an import that is broken", () => {
  it.each<[string, (lines: string[]) => void, number]>([
    ["a byte of a record", (lines) => (lines[3] = (lines[3] ?? "").replace("more", "mOre")), 4],
    ["a record that is missing", (lines) => lines.splice(3, 1), 4],
    [
      "two records that changed places",
      (lines) => lines.splice(3, 2, lines[4] ?? "", lines[3] ?? ""),
      4,
    ],
    ["an end that is missing", (lines) => lines.splice(-2), 17],
    ["a header that is missing", (lines) => lines.splice(0, 1), 1],
    [
      "a header of another format",
      (lines) => (lines[0] = (lines[0] ?? "").replace('"format":1', '"format":2')),
      1,
    ],
    [
      "a header with another hash",
      (lines) => (lines[0] = (lines[0] ?? "").replace(/"hash":"../, '"hash":"zz')),
      9,
    ],
    ["a session that comes twice", (lines) => lines.push(...lines.slice(0, 9)), 19],
    ["an empty line", (lines) => lines.splice(9, 0, ""), 10],
    ["nothing", (lines) => lines.splice(0), 1],
  ])("L4 by %s names its line, and writes nothing", async (_, damage, line) => {
    const lines = await linesOf(await filled());
    damage(lines);
    const folder = await testFolder();
    const log = levelLog(folder);
    await log.sessions();
    const error = { code: "import-broken", rule: "L4", line };
    await expect(importLog(log, () => lines)).rejects.toMatchObject(error);
    expect(await log.sessions()).toEqual([]);
    await log.close();
  });

  it("L4 by bytes that are no text names its line, too", async () => {
    const folder = await testFolder();
    const file = join(folder, "all.jsonl");
    await writeLines(file, exportLog(await filled()));
    const bytes = await readFile(file);
    bytes[bytes.lastIndexOf("keyed")] = 0xff;
    await writeFile(file, bytes);
    await expect(importLog(memoryLog(), () => readLines(file))).rejects.toMatchObject({ line: 18 });
  });

  it("L4 by a session that is there already is refused before anything is written", async () => {
    const lines = await linesOf(await filled());
    const log = memoryLog();
    await appendOne(await log.openSession("b/ü"), "mine");
    await expect(importLog(log, () => lines)).rejects.toMatchObject({ code: "bad-argument" });
    expect(await log.sessions()).toEqual(["b/ü"]);
  });

  it("L2 L4 is no session when its writing is cut off, and can be done again", async () => {
    const lines = (await linesOf(await filled())).slice(0, 9);
    const folder = await testFolder();
    const watch = watchedLog(folder);
    await watch.log.sessions();
    let writes = 0;
    watch.beforeWrite = async () => {
      // The mark and a first batch are written; then the disk is full.
      writes += 1;
      if (writes === 3) watch.mode = "fail";
    };
    const imported = importLog(watch.log, () => lines);
    await expect(imported).rejects.toMatchObject({ code: "log-unavailable" });
    await watch.log.close();
    const log = levelLog(folder);
    expect(await log.sessions()).toEqual([]);
    expect(await log.readSession("a")).toBeUndefined();
    expect((await (await log.openSession("a")).close(), await log.sessions())).toEqual([]);
    await importLog(log, () => lines);
    expect(await headsOf(log)).toMatchObject([{ session: "a", ok: true }]);
    await log.close();
  });

  it("L6 a file that is not there is said so, and a broken export leaves no file", async () => {
    const folder = await testFolder();
    const missing = join(folder, "none.jsonl");
    await expect(importLog(memoryLog(), () => readLines(missing))).rejects.toMatchObject({
      code: "log-unavailable",
    });
    const broken = exportLog(memoryLog(), { sessions: ["none"] });
    await expect(writeLines(missing, broken)).rejects.toMatchObject({ code: "bad-argument" });
    expect(await fingerprint(folder)).toEqual({});
  });
});
