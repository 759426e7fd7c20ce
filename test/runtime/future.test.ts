/** A log that a newer version wrote is refused by type, before anything is written to it (L4). */
import { expect, it } from "vitest";
import { seal } from "../../src/events/sealed.js";
import { memoryLog, type MemoryStorage } from "../../src/log/memoryLog.js";
import { sha256 } from "../../src/log/sha256.js";
import { exportLog, importLog } from "../../src/log/transfer.js";
import { verifyLog } from "../../src/log/verify.js";
import { readSession } from "../../src/runtime/readSession.js";
import { openWorld } from "../support/world.js";

/** A session's log whose last commit was written by a later version. */
async function future(
  change: (commit: { v: number; e: object[] }) => object,
): Promise<MemoryStorage> {
  const world = await openWorld();
  await world.session.send("/root", "hello");
  await world.session.close();
  const storage = world.storage.copy();
  const stream = storage.streams.get("main")!;
  const last = stream.records.pop() ?? "";
  const head = stream.heads.pop()!;
  const { h: _, ...fields } = JSON.parse(last) as { h: string; v: number; e: object[] };
  const { text, hash } = seal({ ...fields, ...change(fields) }, sha256);
  stream.records.push(text);
  stream.heads.push({ ...head, hash });
  stream.snapshots.clear();
  return storage;
}

it.each<[string, (commit: { v: number; e: object[] }) => object]>([
  ["an event of a type that is not known", ({ e }) => ({ e: [...e, { type: "agent.dreamt" }] })],
  ["a commit of a later version", ({ v }) => ({ v: v + 1 })],
])("L4 %s is refused by every way in, and nothing is written", async (_, change) => {
  const storage = await future(change);
  const before = [...storage.streams.get("main")!.records];
  const refused = { code: "log-format", rule: "L4" };
  const log = memoryLog(storage);
  await expect(openWorld({ log })).rejects.toMatchObject(refused);
  await expect(readSession({ log })).rejects.toMatchObject(refused);
  expect(await verifyLog(log)).toMatchObject({ ok: false, sessions: [{ error: refused }] });
  const lines: string[] = [];
  const exporting = async (): Promise<void> => {
    for await (const line of exportLog(log)) lines.push(line);
  };
  await exporting().catch((error: unknown) => expect(error).toMatchObject(refused));
  await expect(importLog(memoryLog(), () => lines)).rejects.toMatchObject({
    code: "import-broken",
  });
  expect(storage.streams.get("main")!.records).toEqual(before);
  // The refusal gives the lease back.
  await (await memoryLog(storage).openSession("main")).close();
});
