/** The fold: an event that does not fit what came before is damage or a bug, and is never passed over (L1, L3). */
import { describe, expect, it } from "vitest";
import type { DovecoteEvent } from "../../src/events/events.js";
import { fold } from "../../src/kernel/stage.js";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, finish } = commands;
const a = turnOf("/root/a");
const b = turnOf("/root/b");
const cause = "host:test";
const spawned = {
  type: "agent.spawned",
  cause,
  gen: 1,
  behavior: "agent",
  role: "delegator",
} as const;

/** `/root/a` runs, `/root/b` is idle. */
const { kernel } = given({}, spawn("b"), finish(b), spawn("a"));

const MISFITS: readonly (readonly [string, DovecoteEvent])[] = [
  ["an agent that is there already", { ...spawned, path: "/root/a" }],
  ["a child of nobody", { ...spawned, path: "/root/x/y" }],
  [
    "a turn of an unknown agent",
    { type: "turn.started", cause, ...turnOf("/root/x"), start: "wake" },
  ],
  [
    "a turn of another generation",
    { type: "turn.started", cause, ...turnOf("/root/b", 2, 2), start: "wake" },
  ],
  [
    "a second turn beside a live one",
    { type: "turn.started", cause, ...turnOf("/root/a", 2), start: "wake" },
  ],
  [
    "a settlement's end without its beginning",
    { type: "turn.settled", cause, ...a, outcome: "completed" },
  ],
  ["a sample of a turn that is over", { type: "sample.began", cause, ...attemptOf(b) }],
  [
    "the end of a wait that never began",
    { type: "wait.ended", cause, ...attemptOf(a), why: "mail", unread: [] },
  ],
  [
    "mail to nobody",
    { type: "mail.queued", cause, path: "/root/x", gen: 1, mail: "MAIL", from: "person" },
  ],
  [
    "a move of a record that its owner has not",
    {
      type: "mail.moved",
      cause,
      path: "/root",
      gen: 1,
      record: [1, 1],
      from: { path: "/root/a", gen: 1 },
    },
  ],
];

describe("the fold", () => {
  it.each(MISFITS)("L3 refuses %s", (_, event) => {
    expect(() => fold(kernel, event)).toThrow(/^Bug in dovecote/);
  });
});
