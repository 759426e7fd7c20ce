/** Plan: the sticky switch, and stamps (P1, P2, B52). */
import { describe, expect, it } from "vitest";
import { commands, turnOf } from "../../src/testing/commands.js";
import { type Scenario, given } from "../../src/testing/scenario.js";
import { isReadOnly } from "../../src/kernel/guards.js";
import type { AgentPath } from "../../src/paths.js";

const { spawn, send, finish, sample, prompt, setPlan, setCapacity } = commands;
const a = turnOf("/root/a");
const b = turnOf("/root/b");
const readOnly = (scenario: Scenario, path: AgentPath): boolean =>
  isReadOnly(scenario.kernel, path);

const idle = given({}, spawn("a"), finish(a), spawn("b"));

describe("Plan", () => {
  it("P1 is durable and sticky: it outlives its run, and turning it as it stands writes nothing", () => {
    const on = given({}).when(setPlan(true));
    on.emits({ type: "plan.switched", on: true });
    on.when(setPlan(true)).emits();
    expect(on.reopened().kernel.durable.plan).toBe(true);
    on.reopened().when(setPlan(false)).emits({ type: "plan.switched", on: false });
  });

  it("P1 makes every live turn read-only while it is on", () => {
    const on = idle.and(prompt("go"), setPlan(true));
    expect([readOnly(on, "/root"), readOnly(on, "/root/b")]).toEqual([true, true]);
    const off = on.and(setPlan(false));
    expect([readOnly(off, "/root"), readOnly(off, "/root/b")]).toEqual([false, false]);
  });

  it("P2 B52 makes the turn read-only that MAIL sent under it starts, to its end", () => {
    const sent = idle.and(setPlan(true)).when(send("/root/a", "look"));
    sent.includes({ type: "mail.queued", stamped: true }, { type: "turn.started", turn: 2 });
    const off = sent.and(setPlan(false));
    expect(readOnly(off, "/root/a")).toBe(true);
    const again = turnOf("/root/a", 2);
    expect(readOnly(off.and(sample(again)), "/root/a")).toBe(true);
    const over = off.and(sample(again), finish(again), send("/root/a", "now write"));
    expect(readOnly(over, "/root/a")).toBe(false);
  });

  it("P2 B52 makes the turn read-only, from that moment on, to which such a record is queued", () => {
    const before = idle.and(setPlan(true), setPlan(false));
    expect(readOnly(before, "/root/b")).toBe(false);
    const queued = idle.and(setPlan(true), send("/root/b", "look"), setPlan(false));
    expect(readOnly(queued, "/root/b")).toBe(true);
    expect(readOnly(queued.and(sample(b)), "/root/b")).toBe(true);
  });

  it("P2 holds for a turn that something else started, later, while the record is unread", () => {
    const full = given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"));
    const stamped = full.and(setPlan(true), send("/root/a", "look"), setPlan(false));
    stamped.agent("/root/a", { phase: "idle", marked: true });
    const stopped = stamped.and(commands.interrupt("/root/a"), setCapacity(2));
    const assigned = stopped.and(commands.assign("/root/a", "write"));
    expect(readOnly(assigned, "/root/a")).toBe(true);
    // A turn that never read it leaves it to the next one.
    const second = turnOf("/root/a", 2);
    const next = assigned.and(finish(second), commands.assign("/root/a", "write"));
    expect(readOnly(next, "/root/a")).toBe(true);
  });

  it("P2 goes on through what a read-only turn sends, and the tasks that it gives", () => {
    const reading = idle.and(setPlan(true), send("/root/b", "look"), setPlan(false));
    reading.when(send("/root/a", "you too", b)).includes({ type: "mail.queued", stamped: true });
    const child = reading.when(spawn("c", { by: b }));
    child.includes({ type: "turn.started", path: "/root/b/c", stamped: true });
    expect(readOnly(child, "/root/b/c")).toBe(true);
    idle.when(send("/root/a", "free", b)).includes({ type: "mail.queued", stamped: undefined });
  });

  it("P2 stamps assignments and spawns under it, prepared ones too", () => {
    const on = given({ prepares: true }, setPlan(true), spawn("a"), setPlan(false));
    const started = on.when(commands.prepared(1));
    started.includes({ type: "turn.started", stamped: true });
    expect(readOnly(started, "/root/a")).toBe(true);
    const assigned = idle.and(setPlan(true), commands.assign("/root/a", "read"), setPlan(false));
    expect(readOnly(assigned, "/root/a")).toBe(true);
  });

  it("P2 stamps neither RESULT nor EXECUTION, and leaves the root to the switch", () => {
    const on = idle.and(prompt("go"), setPlan(true), commands.yield(b));
    on.when(commands.complete(b, 1)).includes({
      type: "mail.queued",
      mail: "EXECUTION",
      stamped: undefined,
    });
    on.and(commands.complete(b, 1))
      .when(finish(b))
      .includes({ type: "mail.queued", mail: "RESULT", stamped: undefined });
    const told = on.and(send("/root", "look", b), setPlan(false));
    expect(readOnly(told, "/root")).toBe(false);
    told
      .when(send("/root/a", "go", turnOf("/root")))
      .includes({ type: "mail.queued", stamped: undefined });
  });

  it("P2 W9 stamps for one run: a reopened session has the mail without them", () => {
    const full = given({ capacity: 1 }, spawn("a"), finish(a), spawn("b"));
    const opened = full.and(setPlan(true), send("/root/a", "look"), setPlan(false)).reopened();
    const started = opened.and(commands.assign("/root/a", "write"));
    expect(readOnly(started, "/root/a")).toBe(false);
  });
});
