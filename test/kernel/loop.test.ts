/** The loop: decide, append, fold, show, effects; one commit in flight, and many commands in it (L1, L2, L6, M3). */
import { describe, expect, it, vi } from "vitest";
import * as dispatch from "../../src/kernel/decide.js";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { foldAll } from "../../src/testing/scenario.js";
import { HandPort, createdPort, emptyHandState } from "../support/loopPort.js";

const { spawn, send, sample, sampleEnd, wait, finish } = commands;
const a = turnOf("/root/a");
const flush = { kind: "flush" } as const;

/** A port whose session has an agent `/root/a` that runs. */
function running(): HandPort {
  const port = createdPort();
  port.submit(spawn("a"));
  port.land();
  port.take();
  return port;
}

describe("a command that must be durable", () => {
  it("L1 M3 is answered, then shown, then its effects performed, all after the append", () => {
    const port = running();
    port.submit(wait(a));
    port.take();
    const sent = port.submit(send("/root/a", "hi"));
    expect(port.take()).toEqual(["append 3"]);
    expect(sent.reply).toBeNull();
    expect(port.loop.state.durable.agents.get("/root/a")?.unread.length).toBe(0);
    port.land();
    expect(port.take()).toEqual([
      "reply send answer",
      "show mail.queued wake.marked wait.ended",
      "perform timer.disarm",
    ]);
    expect(port.loop.state.durable.agents.get("/root/a")?.unread.length).toBe(1);
  });

  it("L2 has one append in flight; what comes meanwhile shares the next commit, in order", () => {
    const port = running();
    const first = port.submit(send("/root/a", "1"));
    const more = ["2", "3", "4"].map((text) => port.submit(send("/root/a", text)));
    expect(port.take()).toEqual(["append 3"]);
    port.land();
    expect(first.reply?.kind).toBe("answer");
    expect(more.map((one) => one.reply)).toEqual([null, null, null]);
    expect(port.take().at(-1)).toBe("append 4");
    port.land();
    expect(port.commits.at(-1)?.map((event) => "text" in event && event.text)).toEqual([
      "2",
      "3",
      "4",
    ]);
    expect(port.loop.resting).toBe(true);
  });

  it("L2 is decided on what the one before it left, in the same commit", () => {
    const port = running();
    port.submit(send("/root/a", "busy"));
    const twins = [
      port.submit(spawn("b")),
      port.submit(spawn("b")),
      port.submit(send("/root/b", "hi")),
    ];
    port.land();
    port.land();
    expect(twins.map((one) => one.reply)).toMatchObject([
      { kind: "answer", answer: { path: "/root/b" } },
      { kind: "rejected", rejection: { code: "path-taken" } },
      { kind: "answer" },
    ]);
  });

  it("L2 stays out of a batch that is already heavy", () => {
    const port = running();
    port.submit(send("/root/a", "1"));
    port.submit(send("/root/a", "x".repeat(5_000_000)));
    port.submit(send("/root/a", "light"));
    port.land();
    port.land();
    expect(port.commits.at(-1)).toHaveLength(1);
    expect(port.inFlight).toBe(true);
    port.land();
    expect(port.commits.at(-1)).toMatchObject([{ text: "light" }]);
  });
});

describe("a command that needs no commit", () => {
  it("L1 is folded, answered and shown at once, and heads the next commit", () => {
    const port = running();
    const waiting = port.submit(wait(a));
    expect(waiting.reply?.kind).toBe("answer");
    expect(port.take()).toEqual(["reply wait answer", "show wait.began", "perform timer.arm"]);
    port.submit(send("/root/a", "hi"));
    port.land();
    expect(port.commits.at(-1)?.map((event) => event.type)).toEqual([
      "wait.began",
      "mail.queued",
      "wake.marked",
      "wait.ended",
    ]);
  });

  it("L1 shows every event at the very point where the log then has it", () => {
    const port = running();
    for (const command of [
      wait(a),
      commands.timeout(attemptOf(a)),
      sample(a),
      send("/root/a", "hi"),
    ]) {
      port.submit(command);
    }
    port.land();
    for (const { event, at } of port.shown) expect(port.commits[at[0] - 1]?.[at[1]]).toBe(event);
    const folded = foldAll(emptyHandState(), port.commits);
    expect(folded).toEqual(port.loop.state);
  });

  it("L1 asks once for a flush when what a turn did waits, and a flush writes it", () => {
    const port = running();
    port.submit(sample(a));
    expect(port.take()).toContain("flush soon");
    port.submit(commands.partial(a, "so"));
    expect(port.take()).not.toContain("flush soon");
    expect(port.loop.dirty).toBe(true);
    port.submit(flush);
    expect(port.take()).toEqual(["append 3"]);
    port.land();
    expect(port.commits.at(-1)?.map((event) => event.type)).toEqual([
      "sample.began",
      "partial.recorded",
    ]);
    expect(port.loop.dirty).toBe(false);
    port.submit(sampleEnd(attemptOf(a)));
    expect(port.take()).toContain("flush soon");
  });

  it("L1 asks for no flush when nothing but volatile state waits, which a flush writes too", () => {
    const port = running();
    port.submit(wait(a));
    expect(port.take()).not.toContain("flush soon");
    expect(port.loop.dirty).toBe(true);
    port.submit(flush);
    port.land();
    expect(port.commits.at(-1)?.map((event) => event.type)).toEqual(["wait.began"]);
  });

  it("R2 writes the frame of a run never alone", () => {
    const before = createdPort();
    const port = new HandPort(foldAll(emptyHandState(), before.commits));
    const opened = port.submit(commands.open());
    expect(opened.reply?.kind).toBe("answer");
    expect(port.loop.dirty).toBe(false);
    port.submit(flush);
    port.submit({ kind: "close" });
    port.submit(flush);
    expect(port.inFlight).toBe(false);
    expect(port.loop.resting).toBe(true);
  });

  it("R2 heads a run's first commit with its frame", () => {
    const before = createdPort();
    const port = new HandPort(foldAll(emptyHandState(), before.commits));
    port.submit(commands.open());
    port.submit(spawn("a"));
    port.land();
    expect(port.commits[0]?.map((event) => event.type)).toEqual([
      "session.opened",
      "agent.spawned",
      "turn.started",
    ]);
  });

  it("A2 that is refused appends, shows and performs nothing", () => {
    const port = running();
    port.submit(send("/root/nobody", "hi"));
    expect(port.take()).toEqual(["reply send rejected"]);
  });
});

describe("a callback", () => {
  it.each(["reply send", "show mail.queued", "perform timer.disarm"])(
    "Q1 that submits inside `%s` disturbs no order: its command is decided after all of this one's is done",
    (where) => {
      const port = running();
      port.submit(wait(a));
      port.submit(send("/root/a", "hi"));
      port.take();
      port.inside = (note) => {
        if (!note.startsWith(where)) return;
        port.inside = () => {};
        port.submit(sample(a));
      };
      port.land();
      expect(port.take()).toEqual([
        "reply send answer",
        "show mail.queued wake.marked wait.ended",
        "perform timer.disarm",
        "append 4",
      ]);
      port.land();
    },
  );

  it("Q1 that submits what needs no commit sees it shown after the one it stands in", () => {
    const port = running();
    port.inside = (note) => {
      if (note !== "reply send answer") return;
      port.inside = () => {};
      port.submit(wait(a));
    };
    port.submit(send("/root", "hi", a));
    port.land();
    expect(port.take().filter((note) => note.startsWith("show"))).toEqual([
      "show mail.queued wake.marked wake.cleared turn.started",
      "show wait.began",
    ]);
    expect(port.shown.map(({ at }) => at)).toEqual(
      port.shown.map(({ at }) => at).toSorted(byPoint),
    );
  });
});

function byPoint(one: readonly [number, number], other: readonly [number, number]): number {
  return one[0] - other[0] || one[1] - other[1];
}

describe("an append that fails", () => {
  it("L6 drops the stage: the state is the last durable one, and nothing of it is shown", () => {
    const port = running();
    const { state } = port.loop;
    port.submit(wait(a));
    port.submit(send("/root/a", "hi"));
    port.take();
    port.break(false);
    expect(port.loop.state).toBe(state);
    expect(port.take()).toEqual(["degraded", "reply send degraded"]);
    expect(port.loop.isDegraded).toBe(true);
    expect(port.effects.map((effect) => effect.kind)).toEqual(["timer.arm"]);
  });

  it("M3 L6 answers with its commit's id where the outcome is unknown, and refuses all that queued and comes", () => {
    const port = running();
    const sent = port.submit(send("/root/a", "hi"));
    const queued = port.submit(send("/root/a", "behind"));
    port.break(true);
    expect(sent.reply).toMatchObject({ kind: "unknown", commitId: "commit-1" });
    expect(queued.reply).toMatchObject({ kind: "degraded" });
    expect(port.submit(finish(a)).reply).toMatchObject({ kind: "degraded" });
    expect(port.loop.resting).toBe(true);
  });

  it("L6 answers those of the failed commit first, also when a callback submits", () => {
    const port = running();
    port.submit(send("/root/a", "1"));
    port.inside = (note) => {
      if (note !== "degraded") return;
      port.inside = () => {};
      port.submit(finish(a));
    };
    port.take();
    port.break(true);
    expect(port.take()).toEqual(["degraded", "reply send unknown", "reply turn.finish degraded"]);
  });
});

describe("a rule that throws", () => {
  it("fails its own command as a bug, and no other", () => {
    const port = running();
    port.submit(send("/root/a", "first"));
    const broken = port.submit(send("/root/a", "broken"));
    const sound = port.submit(send("/root/a", "sound"));
    const { decide } = dispatch;
    const spy = vi.spyOn(dispatch, "decide").mockImplementation((state, command) => {
      if (command.kind === "send" && command.text === "broken") throw new Error("a rule's fault");
      return decide(state, command);
    });
    try {
      port.land();
    } finally {
      spy.mockRestore();
    }
    port.land();
    expect(broken.reply).toMatchObject({ kind: "bug" });
    expect(sound.reply).toMatchObject({ kind: "answer" });
    expect(port.commits.at(-1)).toMatchObject([{ text: "sound" }]);
  });

  it("leaves the loop alive when it was the only command", () => {
    const port = running();
    const cursed = send("/root/a", "hi");
    Object.defineProperty(cursed, "target", {
      get: () => {
        throw new Error("odd input");
      },
    });
    expect(port.submit(cursed).reply).toMatchObject({ kind: "bug" });
    port.submit(send("/root/a", "hi"));
    port.land();
    expect(port.loop.resting).toBe(true);
  });
});

describe("a decision", () => {
  it("R2 may have more events than a call may have arguments: a recovery has some for every live turn", () => {
    const port = running();
    const [event] = port.commits.at(-1) ?? [];
    if (event === undefined) throw new Error("nothing was committed");
    const { decide } = dispatch;
    const spy = vi.spyOn(dispatch, "decide").mockImplementation((state, command) => {
      return { ...decide(state, command), events: Array.from({ length: 500_000 }, () => event) };
    });
    const opened = port.submit(commands.open());
    spy.mockRestore();
    port.land();
    expect(opened.reply?.kind).toBe("answer");
    expect(port.commits.at(-1)).toHaveLength(500_000);
  });
});
