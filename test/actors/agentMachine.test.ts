/** The machine is the phase table, and every one of its states is needed (design: one table, two readings). */
import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { createActor } from "xstate";
import { agentMachine, phaseOfValue } from "../../src/actors/agentMachine.js";
import type { AgentWork } from "../../src/actors/work.js";
import type { EventType } from "../../src/events/events.js";
import { URGENCY } from "../../src/kernel/durability.js";
import { PHASES, type Phase, nextPhase } from "../../src/kernel/phases.js";

/** Work that does nothing, and says what it was asked for. */
function inert(): {
  readonly work: AgentWork;
  readonly asked: string[];
  readonly signals: AbortSignal[];
} {
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  const ask = <T>(name: string, answer: T, signal?: AbortSignal): T => {
    asked.push(name);
    if (signal !== undefined) signals.push(signal);
    return answer;
  };
  const work = {
    runTurn: () => {
      const controller = new AbortController();
      return ask("runTurn", () => controller.abort(), controller.signal);
    },
    trySettlement: (_attempted: unknown, signal: AbortSignal) =>
      ask("trySettlement", new Promise<void>(() => undefined), signal),
    holdWait: () => ask("holdWait", () => ask("dropWait", undefined)),
    releaseWait: () => ask("releaseWait", undefined),
    startExecution: () => ask("startExecution", undefined),
    dropAll: () => ask("dropAll", undefined),
  };
  // Whatever else an actor may be able to ask for does nothing either.
  const quiet: unknown = new Proxy(work, {
    get: (target, name) =>
      name in target ? (target as Record<string | symbol, unknown>)[name] : () => undefined,
  });
  return { work: quiet as AgentWork, asked, signals };
}

function started(table = PHASES as Parameters<typeof agentMachine>[0]) {
  const { work, asked, signals } = inert();
  const actor = createActor(agentMachine(table), { input: { work } });
  actor.start();
  const send = (type: EventType): void => actor.send({ type, event: { type }, at: [1, 0] });
  const phase = (): Phase => phaseOfValue((actor.getSnapshot() as { value: unknown }).value);
  return { actor, asked, signals, send, phase };
}

const everyEvent = Object.keys(URGENCY) as EventType[];
const inTable = Object.values(PHASES).flatMap((row) => Object.keys(row) as EventType[]);

describe("the machine", () => {
  test.prop([
    fc.array(fc.oneof(fc.constantFrom(...inTable), fc.constantFrom(...everyEvent)), {
      maxLength: 60,
    }),
  ])("T1 is in the phase of the table after every event, legal or not", (events) => {
    const machine = started();
    let phase: Phase = "idle";
    for (const event of events) {
      machine.send(event);
      phase = nextPhase(phase, event) ?? phase;
      expect(machine.phase()).toBe(phase);
    }
    machine.actor.stop();
  });

  test.prop([fc.array(fc.nat(), { maxLength: 60 })])(
    "T1 follows every walk along the table's own edges",
    (choices) => {
      const machine = started();
      let phase: Phase = "idle";
      for (const choice of choices) {
        const edges = Object.entries(PHASES[phase]) as [EventType, Phase][];
        const [event, target] = edges[choice % edges.length] ?? ["turn.started", "running"];
        machine.send(event);
        phase = target;
        expect(machine.phase()).toBe(phase);
      }
      machine.actor.stop();
    },
  );

  it("visits every phase, so that the walks prove something", () => {
    const reached = new Set<Phase>(["idle"]);
    for (const row of Object.values(PHASES))
      for (const target of Object.values(row)) reached.add(target);
    expect([...reached].sort()).toEqual(Object.keys(PHASES).sort());
  });

  it("V5 calls the turn once, and a wait neither ends nor calls it again", () => {
    const machine = started();
    for (const event of ["turn.started", "sample.began", "sample.ended"] as const)
      machine.send(event);
    for (let n = 0; n < 3; n++) {
      machine.send("wait.began");
      machine.send("wait.ended");
    }
    machine.send("execution.yielded");
    expect(machine.asked.filter((name) => name === "runTurn")).toHaveLength(1);
    expect(machine.signals[0]?.aborted).toBe(false);
  });

  it("I4 aborts the turn's signal on leaving active, from a wait too", () => {
    for (const before of [[], ["wait.began", "wait.ended"], ["wait.began"]] as EventType[][]) {
      const machine = started();
      machine.send("turn.started");
      for (const event of before) machine.send(event);
      if (before.length === 1) machine.send("wait.ended");
      machine.send("settlement.began");
      expect(machine.phase()).toBe("settling");
      expect(machine.signals[0]?.aborted).toBe(true);
    }
  });

  it("V4 answers a wait before it lets go of it, and lets go of it in every case", () => {
    const machine = started();
    machine.send("turn.started");
    machine.send("wait.began");
    machine.send("wait.ended");
    expect(machine.asked).toEqual(["runTurn", "holdWait", "releaseWait", "dropWait"]);
    machine.send("wait.began");
    machine.actor.stop();
    expect(machine.asked.slice(4)).toContain("dropWait");
    expect(machine.asked.slice(4)).toContain("dropAll");
    expect(machine.asked.slice(4)).not.toContain("releaseWait");
  });

  it("S3 starts a settlement try for each attempt, and ends the one before", () => {
    const machine = started();
    machine.send("turn.started");
    machine.send("settlement.began");
    expect(machine.asked).toEqual(["runTurn"]);
    machine.send("settlement.attempted");
    machine.send("settlement.attempted");
    expect(machine.asked.filter((name) => name === "trySettlement")).toHaveLength(2);
    const [, first, second] = machine.signals;
    expect([first?.aborted, second?.aborted]).toEqual([true, false]);
    machine.send("turn.settled");
    expect(second?.aborted).toBe(true);
    expect(machine.phase()).toBe("idle");
  });

  it("T2 shows a preparation as a tag of idle", () => {
    const { actor, send, phase } = started();
    const preparing = (): boolean => actor.getSnapshot().hasTag("preparing");
    send("start.reserved");
    expect([phase(), preparing()]).toEqual(["idle", true]);
    send("start.released");
    expect([phase(), preparing()]).toEqual(["idle", false]);
    send("start.reserved");
    send("turn.started");
    expect([phase(), preparing()]).toEqual(["running", false]);
  });
});
