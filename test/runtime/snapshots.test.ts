/** Snapshots make openings short, and never make them different (L7, B42, R1). */
import { describe, expect, it } from "vitest";
import type { SessionLog, Snapshot } from "../../src/log/log.js";
import { memoryLog, type MemoryStorage } from "../../src/log/memoryLog.js";
import { readSession } from "../../src/runtime/readSession.js";
import { decodeFolded } from "../../src/runtime/snapshots.js";
import { openWorld, type World, type WorldOptions } from "../support/world.js";

/** A world in which agents have worked, written, waited and ended; one turn is live. */
async function lived(options: WorldOptions = {}): Promise<World> {
  const world = await openWorld({ snapshotAfterBytes: 1, ...options });
  const { session, hands, ports } = world;
  for (const name of ["a", "b"])
    await session.spawn({ name, behavior: "worker", task: `do ${name}` });
  await ports.settle();
  const a = hands.of("/root/a");
  await a.turn.sample(() => ({ said: "something", usage: { tokens: 3 } }));
  await a.turn.send("/root/b", "to b");
  a.done("a is done");
  await ports.settle();
  // The larger a snapshot is, the more must be appended before the next one.
  for (let n = 0; n < 3; n += 1) await session.send("/root", "for the root".repeat(2000));
  return world;
}

async function snapshotsOf(storage: MemoryStorage): Promise<readonly Snapshot[]> {
  const reader = await memoryLog(storage.copy()).readSession("main");
  const found: Snapshot[] = [];
  for (let below = Infinity; ;) {
    const snapshot = await reader?.loadSnapshot(undefined, below);
    if (snapshot === undefined) return found;
    found.push(snapshot);
    below = snapshot.position - 1;
  }
}

/** All that a session shows of itself. */
async function shownBy(storage: MemoryStorage): Promise<unknown> {
  const session = await readSession({ log: memoryLog(storage.copy()) });
  const shown = await Promise.all(
    session.list().map(async ({ path }) => ({
      unread: await session.unread(path),
      history: await session.history(path).read(),
      result: await session.result(path),
    })),
  );
  const report = {
    agents: session.list(),
    usage: session.usage(),
    capacity: session.capacity,
    shown,
  };
  await session.close();
  return report;
}

/** The same storage without its snapshots, or with others in their place. */
async function withSnapshots(
  storage: MemoryStorage,
  change: (snapshot: Snapshot) => Snapshot | undefined,
): Promise<MemoryStorage> {
  const snapshots = await snapshotsOf(storage);
  const other = storage.copy();
  for (const stream of other.streams.values()) stream.snapshots.clear();
  const log = await memoryLog(other).openSession("main");
  for (const snapshot of snapshots) {
    const changed = change(snapshot);
    if (changed !== undefined) await log.saveSnapshot(changed);
  }
  await log.close();
  return other;
}

/** From which commit on an opening reads. */
async function readFrom(storage: MemoryStorage): Promise<number> {
  const inner = memoryLog(storage.copy());
  let from = 0;
  const watched = async (id: string): Promise<SessionLog> => {
    const log = await inner.openSession(id);
    const read = log.read.bind(log);
    log.read = (range) => {
      from = range?.from ?? 1;
      return read(range);
    };
    return log;
  };
  const log = {
    name: inner.name,
    sessions: () => inner.sessions(),
    readSession: (id: string) => inner.readSession(id),
    restore: (...given: Parameters<typeof inner.restore>) => inner.restore(...given),
    openSession: watched,
    close: () => inner.close(),
  };
  await openWorld({ log });
  return from;
}

describe("a session with snapshots", () => {
  it("L7 saves them as it goes on, keeps two, and opens from the newest", async () => {
    const { storage } = await lived();
    const snapshots = await snapshotsOf(storage);
    expect(snapshots).toHaveLength(2);
    const head = (await memoryLog(storage.copy()).readSession("main"))!.head();
    expect(snapshots[0]?.position).toBeLessThanOrEqual(head.position);
    expect(await readFrom(storage)).toBe((snapshots[0]?.position ?? 0) + 1);
  });

  it("L7 R1 R3 shows what it shows without them", async () => {
    const { storage } = await lived();
    const without = await withSnapshots(storage, () => undefined);
    expect(await readFrom(without)).toBe(1);
    expect(await shownBy(storage)).toEqual(await shownBy(without));
  });

  it.each<[string, (snapshot: Snapshot) => Snapshot]>([
    ["is unreadable", (one) => ({ ...one, state: "{" })],
    ["is of another form", (one) => ({ ...one, version: one.version + 1 })],
    ["is of another history", (one) => ({ ...one, hash: "f".repeat(64) })],
    [
      "was made by an older fold",
      (one) => ({ ...one, state: one.state.replace(/"kernel":\d+/, '"kernel":0') }),
    ],
    [
      "was made by an older projection",
      (one) => ({ ...one, state: one.state.replace(/"unread":\d+/, '"unread":0') }),
    ],
    [
      "lacks a projection",
      (one) => ({ ...one, state: one.state.replace('"usage":{"total"', '"used":{"total"') }),
    ],
  ])("L7 B42 passes over one that %s, and folds the log instead", async (_, change) => {
    const { storage } = await lived();
    const changed = await withSnapshots(storage, change);
    expect(await readFrom(changed)).toBe(1);
    expect(await shownBy(changed)).toEqual(await shownBy(storage));
    const [first, second] = await snapshotsOf(storage);
    const one = await withSnapshots(storage, (snapshot) =>
      snapshot.position === first?.position ? change(snapshot) : snapshot,
    );
    expect(await readFrom(one)).toBe((second?.position ?? 0) + 1);
    expect(await shownBy(one)).toEqual(await shownBy(storage));
  });

  it("W9 L7 forgets what belonged to the run that saved them", async () => {
    const world = await lived();
    await world.session.hold("busy");
    await world.session.send("/root", "kept".repeat(5000));
    const { storage } = world;
    const [newest] = await snapshotsOf(storage);
    expect(decodeFolded(newest!)?.volatile.holds).toMatchObject([{ name: "busy" }]);
    const again = await openWorld({ storage: storage.copy(), snapshotAfterBytes: 1 });
    await again.session.send("/root", "first commit of the run");
    const [next] = await snapshotsOf(again.storage);
    expect(next?.position).toBeGreaterThan(newest?.position ?? 0);
    expect(decodeFolded(next!)?.volatile.holds).toEqual([]);
  });

  it("L7 saves one at the close when there is something to spare, and none where none are wanted", async () => {
    const world = await openWorld({ snapshotAfterBytes: 4000 });
    await world.session.send("/root", "x".repeat(1000));
    expect(await snapshotsOf(world.storage)).toHaveLength(0);
    await world.session.close();
    const [saved] = await snapshotsOf(world.storage);
    expect(await readFrom(world.storage)).toBe((saved?.position ?? 0) + 1);
    const none = await lived({ snapshotAfterBytes: Infinity });
    await none.session.close();
    expect(await snapshotsOf(none.storage)).toHaveLength(0);
  });

  it("L6 L7 saves none of a session whose store has failed", async () => {
    const world = await lived({ snapshotAfterBytes: 4000 });
    world.log.failNext("unavailable");
    await world.session.send("/root", "lost").catch(() => undefined);
    const before = await snapshotsOf(world.storage);
    await world.session.close();
    expect(await snapshotsOf(world.storage)).toEqual(before);
  });

  it("X4 refuses a bound that is none", async () => {
    await expect(openWorld({ snapshotAfterBytes: 0 })).rejects.toMatchObject({
      code: "bad-argument",
    });
  });
});
