/** What the reader of a log takes for a path is exactly what the grammar calls one (A1, L3). */
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { shapeFault } from "../src/events/shapes.js";
import { isAgentPath } from "../src/paths.js";

const segment = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "z", "0", "_"), maxLength: 3 }),
  fc.constantFrom("root", "A", "a-b", ".", "..", "\n", "x".repeat(64), "x".repeat(65)),
);
const path = fc
  .tuple(
    fc.constantFrom("/root", "root", "/Root", "", "/root/"),
    fc.oneof(fc.array(segment, { maxLength: 4 }), fc.array(fc.constant("a"), { maxLength: 20 })),
    fc.constantFrom("", "/", "\n"),
  )
  .map(([start, segments, end]) => [start, ...segments].join("/") + end);

describe("the shape of a stored path", () => {
  test.prop([path], { numRuns: 2000 })("A1 is that of the grammar", (text) => {
    const event = { type: "wake.marked", cause: [1, 0], path: text, gen: 0, record: [1, 0] };
    expect(shapeFault("wake.marked", event) === undefined).toBe(isAgentPath(text));
  });
});
