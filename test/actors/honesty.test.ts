/**
 * Honesty: a real session on a machine that lacks a state hangs exactly where that state does its work. So the work is
 * done by the machine and by nothing else.
 */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { PhaseTable } from "../../src/kernel/phases.js";
import { PHASES } from "../../src/kernel/phases.js";
import { withRoot } from "../support/world.js";
import { expectNothingUnhandled } from "../support/unhandled.js";

expectNothingUnhandled();

const broken = vi.hoisted(() => ({ table: null as PhaseTable | null }));

vi.mock(import("../../src/actors/agentMachine.js"), async (original) => {
  const real = await original();
  return {
    ...real,
    agentMachine: (table?: PhaseTable) => real.agentMachine(broken.table ?? table),
  };
});

beforeEach(() => {
  broken.table = null;
});

/** The kernel's table without one of its edges. */
function without(phase: keyof PhaseTable, event: string): PhaseTable {
  const row = Object.fromEntries(Object.entries(PHASES[phase]).filter(([name]) => name !== event));
  return { ...PHASES, [phase]: row };
}

/** Whether a promise has settled once nothing moves any more. */
async function settledBy(settle: () => Promise<void>, promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await settle();
  return settled;
}

async function waitAndMail(): Promise<boolean> {
  const { root, session, ports } = await withRoot();
  const waiting = root.wait();
  await session.send("/root", "wake up");
  await ports.advance(60_000);
  const settled = await settledBy(() => ports.settle(), waiting);
  expect(session.list()[0]?.phase).toBe("running");
  return settled;
}

async function settleWithExecution(): Promise<boolean> {
  const { root, session, ports, hands } = await withRoot();
  await root.spawn({ name: "a", behavior: "worker", task: "t" });
  await ports.settle();
  const run = ({ signal }: { signal: AbortSignal }): Promise<void> =>
    new Promise((done) => signal.addEventListener("abort", () => done()));
  await hands.of("/root/a").turn.yieldExecution({ command: "x", run });
  await ports.settle();
  hands.of("/root/a").done("ready");
  await ports.settle();
  return session.list()[1]?.phase === "idle";
}

describe("a session on the machine of the kernel's table", () => {
  it("V1 resumes a wait when mail comes", async () => {
    await expect(waitAndMail()).resolves.toBe(true);
  });

  it("S2 settles a turn that owns an execution", async () => {
    await expect(settleWithExecution()).resolves.toBe(true);
  });
});

describe("a session on a machine", () => {
  it("V1 without its waiting state leaves a wait hanging", async () => {
    broken.table = without("running", "wait.began");
    await expect(waitAndMail()).resolves.toBe(false);
  });

  it("V1 without the way out of waiting leaves a wait hanging", async () => {
    broken.table = without("waiting", "wait.ended");
    await expect(waitAndMail()).resolves.toBe(false);
  });

  it("S2 without its settling state never ends what a turn owns", async () => {
    broken.table = without("running", "settlement.began");
    await expect(settleWithExecution()).resolves.toBe(false);
  });

  it("S2 without the attempt never ends what a turn owns", async () => {
    broken.table = without("settling", "settlement.attempted");
    await expect(settleWithExecution()).resolves.toBe(false);
  });

  it("T1 without the way out of idle never calls a behaviour", async () => {
    broken.table = without("idle", "turn.started");
    await expect(withRoot()).rejects.toThrow("/root has not been called");
  });

  it("S5 without the yield never starts a command", async () => {
    broken.table = without("running", "execution.yielded");
    const { root, ports } = await withRoot();
    let ran = false;
    await root.yieldExecution({ command: "x", run: async () => void (ran = true) });
    await ports.settle();
    expect(ran).toBe(false);
  });
});
