/** docs/contract.md names the tests that hold each rule, and is up to date. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { describe, expect, it } from "vitest";

import { root } from "../style/files.js";
import { read } from "./pages.js";

interface Index {
  /** The page of a folder as it is, and as its tests say it should be. */
  readonly contractPage: (folder: string) => { readonly text: string; readonly fresh: string };
}

const script = join(root, "scripts/contract-index.mjs");
const { contractPage } = (await import(/* @vite-ignore */ pathToFileURL(script).href)) as Index;

/** A folder with these files, for as long as it is used. */
function inFolder(files: Record<string, string>, use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "dovecote-contract-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function freshPage(files: Record<string, string>): string {
  let page = "";
  inFolder(files, (folder) => {
    page = contractPage(folder).fresh;
  });
  return page;
}

const rules = "# Rules\n\n## 1. One\n\n### Z1\n\nFirst.\n\n### Z2\n\nSecond.\n\n## 2. Two\n";
const files = {
  "docs/contract.md": rules,
  "test/a.test.ts": [
    'describe("all of Z1", () => {',
    '  it("holds", f);',
    '  it.each([1, 2])("holds `%d`", f);',
    "});",
    "suite.it(`Z1 of ${name}`, f);",
    'f("Z2");',
  ].join("\n"),
};

describe("docs/contract.md", () => {
  it("is up to date with the titles of the tests; else: npm run contract", () => {
    const { text, fresh } = contractPage(root);
    expect(text).toBe(fresh);
  }, 60_000);

  it("has every rule that the errors cite", () => {
    const known = [...read("docs/contract.md").matchAll(/^### (\w+)$/gm)].map(([, id]) => id);
    expect(known.length).toBeGreaterThan(80);
    expect(new Set(known).size).toBe(known.length);
    const cited = [...read("src/errors.ts").matchAll(/"([A-Z]\d{1,2})"/g)].map(([, id]) => id);
    expect(cited).toContain("L5");
    expect(cited.filter((id) => !known.includes(id))).toEqual([]);
  });
});

describe("the index of tests", () => {
  it("names the tests below their rules, and says which rules have none", () => {
    const [first, second] = freshPage(files).split("### Z2");
    expect(first).toContain("<summary>3 tests</summary>");
    expect(first).toContain("- `test/a.test.ts`\n  - `all of Z1 > holds`\n");
    expect(first).toContain("  - `` all of Z1 > holds `%d` ``\n");
    expect(first).toContain("  - `Z1 of …`\n");
    expect(second).toContain("Second.\n\n**Not yet**: no test names it.\n\n## 2. Two\n");
  });

  it("reads a range as every rule in it", () => {
    const text = freshPage({ ...files, "property-tests/b.test.ts": 'it("Z1-Z2 hold", f);' });
    expect(text.match(/`Z1-Z2 hold`/g)).toHaveLength(2);
    expect(text).not.toContain("Not yet");
  });

  it("takes away what no longer holds, and gives the same when it runs again", () => {
    const page = freshPage(files);
    expect(freshPage({ ...files, "docs/contract.md": page })).toBe(page);
    const changed = { "docs/contract.md": page, "test/a.test.ts": 'it("Z2 is new", f);' };
    const [first, second] = freshPage(changed).split("### Z2");
    expect(first).toBe(
      "# Rules\n\n## 1. One\n\n### Z1\n\nFirst.\n\n**Not yet**: no test names it.\n\n",
    );
    expect(second).toContain("`Z2 is new`");
  });

  it("fails its check until the page is written", () => {
    const run = (...words: string[]) => spawnSync(process.execPath, [script, ...words]).status;
    inFolder(files, (folder) => {
      const page = () => readFileSync(join(folder, "docs/contract.md"), "utf8");
      expect(run(folder, "--check")).toBe(1);
      expect(page()).toBe(rules);
      expect(run(folder)).toBe(0);
      expect(page()).not.toBe(rules);
      expect(run(folder, "--check")).toBe(0);
    });
  }, 60_000);
});
