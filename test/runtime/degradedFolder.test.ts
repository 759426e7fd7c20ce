/** A folder whose store fails: all its sessions are degraded, nothing else happens, and a reopen recovers (L6, M3). */
import { expect, it } from "vitest";
import { OutcomeUnknown } from "../../src/errors.js";
import { levelLog } from "../../src/log/levelLog.js";
import { verifyLog } from "../../src/log/verify.js";
import { testFolder } from "../support/folders.js";
import { expectNothingUnhandled } from "../support/unhandled.js";
import { watchedLog } from "../support/watchedLog.js";
import { type Hand, openWorld, type World } from "../support/world.js";

expectNothingUnhandled();

/** The newest turn of an agent, once the disk has let it begin. */
async function turnOf(world: World, path: string): Promise<Hand> {
  for (;;) {
    if (world.hands.called.some((called) => called.startsWith(`${path}#`))) {
      return world.hands.of(path);
    }
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

/** What a promise rejects with, looked at when it suits. */
function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "resolved",
    (error: unknown) => error,
  );
}

const degraded = { code: "session-degraded", rule: "L6" };

it.each([
  ["it was not written", "fail", false],
  ["it was written after all", "lie", true],
] as const)(
  "L6 M3 a write fails on the disk, and a reopen tells by the commit's id that %s",
  async (_, mode, written) => {
    const folder = await testFolder();
    const watch = watchedLog(folder);
    const world = await openWorld({ log: watch.log, id: "one" });
    const outcome = world.session.prompt("go");
    const prompted = rejection(outcome);
    const root = (await turnOf(world, "/root")).turn;
    const other = await openWorld({ log: watch.log, id: "two" });
    await root.spawn({ name: "a", behavior: "worker", task: "t" });
    const a = (await turnOf(world, "/root/a")).turn;
    await world.session.send("/root/a", "before");
    await other.session.send("/root", "of the other");
    let sampling: () => void = () => undefined;
    const began = new Promise<void>((resolve) => (sampling = resolve));
    const sample = a.sample(() => new Promise<void>(() => sampling()));
    const sampled = rejection(sample);
    await began;

    watch.mode = mode;
    const error = await world.session.send("/root/a", "perhaps").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutcomeUnknown);
    const { commitId } = error as OutcomeUnknown;
    expect(await sampled).toMatchObject(degraded);
    expect(await prompted).toMatchObject(degraded);
    expect([root.signal.aborted, a.signal.aborted]).toEqual([true, true]);

    // The disk works again, and is not trusted: neither by this session nor by the folder's others.
    watch.mode = "work";
    const writes = watch.writes.length;
    await expect(world.session.send("/root/a", "x")).rejects.toMatchObject(degraded);
    await expect(other.session.send("/root", "x")).rejects.toMatchObject(degraded);
    expect([world.session.isDegraded, other.session.isDegraded]).toEqual([true, true]);
    await expect(openWorld({ log: watch.log, id: "three" })).rejects.toMatchObject({
      code: "log-unavailable",
    });
    expect(watch.writes).toHaveLength(writes);
    expect(world.session.list().map(({ path, phase }) => `${path} ${phase}`)).toEqual([
      "/root running",
      "/root/a running",
    ]);
    expect(await other.session.unread("/root")).toMatchObject([{ text: "of the other" }]);
    expect(await world.session.history("/root/a").read()).toMatchObject([{ text: "t" }, {}]);
    expect(await world.session.verify()).toMatchObject({ ok: true });

    await world.session.close();
    await other.session.close();
    await watch.log.close();

    const log = levelLog(folder);
    const again = await openWorld({ log, id: "one" });
    const reader = await log.readSession("one");
    const ids: string[] = [];
    for await (const { id } of reader!.read()) ids.push(id);
    expect(ids.includes(commitId)).toBe(written);
    expect((await again.session.unread("/root/a")).map(({ text }) => text)).toEqual(
      written ? ["perhaps"] : [],
    );
    expect(again.session.list().map(({ phase }) => phase)).toEqual(["idle", "idle"]);
    await again.session.send("/root/a", "on");
    expect(await verifyLog(log)).toMatchObject({ ok: true, sessions: [{}, {}] });
    await again.session.close();
    await log.close();
  },
  30_000,
);
