/** The actors of a real session: they go through the folded phases, are let go at rest, and stop with their session. */
import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import type { Inspection } from "../../src/actors/agentActors.js";
import { PHASES, type Phase, nextPhase } from "../../src/kernel/phases.js";
import { phaseOfValue } from "../../src/actors/agentMachine.js";
import type { Turn } from "../../src/runtime/api.js";
import { type World, openWorld, withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

const moving = new Set<string>(Object.values(PHASES).flatMap((row) => Object.keys(row)));

/** Per agent, every event of the table that its actor took, and the phase it was in afterwards. */
class Trace {
  readonly steps = new Map<string, [string, Phase][]>();

  readonly inspect = (seen: Inspection): void => {
    const { type, actorRef, event, snapshot } = seen;
    const { id } = actorRef as { id: string };
    if (type !== "@xstate.snapshot" || !id.startsWith("/root")) return;
    const name = (event as { type: string }).type;
    if (!moving.has(name)) return;
    const steps = this.steps.get(id) ?? [];
    steps.push([name, phaseOfValue((snapshot as { value: unknown }).value)]);
    this.steps.set(id, steps);
  };
}

/** The same from the log alone. */
async function foldedSteps(world: World): Promise<Map<string, [string, Phase][]>> {
  const phases = new Map<string, Phase>();
  const steps = new Map<string, [string, Phase][]>();
  for (const event of await world.events()) {
    if (!("path" in event) || !moving.has(event.type)) continue;
    const before = phases.get(event.path) ?? "idle";
    const after = nextPhase(before, event.type);
    if (after === undefined) throw new Error(`${event.type} at ${event.path}, which is ${before}`);
    phases.set(event.path, after);
    const taken = steps.get(event.path) ?? [];
    taken.push([event.type, after]);
    steps.set(event.path, taken);
  }
  return steps;
}

/** What a random program may do next; numbers choose among what is there. */
type Step = readonly [what: number, who: number, whom: number];

async function play(world: World, [what, who, whom]: Step): Promise<void> {
  const { session, hands, ports } = world;
  const agents = session.list();
  const target = agents[whom % agents.length]?.path ?? "/root";
  const live = agents.filter(({ phase }) => phase === "running" || phase === "waiting");
  const path = live[who % Math.max(live.length, 1)]?.path;
  const quietly = (call: Promise<unknown>): void => void call.catch(() => undefined);
  if (path === undefined || what === 0) {
    quietly(whom % 2 === 0 ? session.prompt("p") : session.start(target, "t"));
    return ports.settle();
  }
  // An agent whose turn has begun a moment ago may not have been called yet.
  if (!hands.called.some((key) => key.startsWith(`${path}#`))) await ports.settle();
  const hand = hands.of(path);
  const { turn }: { turn: Turn } = hand;
  const moves: (() => unknown)[] = [
    () => quietly(turn.spawn({ name: "abcd"[whom % 4] ?? "a", behavior: "worker", task: "t" })),
    () => quietly(turn.send(target, "m")),
    () => quietly(turn.wait()),
    () => quietly(turn.sample(() => (whom % 2 === 0 ? "said" : new Promise(() => undefined)))),
    () => hand.done("done"),
    () => hand.fail(new Error("broke")),
    () => quietly(session.interrupt(target)),
    () => quietly(turn.interrupt(target)),
    () => quietly(turn.yieldExecution({ command: "x", run: commandOf(whom) })),
    () => ports.advance(15_000),
    () => quietly(turn.partial("some")),
    () => quietly(session.send(target, "m")),
  ];
  await moves[what % moves.length]?.();
  // Sometimes the next step comes before this one has come to rest.
  if (who % 3 > 0) await ports.settle();
}

/** A command that ends at once, when asked to, or not at all. */
function commandOf(how: number): (io: { readonly signal: AbortSignal }) => Promise<string | void> {
  if (how % 3 === 0) return async () => "done";
  if (how % 3 === 1) return () => new Promise(() => undefined);
  return ({ signal }) =>
    new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}

describe("the actors of a session", () => {
  const steps = fc.array(fc.tuple(fc.nat(12), fc.nat(8), fc.nat(8)), {
    minLength: 20,
    maxLength: 80,
    size: "max",
  });

  test.prop([steps, fc.boolean()], { numRuns: 60 })(
    "T1 go through the folded phases, event by event, in every program",
    async (program, prepares) => {
      const trace = new Trace();
      const world = await openWorld({
        capacity: 2,
        inspect: trace.inspect,
        ...(prepares ? { prepare: async ({ path }) => void (path.length % 2) } : {}),
      });
      void world.session.prompt("go").catch(() => undefined);
      await world.ports.settle();
      for (const step of program) await play(world, step);
      // Settlements that stubborn commands hold up come one after the other, each with its tries and pauses.
      let quiet = false;
      void world.session.whenQuiet().then(() => (quiet = true));
      for (let minute = 0; minute < 60 && !quiet; minute++) await world.ports.advance(60_000);
      expect(quiet).toBe(true);
      // What the last minute brought is not yet on the log: marks and waits are written with the next commit (L1).
      await world.session.whenQuiet();
      for (const { path, phase } of world.session.list()) {
        expect([path, world.session.actor(path).phase]).toEqual([path, phase]);
      }
      expect(trace.steps).toEqual(await foldedSteps(world));
      const closing = world.session.close();
      await world.ports.advance(120_000);
      await closing;
      expect(world.ports.pending).toBe(0);
      expect(world.observed).toEqual([]);
    },
    60_000,
  );

  it("are passed through to an inspector", async () => {
    const seen: Inspection[] = [];
    const world = await openWorld({ inspect: (inspection) => seen.push(inspection) });
    void world.session.prompt("go");
    await world.ports.settle();
    expect(seen.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["@xstate.actor", "@xstate.event", "@xstate.snapshot"]),
    );
    expect(seen.map(({ event }) => (event as { type?: string } | undefined)?.type)).toContain(
      "turn.started",
    );
  });

  it("Q1 are not disturbed by an inspector that throws", async () => {
    const boom = new Error("an inspector's own fault");
    const world = await withRoot({
      inspect: () => {
        throw boom;
      },
    });
    await world.root.sample(() => "fine");
    world.hands.of("/root").done("fine");
    await expect(world.outcome).resolves.toMatchObject({ text: "fine" });
    expect(new Set(world.observed)).toEqual(new Set([boom]));
  });
});

describe("an agent's actor", () => {
  it("is reached by its path: its phase, and each new one", async () => {
    const world = await openWorld();
    const actor = world.session.actor("/root");
    const phases: Phase[] = [];
    const stop = actor.subscribe((phase) => phases.push(phase));
    expect([actor.path, actor.phase, actor.preparing]).toEqual(["/root", "idle", false]);
    const outcome = world.session.prompt("go");
    await world.ports.settle();
    const { turn } = world.hands.of("/root");
    await turn.sample(async () => turn.partial("x"));
    void turn.wait();
    await world.ports.advance(30_000);
    world.hands.of("/root").done("done");
    await outcome;
    expect(phases).toEqual(["running", "waiting", "running", "settling", "idle"]);
    stop();
    stop();
    void world.session.prompt("again");
    await world.ports.settle();
    expect(actor.phase).toBe("running");
    expect(phases).toHaveLength(5);
  });

  it("A2 that does not exist is refused", async () => {
    const world = await openWorld();
    expect(() => world.session.actor("/root/nobody")).toThrow("There is no agent");
    expect(() => world.session.actor("..")).toThrow("no agent path");
  });

  it("Q1 whose listener throws or rejects goes on, and so do the other listeners", async () => {
    const boom = new Error("a listener's own fault");
    const world = await openWorld();
    const actor = world.session.actor("/root");
    const phases: Phase[] = [];
    actor.subscribe(() => {
      throw boom;
    });
    const rejects: () => unknown = () => Promise.reject(boom);
    actor.subscribe(rejects);
    actor.subscribe((phase) => phases.push(phase));
    void world.session.prompt("go");
    await world.ports.settle();
    expect(phases).toEqual(["running"]);
    expect(world.observed).toEqual([boom, boom]);
  });

  it("L6 stops with a degraded session, and is not moved", async () => {
    const world = await withRoot();
    const actor = world.session.actor("/root");
    const phases: Phase[] = [];
    actor.subscribe((phase) => phases.push(phase));
    world.log.failNext("unavailable");
    await expect(world.session.send("/root", "lost")).rejects.toBeInstanceOf(Error);
    await world.ports.settle();
    expect(actor.phase).toBe("running");
    expect(phases).toEqual([]);
    expect(world.session.actor("/root").phase).toBe("running");
    expect(world.session.list()[0]?.phase).toBe("running");
  });

  it("L8 stops with a closed session, in the phase that the log says", async () => {
    const world = await withRoot();
    await world.root.spawn({ name: "a", behavior: "worker", task: "t" });
    const actor = world.session.actor("/root");
    await world.session.close();
    expect(actor.phase).toBe("idle");
    // One that is reached only now stands still, where its agent is.
    expect(world.session.actor("/root/a").phase).toBe("idle");
  });

  it("is let go when its agent is at rest, unless somebody holds it", async () => {
    const alive = new Set<unknown>();
    const inspect = ({ type, actorRef, event, snapshot }: Inspection): void => {
      const { id } = actorRef as { id: string };
      if (!id.startsWith("/root/")) return;
      if (type === "@xstate.actor") alive.add(id);
      const stopped = (snapshot as { status?: string } | undefined)?.status === "stopped";
      if (stopped || (event as { type?: string } | undefined)?.type === "xstate.stop")
        alive.delete(id);
    };
    const world = await withRoot({ inspect, capacity: 100 });
    for (let n = 0; n < 20; n++) {
      await world.root.spawn({ name: `a${n}`, behavior: "worker", task: "t" });
    }
    await world.ports.settle();
    expect(alive.size).toBe(20);
    world.session.actor("/root/a7");
    for (let n = 0; n < 20; n++) world.hands.of(`/root/a${n}`).done("ready");
    await world.ports.settle();
    expect([...alive]).toEqual(["/root/a7"]);
    await world.session.start("/root/a3", "again");
    expect(alive).toEqual(new Set(["/root/a7", "/root/a3"]));
  });
});
