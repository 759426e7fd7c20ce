/**
 * What a refusal says, word for word: the texts are read by models and people, so they are part of the surface (X4).
 * That the rule and code are right, and that nothing is written, is shown beside the rules themselves.
 */
import { describe, expect, it } from "vitest";
import type { Command } from "../../src/kernel/command.js";
import { DEFAULT_LIMITS } from "../../src/kernel/state.js";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import { type Scenario, given } from "../../src/testing/scenario.js";

const { spawn, send, prompt, assign, sample, wait, finish, block, unblock } = commands;
const root = turnOf("/root");
const a = turnOf("/root/a");
const b = turnOf("/root/b");

const busy = given({}, prompt("go"), spawn("a"), spawn("b", { role: "communicator" }));
const deep = (): Scenario => {
  let parent = "/root";
  const steps: Command[] = [];
  for (let depth = 2; depth <= 16; depth++) {
    steps.push(spawn("a", { parent }));
    parent += "/a";
  }
  return given({ capacity: 20 }, ...steps);
};
const untyped = (command: object): Command => command as Command;

const cases: readonly (readonly [string, string, () => Scenario, string])[] = [
  [
    "M1",
    "mail that is empty",
    () => busy.when(send("/root/a", " \n")),
    "The message is empty or only white space. Say something.",
  ],
  [
    "M1",
    "a prompt that is empty",
    () => busy.when(prompt("")),
    "The prompt is empty or only white space. Say something.",
  ],
  [
    "M1",
    "a first task that is empty",
    () => busy.when(spawn("c", { task: "" })),
    "The task is empty or only white space. Say something.",
  ],
  [
    "M1",
    "an assigned task that is empty",
    () => busy.and(finish(a)).when(assign("/root/a", "")),
    "The task is empty or only white space. Say something.",
  ],
  [
    "M1",
    "a notice that is empty",
    () => busy.when(commands.notify("")),
    "The notice is empty or only white space. Say something.",
  ],
  [
    "M1",
    "a question that is empty",
    () => busy.when(block(a, "")),
    "The question is empty or only white space. Say something.",
  ],
  [
    "M1",
    "mail that is no text",
    () => busy.when(untyped({ ...send("/root/a", ""), text: 7 })),
    "The message is not a string. Send plain text; put data in a file and refer to it.",
  ],
  [
    "M1",
    "an answer that is no text",
    () => busy.and(block(a)).when(untyped({ ...unblock(a, 1), answer: 7 })),
    "The answer is not a string. Send plain text; put data in a file and refer to it.",
  ],
  [
    "M1",
    "partial text that is no text",
    () => busy.and(sample(a)).when(untyped({ ...commands.partial(a, ""), text: 7 })),
    "The partial text is not a string. Send plain text; put data in a file and refer to it.",
  ],
  [
    "M1",
    "mail with half a character",
    () => busy.when(send("/root/a", "\ud800")),
    "The message has a lone surrogate, so it is not well-formed Unicode. Use text.toWellFormed().",
  ],
  [
    "A2",
    "a target that is empty",
    () => busy.when(send("", "hi")),
    "The target is empty. Name an agent, such as /root/editor.",
  ],
  [
    "A2",
    "a target that is no path",
    () => busy.when(send("/root/A", "hi")),
    '"/root/A" is no agent path. Write /root or /root/segments of a-z, 0-9 and _, or a name below you.',
  ],
  [
    "A2",
    "a target that is no path and long",
    () => busy.when(send(`/${"x".repeat(90)}`, "hi")),
    `"/${"x".repeat(79)}..." is no agent path. Write /root or /root/segments of a-z, 0-9 and _, or a name below you.`,
  ],
  [
    "A2",
    "a target that is nobody's",
    () => busy.when(send("/root/x", "hi")),
    "There is no agent /root/x in this session. List the agents to see who can be addressed.",
  ],
  [
    "A2",
    "a target that has ended",
    () => busy.and(commands.end("/root/a")).when(send("/root/a", "hi")),
    "/root/a has ended. Nothing was sent; spawn the path again if it is still needed.",
  ],
  [
    "A1",
    "a name that is none",
    () => busy.when(spawn("A")),
    "An agent's name is 1 to 64 of a-z, 0-9 and _, and not `root`. Choose such a name.",
  ],
  [
    "A1",
    "a seventeenth segment",
    () => deep().when(spawn("a", { parent: `/root${"/a".repeat(15)}` })),
    `A path has at most 16 segments, so /root${"/a".repeat(15)} can have no children. Spawn higher up.`,
  ],
  [
    "A5",
    "a path that is taken",
    () => busy.when(spawn("a")),
    "/root/a is taken by an agent of this session. Message that one, or choose another name.",
  ],
  [
    "A5",
    "an end of the root",
    () => busy.when(commands.end("/root")),
    "The root can't be ended. Close the session instead.",
  ],
  [
    "A7",
    "a role that is none",
    () => busy.when(untyped({ ...spawn("c"), role: "boss" })),
    "A role is `delegator` or `communicator`. Name one of the two, or leave it out for `delegator`.",
  ],
  [
    "A7",
    "a spawn by a communicator",
    () => busy.when(spawn("c", { by: b })),
    "/root/b is a communicator: it may only message. It is not offered Agent (spawn); ask a delegator by mail.",
  ],
  [
    "A7",
    "a wait of a communicator",
    () => busy.when(wait(b)),
    "/root/b is a communicator: it may only message. It is not offered WaitAgent; ask a delegator by mail.",
  ],
  [
    "A7",
    "an interrupt by a communicator",
    () => busy.when(commands.interrupt("/root/a", b)),
    "/root/b is a communicator: it may only message. It is not offered InterruptAgent; ask a delegator by mail.",
  ],
  [
    "A7",
    "a RESULT taken by a communicator",
    () => busy.when(commands.takeResult(b, "/root/a")),
    "/root/b is a communicator: it may only message. It is not offered takeResult; ask a delegator by mail.",
  ],
  [
    "R1",
    "a behaviour that nobody brought",
    () => given({ behaviors: ["agent", "able"] }).when(spawn("a", { behavior: "x" })),
    'There is no behaviour "x". This session was opened with: able, agent.',
  ],
  [
    "T1",
    "a call of a turn that is over",
    () => busy.and(finish(a)).when(sample(a)),
    "Turn 1 of /root/a has ended, so its handle takes no more calls. Return from the behaviour.",
  ],
  [
    "T1",
    "a second sample",
    () => busy.and(sample(a)).when(sample(a)),
    "/root/a has a sample open already: a turn has at most one sample or wait at a time. Let it end first.",
  ],
  [
    "T1",
    "a sample inside a wait",
    () => busy.and(wait(a)).when(sample(a)),
    "/root/a has a wait open already: a turn has at most one sample or wait at a time. Let it end first.",
  ],
  [
    "T1",
    "partial text without a sample",
    () => busy.when(commands.partial(a, "so far")),
    "Partial text belongs to an open sample. Call it inside turn.sample.",
  ],
  [
    "T1",
    "partial text inside a wait",
    () => busy.and(wait(a)).when(commands.partial(a, "so far")),
    "Partial text belongs to an open sample. Call it inside turn.sample.",
  ],
  [
    "T1",
    "an execution yielded inside a wait",
    () => busy.and(wait(a)).when(commands.yield(a)),
    "/root/a waits; a waiting turn yields nothing.",
  ],
  [
    "T3",
    "a spawn without a free slot",
    () => given({ capacity: 1 }, spawn("a")).when(spawn("b")),
    "All 1 slots are in use or promised to woken agents; /root/b was not spawned. Wait for a RESULT, then try again.",
  ],
  [
    "T6",
    "an assignment without a free slot",
    () => given({ capacity: 1 }, spawn("a"), finish(a), spawn("b")).when(assign("/root/a", "more")),
    "All 1 slots are in use or promised to woken agents; /root/a was not started. Wait for a RESULT, then try again.",
  ],
  [
    "T6",
    "an assignment to one at work",
    () => busy.when(assign("/root/a", "more")),
    "/root/a is running. Send it a message, or assign when it is idle.",
  ],
  [
    "T6",
    "an assignment to one being prepared",
    () =>
      given(
        { prepares: true },
        spawn("a"),
        commands.prepared(1),
        finish(a),
        assign("/root/a", "one"),
      ).when(assign("/root/a", "two")),
    "/root/a is being prepared. Send it a message, or assign when it is idle.",
  ],
  [
    "I1",
    "an interrupt of the root",
    () => busy.when(commands.interrupt("/root", a)),
    "An agent may not interrupt the root. Send it a message.",
  ],
  [
    "I1",
    "an interrupt of oneself",
    () => busy.when(commands.interrupt("/root/a", a)),
    "An agent may not interrupt itself. End the turn instead.",
  ],
  [
    "S7",
    "a RESULT of somebody else's child",
    () => busy.when(commands.takeResult(a, "/root/b")),
    "/root/b is no child of /root/a, which gets no RESULT of it. Await your own children.",
  ],
  [
    "S7",
    "a RESULT that is awaited",
    () => busy.and(commands.takeResult(root, "/root/a")).when(commands.takeResult(root, "/root/a")),
    "The RESULT of /root/a is awaited already.",
  ],
  [
    "V3",
    "a time that is none",
    () => busy.when(wait(a, "soon")),
    "The timeout is neither a number of milliseconds nor a decimal string. Give one from 10000 to 3600000.",
  ],
  [
    "W6",
    "a capacity that is none",
    () => busy.when(commands.setCapacity(1.5)),
    "Capacity is a positive integer; 1.5 is none.",
  ],
  [
    "W7",
    "a hold without a name",
    () => busy.when(commands.hold(" ")),
    "A hold has a name that says who holds, such as `dialogue`.",
  ],
  [
    "X2",
    "more turns than the limit",
    () => given({ host: { limits: { ...DEFAULT_LIMITS, turns: 1 } } }, spawn("a")).when(spawn("b")),
    "This session may have 1 turns and has had them. Open it with a higher limit to go on.",
  ],
  [
    "X2",
    "more agents than the limit",
    () =>
      given({ host: { limits: { ...DEFAULT_LIMITS, agents: 1 } } }, spawn("a")).when(spawn("b")),
    "This session may retain 1 agents and does. End one, or use one that is there.",
  ],
  [
    "X2",
    "more mail than the limit",
    () =>
      given(
        { host: { limits: { ...DEFAULT_LIMITS, unread: 1 } } },
        spawn("a"),
        send("/root/a", "1"),
      ).when(send("/root/a", "2")),
    "/root/a has 1 unread messages, the limit of this session. Let it read them first.",
  ],
  [
    "X3",
    "usage that can't be summed",
    () => busy.and(sample(a)).when(commands.sampleEnd(attemptOf(a), { usage: { tokens: -1 } })),
    "Usage is an object of finite numbers that are not negative, such as { tokens: 812 }.",
  ],
  [
    "L8",
    "anything once it is closed",
    () => given({}).and(commands.close()).when(spawn("a")),
    "The session is closed. Open it again to go on.",
  ],
];

describe("a refusal", () => {
  it.each(cases)("X4 %s says of %s what happened and what to do", (rule, _what, refused, text) => {
    const { refusal } = refused();
    expect(refusal).toMatchObject({ rule, message: text });
  });

  it("X4 L2 of what is too large says what it is, and where it belongs", () => {
    const huge = "x".repeat(64 * 1024 * 1024 + 1);
    const says = (what: string): string =>
      `The ${what} takes more than 64 MiB in the log. Put it in a file and refer to it.`;
    expect(busy.when(send("/root/a", huge)).refusal?.message).toBe(says("message"));
    expect(busy.when(commands.record(a, { huge })).refusal?.message).toBe(says("entry"));
  });
});
