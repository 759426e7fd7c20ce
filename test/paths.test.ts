/** Agent paths: what is one, what a target means from where, and the tree they spell. */
import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import {
  type AgentPath,
  MAX_SEGMENTS,
  comparePaths,
  depthOf,
  isAgentName,
  isAgentPath,
  parentPath,
  resolvePath,
} from "../src/paths.js";

const segment = fc.stringMatching(/^[a-z0-9_]{1,64}$/);
const path = fc
  .array(segment, { maxLength: MAX_SEGMENTS - 1 })
  .map((segments) => ["/root", ...segments].join("/") as AgentPath);

const MALFORMED = [
  "root",
  "/",
  "//root",
  "/root/",
  "/root//a",
  "/root/.",
  "/root/..",
  "/root/A",
  "/root/a b",
  "/root/a\n",
  "/root/a\0",
  "/root/é",
  "/root/ａ",
  "/root/a-b",
  "/root\\a",
  "/Root",
  "/other/a",
  "/rootless",
  " /root",
  `/root/${"a".repeat(65)}`,
  `/root/${"a".repeat(10_000)}`,
  `/root${"/a".repeat(MAX_SEGMENTS)}`,
];

describe("a path", () => {
  test.prop([path])("A1 is /root, or /root with segments of a-z, 0-9 and _", (text) => {
    expect(isAgentPath(text)).toBe(true);
    expect(resolvePath("/root/elsewhere", text)).toBe(text);
  });

  it.each(MALFORMED)("A1 is not %j, and nothing is folded into one", (text) => {
    expect(isAgentPath(text)).toBe(false);
  });

  it("A1 has at most 16 segments, the root's own among them", () => {
    expect(isAgentPath(`/root${"/a".repeat(15)}`)).toBe(true);
    expect(isAgentPath(`/root${"/a".repeat(16)}`)).toBe(false);
  });

  test.prop([fc.string({ unit: "binary", maxLength: 12 })])(
    "A1 never accepts a character of another kind",
    (text) => {
      expect(isAgentPath(`/root/${text}`)).toBe(
        text.split("/").every((part) => /^[a-z0-9_]{1,64}$/.test(part) && !part.includes("\n")),
      );
    },
  );
});

describe("a name", () => {
  it("A1 is one segment and not root", () => {
    expect(
      ["a", "a_1", "0", "__proto__", "rooted", "a".repeat(64)].filter(isAgentName),
    ).toHaveLength(6);
    expect(["", "root", "a/b", ".", "..", "A", "a ", "a".repeat(65)].filter(isAgentName)).toEqual(
      [],
    );
  });
});

describe("a target", () => {
  test.prop([path, segment])(
    "A3 without a leading slash is read below its caller",
    (caller, name) => {
      fc.pre(depthOf(caller) < MAX_SEGMENTS);
      expect(resolvePath(caller, name)).toBe(`${caller}/${name}`);
    },
  );

  it("A3 is malformed with a dot, or a doubled or trailing slash, or nothing", () => {
    for (const text of ["", ".", "..", "../a", "./a", "a/", "a//b", "/a", "a/../b"]) {
      expect(resolvePath("/root/a", text), text).toBeUndefined();
    }
  });

  it("A3 may go several steps down", () => {
    expect(resolvePath("/root", "a/b")).toBe("/root/a/b");
  });
});

describe("the tree", () => {
  test.prop([path])(
    "A1 leads from every path to the root in as many steps as it is deep",
    (text) => {
      let at: AgentPath | undefined = text;
      let steps = 0;
      for (; at !== undefined; at = parentPath(at)) steps++;
      expect(steps).toBe(depthOf(text));
    },
  );

  test.prop([fc.array(path)])("A8 is listed in one order, whatever the language", (paths) => {
    const sorted = paths.toSorted(comparePaths);
    for (const [i, one] of sorted.entries()) {
      const next = sorted[i + 1];
      if (next !== undefined)
        expect(Buffer.compare(Buffer.from(one), Buffer.from(next))).toBeLessThan(1);
    }
  });
});
