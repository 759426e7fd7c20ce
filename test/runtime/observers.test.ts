/** Observers: every commit once, in order, and none of them can disturb anybody (section 14 of the contract). */
import { filter, map } from "rxjs";
import { describe, expect, it } from "vitest";
import { openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

const boom = new Error("an observer's own fault");

/** An observer that is asynchronous, though its type does not say so. */
const rejects = (() => Promise.resolve().then(() => Promise.reject(boom))) as () => unknown;

describe("commits$", () => {
  it("Q1 gives every commit once, in order, and completes when the session is closed", async () => {
    const world = await openWorld();
    const seen: number[] = [];
    let completed = 0;
    world.session.commits$.subscribe({
      next: ({ n }) => seen.push(n),
      complete: () => completed++,
    });
    for (const text of ["a", "b", "c"]) await world.session.send("/root", text);
    await world.session.whenQuiet();
    await world.session.close();
    expect(seen).toEqual(seen.map((_, index) => (seen[0] ?? 0) + index));
    expect(seen.length).toBeGreaterThan(2);
    expect(completed).toBe(1);
  });

  it("Q1 survives an observer that throws, and tells the others all the same", async () => {
    const world = await openWorld();
    const seen: number[] = [];
    world.session.commits$.subscribe(() => {
      throw boom;
    });
    world.session.commits$.subscribe(({ n }) => seen.push(n));
    await world.session.send("/root", "a");
    await world.session.send("/root", "b");
    await world.ports.settle();
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(world.observed).toContain(boom);
    expect(world.session.isDegraded).toBe(false);
  });

  it("Q1 survives one whose promise rejects", async () => {
    const world = await openWorld();
    world.session.commits$.subscribe(rejects);
    await world.session.send("/root", "a");
    await world.ports.settle();
    expect(world.observed).toContain(boom);
  });

  it("Q1 survives one that throws inside an operator of its own, with no handler for it", async () => {
    const world = await openWorld();
    const seen: number[] = [];
    world.session.commits$
      .pipe(
        map(() => {
          throw boom;
        }),
        filter(() => true),
      )
      .subscribe();
    world.session.commits$.pipe(map(({ n }) => n)).subscribe((n) => seen.push(n));
    await world.session.send("/root", "a");
    await world.session.send("/root", "b");
    await world.ports.settle();
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(world.observed).toEqual([boom]);
  });

  it("Q1 hands an observer's error to its own handler, if it has one", async () => {
    const world = await openWorld();
    const caught: unknown[] = [];
    world.session.commits$
      .pipe(
        map(() => {
          throw boom;
        }),
      )
      .subscribe({ error: (error) => caught.push(error) });
    await world.session.send("/root", "a");
    await world.ports.settle();
    expect(caught).toEqual([boom]);
    expect(world.observed).toEqual([]);
  });

  it("Q1 survives one that throws when told of the end", async () => {
    const world = await openWorld();
    let told = false;
    world.session.commits$.subscribe({
      complete: () => {
        throw boom;
      },
    });
    world.session.commits$.subscribe({ complete: () => (told = true) });
    await world.session.close();
    expect(told).toBe(true);
    expect(world.observed).toEqual([boom]);
  });

  it("Q1 appends what an observer sends after the commit it is being told of", async () => {
    const world = await openWorld();
    const order: string[] = [];
    let sent: Promise<unknown> | undefined;
    world.session.commits$.subscribe(({ n }) => {
      order.push(`first ${n}`);
      sent ??= world.session.send("/root", "from inside");
    });
    world.session.commits$.subscribe(({ n }) => order.push(`second ${n}`));
    await world.session.send("/root", "a");
    await sent;
    await world.ports.settle();
    const numbers = [...new Set(order.map((line) => Number(line.split(" ")[1])))];
    expect(order).toEqual(numbers.flatMap((n) => [`first ${n}`, `second ${n}`]));
    expect(numbers.length).toBeGreaterThanOrEqual(2);
    const texts = (await world.eventsOf("mail.queued")).map(({ text }) => text);
    expect(texts).toEqual(["a", "from inside"]);
  });

  it("Q1 lets an observer unsubscribe itself and others in the middle", async () => {
    const world = await openWorld();
    const seen: string[] = [];
    const first = world.session.commits$.subscribe(() => {
      seen.push("first");
      first.unsubscribe();
      second.unsubscribe();
    });
    const second = world.session.commits$.subscribe(() => seen.push("second"));
    world.session.commits$.subscribe(() => seen.push("third"));
    await world.session.send("/root", "a");
    await world.session.send("/root", "b");
    await world.ports.settle();
    expect(seen.filter((who) => who === "first")).toHaveLength(1);
    expect(seen.filter((who) => who === "third").length).toBeGreaterThanOrEqual(2);
  });

  it("Q1 L8 lets an observer interrupt and close, from inside its callback", async () => {
    const world = await withRoot();
    let closing: Promise<void> | undefined;
    world.session.commits$.subscribe(() => {
      if (closing !== undefined) return;
      void world.session.interrupt("/root", "enough");
      closing = world.session.close();
    });
    await world.session.send("/root", "a");
    await closing;
    await expect(world.outcome).resolves.toMatchObject({ kind: "interrupted", reason: "enough" });
    expect(world.ports.pending).toBe(0);
  });

  it("Q1 an observer that sends and does not await it does no harm when the session closes", async () => {
    const world = await openWorld();
    world.session.commits$.subscribe(() => void world.session.send("/root", "again"));
    await world.session.send("/root", "a");
    await world.session.close();
    await world.ports.settle();
    expect(world.session.list()).toHaveLength(1);
  });
});

describe("a listener of a projection", () => {
  it("Q1 that throws disturbs nobody", async () => {
    const world = await openWorld();
    const seen: number[] = [];
    world.session.projections.unread.subscribe(() => {
      throw boom;
    });
    world.session.projections.roster.subscribe((roster) => seen.push(roster.size));
    await world.session.send("/root", "a");
    expect(seen.length).toBeGreaterThan(0);
    expect(world.observed).toContain(boom);
  });

  it("Q1 that rejects disturbs nobody", async () => {
    const world = await openWorld();
    world.session.projections.roster.subscribe(rejects);
    await world.session.send("/root", "a");
    await world.ports.settle();
    expect(world.observed).toContain(boom);
  });

  it("V4 Q1 that waits again while the end of a wait is being shown gets a wait of its own", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    await world.ports.settle();
    const first = world.root.wait();
    let second: ReturnType<typeof world.root.wait> | undefined;
    world.session.projections.unread.subscribe(() => {
      // The mail that ends the first wait is being shown: the root's actor has not been told yet.
      second ??= world.root.wait();
    });
    await world.hands.of("/root/a").turn.send("/root", "news");
    const unread = [{ mail: "MAIL", from: "/root/a", count: 1 }];
    await expect(first).resolves.toEqual({ why: "mail", unread });
    await expect(second).resolves.toEqual({ why: "mail", unread });
    expect(world.ports.pending).toBe(0);
  });
});

describe("whenQuiet", () => {
  it("Q2 lists what runs and waits, and does not wait for it", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    void world.root.wait();
    expect(await world.session.whenQuiet()).toEqual({ running: ["/root/a"], waiting: ["/root"] });
  });

  it("Q2 writes what waits to be written first", async () => {
    const world = await withRoot();
    void world.root.sample(() => new Promise(() => undefined));
    void world.root.partial("so far");
    await world.session.whenQuiet();
    expect(await world.eventsOf("partial.recorded")).toMatchObject([{ text: "so far" }]);
    expect(world.session.projections.roster.confirmed()).toBe(
      world.session.projections.roster.get(),
    );
  });

  it("Q2 waits for an append that is under way", async () => {
    const world = await openWorld();
    const held = world.log.holdNext();
    const sent = world.session.send("/root", "a");
    let quiet = false;
    void world.session.whenQuiet().then(() => (quiet = true));
    await world.ports.settle();
    expect(quiet).toBe(false);
    held.release();
    await sent;
    await world.ports.settle();
    expect(quiet).toBe(true);
  });

  it("Q2 waits for a preparation and for a settlement", async () => {
    let prepared: () => void = () => undefined;
    const world = await openWorld({
      prepare: ({ start }) =>
        start === "prompt" ? undefined : new Promise<void>((done) => (prepared = done)),
    });
    void world.session.prompt("go");
    await world.ports.settle();
    const spawned = world.session.spawn({ name: "a", behavior: "worker", task: "t" });
    let quiet = 0;
    void world.session.whenQuiet().then(() => quiet++);
    await world.ports.settle();
    expect(quiet).toBe(0);
    prepared();
    await spawned;
    await world.ports.settle();
    expect(quiet).toBe(1);

    let stop: () => void = () => undefined;
    const run = (): Promise<void> => new Promise((done) => (stop = done));
    await world.hands.of("/root/a").turn.yieldExecution({ command: "slow", run });
    world.hands.of("/root/a").done("ready");
    await world.ports.settle();
    void world.session.whenQuiet().then(() => quiet++);
    await world.ports.settle();
    expect(quiet).toBe(1);
    stop();
    await world.ports.settle();
    expect(quiet).toBe(2);
    expect(world.ports.pending).toBe(0);
  });

  it("Q2 resolves for everyone who asks, at once when nothing goes on, and in a closed session too", async () => {
    const world = await openWorld();
    const nothing = { running: [], waiting: [] };
    expect(await Promise.all([world.session.whenQuiet(), world.session.whenQuiet()])).toEqual([
      nothing,
      nothing,
    ]);
    await world.session.close();
    expect(await world.session.whenQuiet()).toEqual(nothing);
  });
});
