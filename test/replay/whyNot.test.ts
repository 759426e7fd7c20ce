/**
 * Every guard of the kernel that keeps something from happening, each met in a session of its own. `docs/whynot.md` is
 * written from here: `DOVECOTE_WHYNOT=write npx vitest run test/replay/whyNot.test.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DeliveryGuard, SettleGuard } from "../../src/kernel/explain.js";
import type { StartGuard } from "../../src/kernel/guards.js";
import type { Command } from "../../src/kernel/command.js";
import { DEFAULT_LIMITS } from "../../src/kernel/state.js";
import { openTrace } from "../../src/replay/trace.js";
import { type NonEvent, type WhyNot, whyNot } from "../../src/replay/whyNot.js";
import type { AgentPath } from "../../src/paths.js";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { type ScenarioHost, given } from "../../src/testing/scenario.js";

/** A session in which something does not happen. */
interface Case {
  /** What leads there, in words. */
  readonly met: string;
  readonly host?: ScenarioHost;
  /** The host that the trace is told of, where it is another. */
  readonly known?: ScenarioHost["host"] | { readonly behaviors: ReadonlySet<string> };
  readonly commands: readonly Command[];
  /** `/root/a` unless given. */
  readonly path?: AgentPath;
}

const [root, a, b] = [turnOf("/root"), turnOf("/root/a"), turnOf("/root/b")];
const spawnA = commands.spawn("a");
const idleA = [spawnA, commands.finish(a)];
const mailA = commands.send("/root/a", "hello");
const limits = (part: Partial<typeof DEFAULT_LIMITS>) => ({
  limits: { ...DEFAULT_LIMITS, ...part },
});
const finalises = { host: { finalises: true } };

const START: Readonly<Record<StartGuard["guard"], Case>> = {
  closing: {
    met: "the session is asked to close while a finaliser runs",
    host: finalises,
    commands: [...idleA, commands.settled(attemptOf(a)), commands.prompt("go"), commands.close()],
  },
  ending: {
    met: "the host ends the agent, and its child does not let go",
    host: finalises,
    commands: [
      spawnA,
      commands.finish(a),
      commands.settled(attemptOf(a)),
      commands.spawn("c", { parent: "/root/a" }),
      commands.end("/root/a"),
    ],
  },
  active: { met: "the agent works", commands: [spawnA] },
  preparing: {
    met: "mail has woken the agent, and the host prepares the start",
    host: { prepares: true },
    commands: [spawnA, commands.prepared(1), commands.finish(a), mailA],
  },
  unmarked: { met: "the agent has settled, and nobody has written to it", commands: idleA },
  behavior: {
    met: "mail has come, and the program does not know the agent's behaviour",
    host: { capacity: 1 },
    known: { behaviors: new Set<string>() },
    commands: [...idleA, commands.spawn("b"), mailA],
  },
  held: {
    met: "a hold is taken on the root, and a notice comes",
    path: "/root",
    commands: [commands.hold("dialogue"), commands.notify("the build is done")],
  },
  turns: {
    met: "mail has come, and the session has had all of its turns",
    host: { host: limits({ turns: 1 }) },
    known: limits({ turns: 1 }),
    commands: [...idleA, mailA],
  },
  wakes: {
    met: "mail of an agent has come after as many wakes in a row as there may be",
    host: { host: limits({ wakes: 1 }) },
    known: limits({ wakes: 1 }),
    commands: [
      ...idleA,
      commands.spawn("b"),
      commands.send("/root/a", "one", b),
      commands.finish(turnOf("/root/a", 2)),
      commands.send("/root/a", "two", b),
    ],
  },
  settlement: {
    met: "mail has come, and the settlement of another agent runs",
    host: finalises,
    commands: [
      ...idleA,
      commands.settled(attemptOf(a)),
      commands.spawn("b"),
      commands.finish(b),
      mailA,
    ],
  },
  capacity: {
    met: "mail has come, and another agent has the only slot",
    host: { capacity: 1 },
    commands: [...idleA, commands.spawn("b"), mailA],
  },
};

const DELIVERY: Readonly<Record<DeliveryGuard["guard"], Case>> = {
  withheld: {
    met: "a handler works on the RESULT",
    path: "/root",
    commands: [
      commands.prompt("go"),
      commands.spawn("a", { by: root }),
      commands.takeResult(root, "a"),
      commands.finish(a),
    ],
  },
  idle: {
    met: "the agent rests, and another has the only slot",
    host: { capacity: 1 },
    commands: [...idleA, commands.spawn("b"), mailA],
  },
  sample: {
    met: "mail comes while a sample is open",
    commands: [spawnA, commands.sample(a), mailA],
  },
  "no-sample": { met: "mail comes between two samples", commands: [spawnA, mailA] },
  settling: {
    met: "mail comes while a finaliser runs",
    host: finalises,
    commands: [spawnA, commands.finish(a), mailA],
  },
};

const SETTLE: Readonly<Record<SettleGuard["guard"], Case>> = {
  "no-turn": { met: "the agent rests", commands: idleA },
  sample: { met: "a sample is open", commands: [spawnA, commands.sample(a)] },
  wait: { met: "the agent waits for mail", commands: [spawnA, commands.wait(a)] },
  behaviour: { met: "the behaviour has not returned", commands: [spawnA] },
  paused: {
    met: "a finaliser has failed, and is tried again after a pause",
    host: finalises,
    commands: [spawnA, commands.finish(a), commands.notSettled(attemptOf(a))],
  },
  queued: {
    met: "the settlement of another agent runs",
    host: finalises,
    commands: [commands.spawn("b"), spawnA, commands.finish(b), commands.finish(a)],
  },
  trying: {
    met: "its command that runs on must stop first",
    commands: [spawnA, commands.yield(a), commands.finish(a)],
  },
};

const TABLES = { start: START, delivery: DELIVERY, settle: SETTLE } as const;

async function ask(what: NonEvent, one: Case): Promise<WhyNot | undefined> {
  const { commits } = given(one.host ?? {}, ...one.commands);
  const source = commits.map((events, index) => ({ n: index + 1, events }));
  const trace = await openTrace(source, one.known === undefined ? {} : { host: one.known });
  return whyNot(trace, one.path ?? "/root/a", what, trace.length);
}

const all = Object.entries(TABLES).flatMap(([what, cases]) =>
  Object.entries(cases).map(([guard, one]) => ({
    what: what as NonEvent,
    guard,
    one,
  })),
);

describe("why not", () => {
  it.each(all)("X4 $what: names the guard `$guard`, its rule, and what frees it", async (given) => {
    const { what, guard, one } = given;
    const reason = await ask(what, one);
    expect(reason?.guard).toBe(guard);
    expect(reason?.rule).toMatch(/^[A-Z]\d$/);
    expect(reason?.frees).not.toBe("");
    expect(reason?.since).toBeGreaterThan(0);
  });

  it("gives a wake the reasons of a start", async () => {
    for (const one of Object.values(START)) {
      const [wake, start] = [await ask("wake", one), await ask("start", one)];
      expect({ ...wake, what: "start" }).toEqual(start);
    }
  });

  it("has a page of all of them that is up to date", async () => {
    const page = new URL("../../docs/whynot.md", import.meta.url);
    const text = await pageText();
    if (process.env["DOVECOTE_WHYNOT"] === "write") writeFileSync(page, text);
    expect(readFileSync(page, "utf8")).toBe(text);
  });
});

const TITLES: Readonly<Record<keyof typeof TABLES, string>> = {
  start: "An agent does not start, or is not woken",
  delivery: "A record is not read",
  settle: "A turn does not settle",
};

async function pageText(): Promise<string> {
  const lines = [
    "# Why something does not happen",
    "",
    "Each of the kernel's guards, as `whyNot` names it: by an example, the words of the answer, the rule, and what frees",
    "it. The first that holds is named. `test/replay/whyNot.test.ts` meets every one of them, and writes this page.",
  ];
  for (const [what, cases] of Object.entries(TABLES)) {
    lines.push("", `## ${TITLES[what as keyof typeof TABLES]}`, "");
    lines.push(
      "| guard | when | answer | rule | what frees it |",
      "| --- | --- | --- | --- | --- |",
    );
    for (const [guard, one] of Object.entries(cases)) {
      const reason = await ask(what as NonEvent, one);
      const { text = "", rule = "", frees = "" } = reason ?? {};
      lines.push(`| \`${guard}\` | ${one.met} | ${text} | ${rule} | ${frees} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}
