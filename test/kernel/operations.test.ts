/** The rules of the operation layer: evidence, plans, and what may be sent to whom (section 11). */
import { describe, expect, it } from "vitest";
import type { ParentReport } from "../../src/kernel/parents.js";
import { isAddressable, parentEvidence } from "../../src/kernel/parents.js";
import { messageIds, utf8Bytes } from "../../src/kernel/messages.js";
import type { AgentPath } from "../../src/paths.js";
import { commands, turnOf } from "../../src/testing/commands.js";
import { CHILD, family, ofPlan, PARENT, planTo } from "../support/peered.js";

const { spawn, finish, end, send, setPlan, sample, assign, wait } = commands;
const says = (path: AgentPath, gen = 1): ParentReport => ({
  kind: "parent",
  parent: { path, gen },
});
const late: ParentReport = { kind: "unusable", why: "late" };

describe("evidence about a parent", () => {
  const { kernel } = family();
  const ofChild = (report: ParentReport) => parentEvidence(kernel, CHILD, report);
  const ofRoot = (report: ParentReport) =>
    parentEvidence(kernel, { path: "/root", gen: 1 }, report);
  const ofStranger = (report: ParentReport) =>
    parentEvidence(kernel, { path: "/root/x", gen: 1 }, report);

  it("O2 of two sources that speak is verified only where they agree", () => {
    expect(ofChild({ kind: "silent" })).toEqual({ answer: "verified", session: PARENT });
    expect(ofChild(says("/root/p"))).toEqual({
      answer: "verified",
      session: PARENT,
      host: PARENT,
    });
    expect(ofChild(says("/root/q")).answer).toBe("conflict");
    expect(ofChild(says("/root/p", 2)).answer).toBe("conflict");
    expect(ofChild({ kind: "none" }).answer).toBe("conflict");
    expect(ofChild(late)).toEqual({ answer: "uncertain", session: PARENT, unusable: "late" });
  });

  it("O2 says that the root has none, which nobody may contradict", () => {
    expect(ofRoot({ kind: "silent" })).toEqual({ answer: "absent", session: null });
    expect(ofRoot({ kind: "none" }).answer).toBe("absent");
    expect(ofRoot(says("/root/p")).answer).toBe("conflict");
    expect(ofRoot(late).answer).toBe("uncertain");
  });

  it("O2 is the host's alone where the session has no record: a path proves nothing", () => {
    expect(ofStranger({ kind: "silent" }).answer).toBe("uncertain");
    expect(ofStranger(says("/root"))).toEqual({
      answer: "verified",
      host: { path: "/root", gen: 1 },
    });
    expect(ofStranger({ kind: "none" }).answer).toBe("absent");
    expect(parentEvidence(kernel, { ...CHILD, gen: 2 }, { kind: "silent" }).answer).toBe(
      "uncertain",
    );
  });

  it("O2 A5 names the exact generation, also of one that has ended, and after its path was used again", () => {
    const ended = family().and(end("/root/p/c"));
    expect(parentEvidence(ended.kernel, CHILD, { kind: "silent" }).session).toEqual(PARENT);
    const replaced = family().and(end("/root/p"), spawn("p"));
    const { session } = parentEvidence(replaced.kernel, CHILD, { kind: "silent" });
    expect(session).toEqual(PARENT);
    expect(isAddressable(replaced.kernel, PARENT, false)).toBe(false);
    expect(isAddressable(replaced.kernel, { ...PARENT, gen: 2 }, false)).toBe(true);
  });

  it("O2 O4 an ended agent is addressable until its path is taken again, but not as a live one", () => {
    const ended = family().and(end("/root/p/c")).kernel;
    expect(isAddressable(ended, CHILD, false)).toBe(true);
    expect(isAddressable(ended, CHILD, true)).toBe(false);
    expect(isAddressable(ended, { ...CHILD, gen: 2 }, false)).toBe(false);
    const working = family().and(assign("/root/p/c", "go"));
    expect(isAddressable(working.kernel, CHILD, true)).toBe(true);
  });
});

describe("a plan", () => {
  it("O1 fixes sender, body, recipients, evidence and ids in one event", () => {
    family()
      .when(planTo())
      .emits({
        type: "operation.planned",
        cause: "person:peer",
        operation: "op",
        from: "person",
        text: "hello",
        child: CHILD,
        parent: PARENT,
        evidence: { answer: "verified", session: PARENT },
        messages: messageIds("scenario", "op"),
      });
  });

  it("O1 A6 of a turn has the agent as sender, and plans no copy for a parent that is the sender itself", () => {
    const p = turnOf("/root/p", 2);
    const working = family().and(assign("/root/p", "go"));
    working.when(planTo(CHILD, { by: p })).includes({
      type: "operation.planned",
      from: "/root/p",
      by: p,
      parent: undefined,
    });
    working
      .and(finish(p))
      .when(planTo(CHILD, { by: p }))
      .rejected("T1", "turn-over");
  });

  it("O1 ids of two sessions, of two operations, and of the two recipients are all different", () => {
    const ids = [
      ["a", "b/c"],
      ["a/b", "c"],
      ["a", "b"],
      ["a%2Fb", "c"],
    ].flatMap(([session = "", operation = ""]) => Object.values(messageIds(session, operation)));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("O1 O2 for a child that was replaced meanwhile is refused", () => {
    family()
      .and(end("/root/p/c"), spawn("c", { parent: "/root/p" }))
      .when(planTo())
      .rejected("O2", "target-replaced");
    family()
      .and(end("/root/p/c"))
      .when(planTo(CHILD, { requireLive: true }))
      .rejected("O4", "target-ended");
  });

  it("O4 M1 with no proper body is refused", () => {
    family()
      .when(planTo(CHILD, { text: " " }))
      .rejected("M1", "text-empty");
    family()
      .when(planTo(CHILD, { text: "x".repeat(4_001) }))
      .rejected("O4", "message-too-long");
    for (const text of ["", "a", "é", "€", "😀", "a\u0000é"]) {
      expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length);
    }
  });
});

describe("an attempt", () => {
  const planned = family().and(planTo());
  const child = ofPlan(planned, "child");
  const parent = ofPlan(planned, "parent");

  it("O5 writes its start marker, which points at the plan", () => {
    planned.when({ kind: "operation.attempt", ...child }).emits({
      type: "operation.attempted",
      cause: child.at,
      operation: "op",
      plan: child.at,
      recipient: "child",
    });
  });

  it("O2 O3 O5 judges anew: a child that was replaced since is refused, and its parent gets no copy, for good", () => {
    const replaced = planned.and(end("/root/p/c"), spawn("c", { parent: "/root/p" }));
    replaced.when({ kind: "operation.attempt", ...child }).emits({
      type: "operation.resulted",
      recipient: "child",
      end: "refused",
      code: "target-replaced",
    });
    replaced.when({ kind: "operation.attempt", ...parent }).emits({
      type: "operation.resulted",
      recipient: "parent",
      end: "refused",
      code: "child-not-addressable",
      rule: "O3",
    });
  });

  it("O2 O4 a parent that can't be addressed is skipped", () => {
    const alone = family().and(end("/root/p/c"), planTo(), end("/root/p"), spawn("p"));
    const orphan = ofPlan(alone, "parent");
    alone.when({ kind: "operation.attempt", ...orphan }).emits({
      type: "operation.resulted",
      recipient: "parent",
      end: "skipped",
      code: "target-replaced",
      rule: "O2",
    });
  });

  it("O4 with requireLive, one that ended since the plan is refused", () => {
    const live = family().and(planTo(CHILD, { requireLive: true }));
    live
      .and(end("/root/p/c"))
      .when({ kind: "operation.attempt", ...ofPlan(live, "child") })
      .emits({ type: "operation.resulted", end: "refused", code: "target-ended", rule: "O4" });
  });
});

describe("a message in the session's own log", () => {
  const planned = family().and(planTo());
  const child = ofPlan(planned, "child");

  it("O6 W1 L9 marks nobody, starts nobody, and points to the plan for its text", () => {
    planned.when({ kind: "operation.append", ...child }).emits({
      type: "mail.queued",
      mail: "MAIL",
      from: "person",
      text: undefined,
      source: child.at,
      message: child.plan.messages.child,
    });
    expect(
      planned
        .and({ kind: "operation.append", ...child })
        .state("/root/p/c")
        .unread.at(-1)?.text,
    ).toBe("hello");
  });

  it("O6 V1 ends a wait, like any mail, and is delivered at the next boundary", () => {
    const c = turnOf("/root/p/c", 2);
    const waiting = planned.and(assign("/root/p/c", "go"), wait(c));
    waiting
      .when({ kind: "operation.append", ...child })
      .emits({ type: "mail.queued" }, { type: "wait.ended", why: "mail" });
    waiting
      .and({ kind: "operation.append", ...child })
      .when(sample(c))
      .includes({ type: "mail.delivered" });
  });

  it("O6 X2 lifts no limit on wakes, for nobody is to be woken by it", () => {
    const limited = family({
      host: { limits: { turns: null, agents: null, wakes: 1, unread: 9 } },
    });
    const wakes = limited.and(send("/root/p", "wake")).kernel.volatile.wakes;
    const one = limited.and(send("/root/p", "wake"), planTo());
    expect(
      one.and({ kind: "operation.append", ...ofPlan(one, "child") }).kernel.volatile.wakes,
    ).toBe(wakes);
    expect(wakes).toBe(1);
  });

  it("O4 A5 R4 to an ended agent changes no state but the count of what stands in its queue", () => {
    const ended = planned.and(end("/root/p/c"));
    const sent = ended.and({ kind: "operation.append", ...child });
    expect(sent.kernel.durable.retired.get("/root/p/c")).toEqual({
      gen: 1,
      parent: PARENT,
      expired: 1,
    });
    expect(sent.kernel.durable.agents).toBe(ended.kernel.durable.agents);
    expect(sent.kernel.volatile).toEqual(ended.kernel.volatile);
  });

  it("O2 to a generation that was replaced since its start marker is refused, and reaches no other", () => {
    planned
      .and(end("/root/p/c"), spawn("c", { parent: "/root/p" }))
      .when({ kind: "operation.append", ...child })
      .rejected("O2", "target-replaced");
  });

  it("P2 under Plan is stamped, and an ended agent's successor is not", () => {
    const plan = family().and(setPlan(true), planTo());
    const stamped = ofPlan(plan, "child");
    plan
      .when({ kind: "operation.append", ...stamped })
      .emits({ type: "mail.queued", stamped: true });
    const gone = plan.and(end("/root/p/c"));
    gone
      .when({ kind: "operation.append", ...stamped })
      .emits({ type: "mail.queued", stamped: undefined });
  });
});
