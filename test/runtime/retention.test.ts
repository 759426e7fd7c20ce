/** Retention: a log is cut below a position, and what is needed of it stays (S6, L3, L5). */
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anchorKey, commitKey, snapshotKey } from "../../src/log/keys.js";
import { levelLog, readLevelLog, salvageLog } from "../../src/log/levelLog.js";
import type { EventLog } from "../../src/log/log.js";
import { memoryLog, type MemoryStorage } from "../../src/log/memoryLog.js";
import { exportLog, importLog } from "../../src/log/transfer.js";
import { verifyLog } from "../../src/log/verify.js";
import { cutLog } from "../../src/runtime/cutLog.js";
import { readSession } from "../../src/runtime/readSession.js";
import { editBytes, fileOf, intoTable, rewrite } from "../support/damage.js";
import { fingerprint, testFolder } from "../support/folders.js";
import { watchedLog } from "../support/watchedLog.js";
import { openWorld, type World, type WorldOptions, withRoot } from "../support/world.js";

/** Agents have worked and ended, and much is unread; then two more messages came. */
async function lived(options: WorldOptions = {}): Promise<World> {
  const world = await withRoot(options);
  const { session, root, hands, ports } = world;
  for (const name of ["a", "b", "gone"])
    await session.spawn({ name, behavior: "worker", task: `do ${name}` });
  await ports.settle();
  const a = hands.of("/root/a");
  await a.turn.sample(() => "what a said");
  await a.turn.send("/root/b", "to b");
  await session.send("/root/gone", "never read");
  a.done("what a said");
  hands.of("/root/b").fail(new Error("b broke"));
  await ports.settle();
  await session.end("/root/gone");
  await root.record({ note: "an entry" });
  await session.send("/root", "for the root", { key: "first" });
  await session.send("/root/a", "for a");
  await ports.settle();
  for (const text of ["one more", "and one"]) await session.send("/root", text);
  return world;
}

async function closed(world: World): Promise<MemoryStorage> {
  const storage = world.storage.copy();
  await world.session.close();
  return storage;
}

async function lengthOf(log: EventLog): Promise<number> {
  return (await log.readSession("main"))!.head().position;
}

/** All that a session shows of itself; of transcripts only whether they are whole. */
async function shownBy(log: EventLog): Promise<unknown> {
  const session = await readSession({ log });
  const agents = session.list();
  const shown = await Promise.all(
    agents.map(async ({ path }) => ({
      path,
      unread: await session.unread(path),
      result: await session.result(path),
    })),
  );
  const expired = await session.expired("/root/gone");
  await session.close();
  return { agents, shown, expired, usage: session.usage(), jobs: session.projections.jobs.get() };
}

async function inFolder(storage: MemoryStorage): Promise<string> {
  const folder = await testFolder();
  const lines: string[] = [];
  for await (const line of exportLog(memoryLog(storage))) lines.push(line);
  const log = levelLog(folder);
  await importLog(log, () => lines);
  await log.close();
  return folder;
}

describe("a log that was cut", () => {
  it("S6 R1 R4 shows the same agents, unread mail, expired mail and results as before, wherever it is cut", async () => {
    const storage = await closed(await lived());
    const before = await shownBy(memoryLog(storage.copy()));
    const last = await lengthOf(memoryLog(storage.copy()));
    for (let at = 2; at <= last; at++) {
      const log = memoryLog(storage.copy());
      const report = await cutLog(log, { before: at });
      expect(report).toMatchObject({ session: "main", anchor: at - 1 });
      expect(report.cut + report.kept).toBe(at - 1);
      expect(await shownBy(log)).toEqual(before);
    }
  });

  it("S6 R2 keeps what live turns had said, for the recovery that tells of it", async () => {
    const world = await withRoot();
    await world.session.spawn({ name: "a", behavior: "worker", task: "do a" });
    await world.ports.settle();
    const { turn } = world.hands.of("/root/a");
    await turn.sample(() => "as far as it came");
    for (const text of ["x", "y", "z"]) await world.session.send("/root", text);
    const storage = world.storage.copy();
    const log = memoryLog(storage);
    await cutLog(log, { before: await lengthOf(log) });
    const again = await openWorld({ storage });
    const result = await again.session.result("/root/a");
    expect(result?.kind).toBe("interrupted");
    expect(result?.text).toContain("as far as it came");
    await again.session.close();
  });

  it("S6 says in its transcripts how much was cut, and in each entry whose text is gone", async () => {
    const storage = await closed(await lived());
    const whole = await readSession({ log: memoryLog(storage.copy()) });
    const before = await whole.history("/root/a").read();
    const log = memoryLog(storage.copy());
    const reading = await readSession({ log });
    await cutLog(log, { before: await lengthOf(log) });
    const cut = await readSession({ log });
    const last = before.at(-1);
    expect(await cut.history("/root/a").read()).toEqual([
      { kind: "cut", at: last?.at, turn: last?.turn, text: "", cut: before.length },
    ]);
    // A session that was open for reading meanwhile knows the entries, and not their texts.
    const known = await reading.history("/root/a").read();
    expect(known.map(({ kind }) => kind)).toEqual(before.map(({ kind }) => kind));
    expect(known[0]).toEqual({ ...before[0], text: "", cut: 1 });
    // The response is the newest result's, which stays.
    expect(known.at(-1)).toEqual(last);
  });

  it("S6 L7 lists no entry twice when it is opened from a snapshot of before the cut", async () => {
    const storage = await closed(await lived({ snapshotAfterBytes: 1 }));
    const log = memoryLog(storage.copy());
    const last = await lengthOf(log);
    await cutLog(log, { before: Math.floor(last / 2) });
    const first = await (await readSession({ log })).history("/root").read();
    await cutLog(log, { before: last });
    const then = await (await readSession({ log })).history("/root").read();
    expect(first.filter(({ kind }) => kind === "cut")).toHaveLength(1);
    expect(then.filter(({ kind }) => kind === "cut")).toHaveLength(1);
    const sum = (items: typeof then): number =>
      items.reduce((count, item) => count + (item.kind === "cut" ? (item.cut ?? 0) : 1), 0);
    expect(sum(then)).toBe(sum(first));
  });

  it("S6 M3 answers a repeated request while its text is kept, and refuses it by type when it is gone", async () => {
    const storage = await closed(await lived());
    const log = memoryLog(storage);
    await cutLog(log, { before: await lengthOf(log) });
    const world = await openWorld({ storage });
    const position = await lengthOf(log);
    expect(await world.session.send("/root", "for the root", { key: "first" })).toEqual({});
    expect(await lengthOf(log)).toBe(position);
    const root = world.session.prompt("read it");
    await world.ports.settle();
    await world.hands.of("/root").turn.sample(() => "read");
    world.hands.of("/root").done("done");
    await root;
    await world.session.close();
    await cutLog(log, { before: await lengthOf(log) });
    const again = await openWorld({ storage });
    await expect(
      again.session.send("/root", "for the root", { key: "first" }),
    ).rejects.toMatchObject({ code: "log-cut", rule: "S6" });
    expect(await again.session.unread("/root")).toEqual([]);
    await again.session.close();
  });

  it("S6 W8 M3 a repeated prompt whose turn was cut away is refused, and one whose turn was not is answered", async () => {
    const world = await withRoot();
    const ended = world.session.prompt("later", { key: "p" });
    await world.ports.settle();
    const input = await lengthOf(memoryLog(world.storage.copy()));
    await world.session.setCapacity(5);
    await world.root.sample(() => "read");
    world.hands.of("/root").done("done");
    const { text } = await ended;
    for (const capacity of [6, 7]) await world.session.setCapacity(capacity);
    await world.session.close();
    for (const [before, outcome] of [
      [input + 1, text],
      [await lengthOf(memoryLog(world.storage.copy())), "log-cut"],
    ] as const) {
      const storage = world.storage.copy();
      await cutLog(memoryLog(storage), { before });
      const again = await openWorld({ storage });
      const asked = again.session.prompt("later", { key: "p" }).then(
        (answer) => answer.text,
        (error: { code: string }) => error.code,
      );
      await again.ports.settle();
      expect(await asked).toBe(outcome);
      await again.session.close();
    }
  });
});

describe("cutting a log", () => {
  it("S6 cuts nothing twice, and tells what an earlier cut has done", async () => {
    const storage = await closed(await lived());
    const log = memoryLog(storage);
    const { kept } = await cutLog(log, { before: 9 });
    expect(await cutLog(log, { before: 9 })).toEqual({ session: "main", anchor: 8, cut: 0, kept });
    expect(await cutLog(log, { before: 4 })).toEqual({ session: "main", anchor: 8, cut: 0, kept });
  });

  it("S6 refuses a position that is none, a session that is none, and a folder that is none", async () => {
    const storage = await closed(await lived());
    const log = memoryLog(storage);
    const last = await lengthOf(log);
    for (const before of [1, 0, -3, 2.5, Number.NaN, last + 1, Infinity]) {
      await expect(cutLog(log, { before })).rejects.toMatchObject({ code: "bad-argument" });
    }
    await expect(cutLog(log, { session: "none", before: 2 })).rejects.toMatchObject({
      code: "bad-argument",
    });
    const folder = join(await testFolder(), "none");
    await expect(cutLog(folder, { before: 2 })).rejects.toMatchObject({ code: "bad-argument" });
    expect(await fingerprint(await testFolder())).toEqual({});
  });

  it("L5 is refused while anybody has the session open, and disturbs nobody", async () => {
    const world = await lived();
    const memory = memoryLog(world.storage);
    await expect(cutLog(memory, { before: 2 })).rejects.toMatchObject({ code: "log-in-use" });
    await world.session.send("/root", "still here");
    await world.session.close();
  });

  it("L3 refuses where there is damage in what would go, and leaves it there", async () => {
    const folder = await inFolder(await closed(await lived()));
    await rewrite(folder, commitKey("main", 3), (text) => text.replace("do ", "DO "));
    await expect(cutLog(folder, { before: 9 })).rejects.toMatchObject({
      code: "log-corrupt",
      from: 3,
    });
    const [report] = (await verifyLog(readLevelLog(folder))).sessions;
    expect(report?.cut).toBeUndefined();
  });

  it("S6 L3 leaves the log whole or cut, wherever it is killed or its disk fails", async () => {
    const storage = await closed(await lived());
    const before = await shownBy(memoryLog(storage.copy()));
    const folder = await inFolder(storage);
    const images: string[] = [];
    const watch = watchedLog(folder);
    await watch.log.sessions();
    const image = async (): Promise<void> => {
      const copy = join(await testFolder(), "image");
      await cp(folder, copy, { recursive: true });
      await rm(join(copy, "dovecote.owner"));
      images.push(copy);
    };
    watch.beforeWrite = image;
    await cutLog(watch.log, { before: 12 });
    await image();
    await watch.log.close();
    expect(images.length).toBeGreaterThanOrEqual(4);
    const anchors: number[] = [];
    for (const copy of images) {
      const reading = readLevelLog(copy);
      expect(await verifyLog(reading)).toMatchObject({ ok: true });
      expect(await shownBy(reading)).toEqual(before);
      await reading.close();
      const log = levelLog(copy);
      const session = await log.openSession("main");
      anchors.push(session.anchor()?.position ?? 0);
      await session.close();
      expect(await shownBy(log)).toEqual(before);
      expect(await verifyLog(log)).toMatchObject({ ok: true });
      expect((await cutLog(log, { before: 14 })).anchor).toBe(13);
      expect(await shownBy(log)).toEqual(before);
      await log.close();
    }
    expect(anchors[0]).toBe(0);
    expect(anchors.slice(1)).toEqual(anchors.slice(1).map(() => 11));
  });

  it.each(["fail", "lie"] as const)(
    "L6 a write that does not come through (%s) refuses, and the next opening finds the log whole or cut",
    async (mode) => {
      const storage = await closed(await lived());
      const before = await shownBy(memoryLog(storage.copy()));
      for (let nth = 1; nth <= 3; nth++) {
        const folder = await inFolder(storage);
        const watch = watchedLog(folder);
        await watch.log.sessions();
        let left = nth;
        watch.beforeWrite = async () => {
          left -= 1;
          if (left === 0) watch.mode = mode;
        };
        await expect(cutLog(watch.log, { before: 12 })).rejects.toMatchObject({
          code: "log-unavailable",
        });
        await watch.log.close();
        const log = levelLog(folder);
        const session = await log.openSession("main");
        expect(session.anchor()?.position ?? 0).toBe(nth === 1 && mode === "fail" ? 0 : 11);
        await session.close();
        expect(await shownBy(log)).toEqual(before);
        expect(await verifyLog(log)).toMatchObject({ ok: true });
        await log.close();
      }
    },
  );
});

describe("damage where a log was cut", () => {
  async function cutFolder(): Promise<{ readonly folder: string; readonly kept: number }> {
    const folder = await inFolder(await closed(await lived()));
    await cutLog(folder, { before: 12 });
    const reading = readLevelLog(folder);
    const kept: number[] = [];
    for await (const { position } of (await reading.readSession("main"))!.anchor()!.kept()) {
      kept.push(position);
    }
    await reading.close();
    return { folder, kept: kept[0] ?? 0 };
  }

  const flip = (text: string): string => text.replace(/.(?=.{9}$)/u, "~");

  it("L3 of the anchor refuses the session, and salvage says that nothing can be kept", async () => {
    const { folder } = await cutFolder();
    await rewrite(folder, anchorKey("main"), flip);
    const log = levelLog(folder);
    await expect(log.openSession("main")).rejects.toMatchObject({
      code: "log-corrupt",
      kind: "anchor",
    });
    await log.close();
    const to = join(await testFolder(), "salvaged");
    const { sessions } = await salvageLog(folder, to);
    expect(sessions[0]).toMatchObject({ session: "main", head: { position: 0 } });
    expect(sessions[0]?.leftOut[0]).toMatchObject({ from: 0, to: 0, reason: "damaged" });
  });

  it("L3 of an anchor that is gone is a hole", async () => {
    const { folder } = await cutFolder();
    await rewrite(folder, anchorKey("main"), () => undefined);
    const [report] = (await verifyLog(readLevelLog(folder))).sessions;
    expect(report).toMatchObject({ ok: false, error: { code: "log-corrupt", kind: "hole" } });
  });

  it("L3 of the fold at the anchor refuses who needs it, is seen by verifying, and ends salvage", async () => {
    const { folder } = await cutFolder();
    await rewrite(folder, snapshotKey("main", 11), flip);
    const [report] = (await verifyLog(readLevelLog(folder))).sessions;
    expect(report).toMatchObject({ ok: false, error: { code: "log-corrupt", kind: "anchor" } });
    await expect(readSession({ log: folder })).rejects.toMatchObject({ kind: "anchor" });
    const { sessions } = await salvageLog(folder, join(await testFolder(), "salvaged"));
    expect(sessions[0]).toMatchObject({ head: { position: 0 } });
    expect(sessions[0]?.leftOut[0]).toMatchObject({ from: 0, to: 0, reason: "damaged" });
  });

  it.each([
    ["damaged", flip],
    ["gone", () => undefined],
  ] as const)(
    "L3 of a commit that was kept and is %s is seen, and salvage keeps the rest",
    async (_, edit) => {
      const { folder, kept } = await cutFolder();
      await rewrite(folder, commitKey("main", kept), edit);
      const [report] = (await verifyLog(readLevelLog(folder))).sessions;
      expect(report).toMatchObject({ ok: false, error: { code: "log-corrupt", from: kept } });
      const to = join(await testFolder(), "salvaged");
      const { sessions } = await salvageLog(folder, to);
      expect(sessions[0]?.head).toEqual(report?.head);
      expect(sessions[0]?.leftOut).toMatchObject([{ from: kept, to: kept, reason: "damaged" }]);
      expect(await verifyLog(readLevelLog(to))).toMatchObject({
        ok: true,
        sessions: [{ cut: 11 }],
      });
    },
  );

  it("L3 no byte of the table that holds a cut log can be flipped without being seen", async () => {
    const { folder } = await cutFolder();
    await intoTable(folder);
    const file = await fileOf(folder, ".ldb");
    let size = 0;
    await editBytes(file, (bytes) => void (size = bytes.length));
    for (let at = 7; at < size; at += Math.ceil(size / 12)) {
      await editBytes(file, (bytes) => bytes.writeUInt8((bytes[at] ?? 0) ^ 4, at));
      const found = await verifyLog(readLevelLog(folder)).then(
        ({ ok }) => ok,
        () => false,
      );
      await editBytes(file, (bytes) => bytes.writeUInt8((bytes[at] ?? 0) ^ 4, at));
      expect(found, `byte ${at} of ${size}`).toBe(false);
    }
    expect(await verifyLog(readLevelLog(folder))).toMatchObject({ ok: true });
  });
});
