/** Texts that are too large, or no texts: refused where they can be, cut short or errored where they can't (L2, M1, S1, S6). */
import { describe, expect, it } from "vitest";
import { attemptOf, commands, turnOf } from "../../src/testing/commands.js";
import type { Command } from "../../src/kernel/command.js";
import {
  MAX_COMMAND_BYTES,
  fittingText,
  isJsonTooLarge,
  isTooLarge,
} from "../../src/kernel/text.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, sample, sampleEnd, finish } = commands;
const a = turnOf("/root/a");
/** A NUL takes six bytes in JSON, so that a sixth of the characters will do. */
const HUGE = "\0".repeat(MAX_COMMAND_BYTES / 6 + 1);
const running = given({}, spawn("a"));
const sampling = running.and(sample(a));

describe("text over 64 MiB", () => {
  it.each<[string, Command]>([
    ["partial text", commands.partial(a, HUGE)],
    ["an entry", commands.record(a, { log: [HUGE] })],
    ["an entry's key", commands.record(a, { [HUGE]: 1 })],
    ["a question", commands.block(a, HUGE)],
    ["a notice", commands.notify(HUGE)],
  ])("L2 is refused as %s", (_what, command) => {
    sampling.when(command).rejected("L2", "too-large");
  });

  it("L2 is refused as an answer", () => {
    running
      .and(commands.block(a))
      .when(commands.unblock(a, 1, HUGE))
      .rejected("L2", "too-large");
  });

  it("L2 as a sample's result makes the sample a failed one, which ends all the same", () => {
    const ended = sampling.when(sampleEnd(attemptOf(a), { result: [HUGE] }));
    ended.emits({ type: "sample.ended", result: undefined });
    ended.when(sample(a)).includes({ type: "sample.began", attempt: 2 });
    expect(JSON.stringify(ended.commits.at(-1))).toContain("64 MiB");
  });

  it("L2 S5 that a command printed is cut, with a note", () => {
    const done = running.and(commands.yield(a)).and(commands.complete(a, 1, HUGE));
    const text = done.state("/root/a").unread[0]?.text ?? "";
    expect(isTooLarge(text)).toBe(false);
    expect(text.slice(-60)).toContain("64 MiB");
    expect(text.length).toBeGreaterThan(HUGE.length - 200);
    expect(fittingText("as it is")).toBe("as it is");
    expect(fittingText("😀".repeat(MAX_COMMAND_BYTES / 4 + 1)).isWellFormed()).toBe(true);
  });

  it("L2 counts data as the log writes it", () => {
    expect(isJsonTooLarge({ a: [1, null, true, "x"] })).toBe(false);
    expect(isJsonTooLarge("x".repeat(MAX_COMMAND_BYTES / 2))).toBe(false);
    expect(
      isJsonTooLarge(["x".repeat(MAX_COMMAND_BYTES / 2), "x".repeat(MAX_COMMAND_BYTES / 2)]),
    ).toBe(true);
  });

  it("S1 L2 as a reason is kept short", () => {
    const long = `first ${"x".repeat(100_000)}`;
    for (const command of [
      commands.fail(a, long),
      commands.interrupt("/root/a", null, long),
      commands.interruptTree("/root", long),
    ]) {
      const text = JSON.stringify(running.when(command).commits.at(-1));
      expect(text.length).toBeLessThan(20_000);
      expect(text).toContain("first xxx");
      expect(text).toContain("more]");
    }
  });
});

describe("what is no text", () => {
  const odd = (value: unknown) => value as string;

  it.each([undefined, null, 7, {}, []])(
    "S1 S6 as a final response (%j) settles the turn as errored",
    (value) => {
      running.when(finish(a, odd(value ?? null))).includes({
        type: "settlement.began",
        outcome: { kind: "errored", reason: "The final response is not text (S1)." },
      });
    },
  );

  it("S1 S5 as a reason or an output ends what it has to end", () => {
    const yielded = running.and(commands.yield(a));
    yielded.when(commands.complete(a, 1, odd(7))).includes({ type: "mail.queued", text: "" });
    running
      .when(commands.fail(a, odd(null)))
      .includes({ type: "turn.settled", outcome: "errored" });
    const settling = given({ host: { finalises: true } }, spawn("a"), finish(a));
    settling.when(commands.notSettled(attemptOf(a), odd(1))).emits({ type: "settlement.failed" });
  });
});
