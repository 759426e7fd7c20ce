/** Reports of failures, and fuzzing inside tests. */
import { expect, it } from "vitest";
import { fuzz } from "../../src/fuzz/fuzz.js";
import { renderFailure } from "../../src/fuzz/report.js";
import { type DeclareTest, FuzzFailed, fuzzTest, survives } from "../../src/fuzz/survives.js";
import { toy } from "./toy.js";

const racy = toy({ tasks: 2, acts: 2, isRacy: true });
const sound = toy({ tasks: 2, acts: 2, isRacy: false });

it("a report has a lane for each agent, marks what was chosen, and ends with a test", async () => {
  const { failure } = await fuzz(racy);
  if (failure === null) throw new Error("nothing was found");
  const text = renderFailure(failure, { file: "toy.js" });
  expect(text.split("\n").slice(1)).toEqual([
    "lost at 0.0: 1 of 2",
    "",
    "        /root/t0                  /root/t1",
    "    0 * ·                         #1:read",
    "    1   #1:read",
    "    2   #1:write",
    "    3   ·                         #1:write",
    "",
    `token   ${failure.token}`,
    `replay  dovecote fuzz toy.js --token ${failure.token}`,
    "",
    'it("toy keeps what it promises", async () => {',
    `  await survives(world, { token: "${failure.token}" });`,
    "});",
  ]);
  expect(renderFailure(failure, { isColoured: true })).toContain("\u001B[");
  expect(text).not.toContain("\u001B[");
});

it("X4 survives throws the report, and answers with the figures of a clean world", async () => {
  const thrown = await survives(racy).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(FuzzFailed);
  expect((thrown as FuzzFailed).message).toContain((thrown as FuzzFailed).failure.token);
  expect((await survives(sound, { runs: 3 })).runs).toBe(3);
});

it("a declared test fuzzes, and replays each token that once failed", async () => {
  const { failure } = await fuzz(racy);
  const bodies = new Map<string, () => Promise<void>>();
  const declare: DeclareTest = (name, body) => bodies.set(name, body);
  fuzzTest(declare, sound, { runs: 3, tokens: [failure?.token ?? ""] });
  expect(bodies.size).toBe(2);
  for (const body of bodies.values()) await body();
  bodies.clear();
  fuzzTest(declare, racy, { tokens: [failure?.token ?? ""] });
  for (const body of bodies.values()) await expect(body()).rejects.toThrow(FuzzFailed);
});
