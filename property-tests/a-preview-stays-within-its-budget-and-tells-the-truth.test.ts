/** S6: a preview is the whole text when that is short enough, else a true head and tail with a true count. */
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { PREVIEW_CHARS, countChars, preview } from "../src/kernel/preview.js";
import type { AgentPath } from "../src/paths.js";

/** Pieces of text that are awkward to cut: line ends of both kinds, characters of two code units, combining marks. */
const piece = fc.constantFrom(
  "a",
  "b\n",
  "\r\n",
  "\n\n",
  "😀",
  "é",
  "e\u0301",
  "\u2028",
  "0123456789".repeat(50),
);

/** How to make a text of so many characters from a few pieces, over and over: a counterexample stays readable. */
const recipes = fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 12 }),
  chars: fc.oneof(
    fc.integer({ min: 0, max: 200 }),
    fc.integer({ min: PREVIEW_CHARS - 3, max: PREVIEW_CHARS + 3 }),
    fc.integer({ min: PREVIEW_CHARS, max: 4 * PREVIEW_CHARS }),
  ),
});

function textOf({
  pieces,
  chars,
}: {
  readonly pieces: readonly string[];
  readonly chars: number;
}): string {
  const unit = pieces.join("");
  const whole = unit.repeat(Math.ceil(chars / countChars(unit)));
  return Array.from(whole).slice(0, chars).join("");
}

/** Paths up to the longest there can be. */
const paths = fc
  .array(fc.integer({ min: 1, max: 64 }), { maxLength: 15 })
  .map((lengths) => ["/root", ...lengths.map((n) => "x".repeat(n))].join("/") as AgentPath);

const NOTICE = /\n\[\.\.\. (\d+) characters left out; .*? \.\.\.\]\n/s;

describe("S6 a preview", () => {
  test.prop([recipes, paths, fc.nat(), fc.nat()])(
    "holds at most 32,768 characters in all, well-formed, and names path and place",
    (recipe, path, n, index) => {
      const text = textOf(recipe);
      const shown = preview(text, { path, at: [n, index] });
      expect(countChars(shown)).toBeLessThanOrEqual(PREVIEW_CHARS);
      expect(shown.isWellFormed()).toBe(true);
      if (countChars(text) <= PREVIEW_CHARS) expect(shown === text).toBe(true);
      else expect(shown.includes(`${path} at ${n}.${index} `)).toBe(true);
    },
  );

  test.prop([recipes, paths])(
    "is a true head and a true tail, and its count is right",
    (recipe, path) => {
      const text = textOf(recipe);
      const shown = preview(text, { path, at: [1, 0] });
      if (shown === text) return;
      const notice = NOTICE.exec(shown);
      expect(notice).not.toBeNull();
      const head = shown.slice(0, notice?.index);
      const tail = shown.slice((notice?.index ?? 0) + (notice?.[0].length ?? 0));
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      expect(Number(notice?.[1])).toBe(countChars(text) - countChars(head) - countChars(tail));
      expect(countChars(head)).toBeGreaterThan(PREVIEW_CHARS / 5);
      expect(countChars(tail)).toBeGreaterThan(PREVIEW_CHARS / 5);
    },
  );

  test.prop([fc.integer({ min: 1, max: 2_000 }), fc.constantFrom("\n", "\r\n")])(
    "cuts at line ends where they lie close to the cut",
    (width, end) => {
      const line = `${"x".repeat(width)}${end}`;
      const text = line.repeat(Math.ceil((2 * PREVIEW_CHARS) / line.length));
      const shown = preview(text, { path: "/root", at: [1, 0] });
      const notice = NOTICE.exec(shown);
      const head = shown.slice(0, notice?.index);
      const tail = shown.slice((notice?.index ?? 0) + (notice?.[0].length ?? 0));
      expect((head.length + end.length) % line.length).toBe(0);
      expect(head.endsWith("\r")).toBe(false);
      expect(tail.length % line.length).toBe(0);
    },
  );
});
