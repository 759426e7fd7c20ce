/**
 * The code in the README and the guides is run: blocks marked `ts run`, each a module of its own that knows the package
 * by name and nothing else. What it prints is the next block, when that is marked `text output`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { filesBelow, root } from "../style/files.js";
import { blocksOf, read } from "./pages.js";

interface Snippet {
  readonly name: string;
  readonly code: string;
  /** What it prints, where the page says so. */
  readonly output: string | undefined;
}

/** The blocks of a page that are to be run. */
function snippetsOf(page: string, text: string): Snippet[] {
  const blocks = blocksOf(text);
  return blocks.flatMap(({ info, code, line }, i) => {
    if (info !== "ts run") return [];
    const next = blocks[i + 1];
    const output = next?.info === "text output" ? next.code : undefined;
    return [{ name: `${page}:${line}`, code, output }];
  });
}

const guides = filesBelow("docs/guides").filter((path) => path.endsWith(".md"));
const snippets = ["README.md", ...guides].flatMap((page) => snippetsOf(page, read(page)));

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dovecote-snippets-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a snippet as a module beside no package: its import of the package leads to the sources. */
function writeModule(code: string, file: string): string {
  const entry = (part = "") => pathToFileURL(join(root, "src", part, "index.ts")).pathname;
  const path = join(folder, file);
  const found = code.replace(
    /from "dovecote(?:\/([a-z]+))?";/g,
    (_, part?: string) => `from ${JSON.stringify(entry(part))};`,
  );
  writeFileSync(path, found);
  return path;
}

/** Runs a module and gives what it printed. */
async function run(code: string, file: string): Promise<string> {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => {
    printed.push(`${format(...words)}\n`);
  });
  try {
    await import(/* @vite-ignore */ writeModule(code, file));
    return printed.join("");
  } finally {
    log.mockRestore();
  }
}

describe("the code in the docs", () => {
  it("is there", () => {
    const where = new Set(snippets.map(({ name }) => name.split(":")[0]));
    expect(where).toEqual(new Set(["README.md", ...guides]));
    expect(guides).toContain("docs/guides/spawn.md");
  });

  it.each(snippets.map((snippet, i) => ({ ...snippet, file: `snippet${i}.ts` })))(
    "runs: $name",
    async ({ code, output, file }) => {
      const printed = await run(code, file);
      if (output === undefined) expect(printed).toBe("");
      else expect(printed).toBe(output);
    },
    60_000,
  );

  const compileMs = 120_000;

  it(
    "has the types it needs",
    () => {
      const files = snippets.map(({ code }, i) => writeModule(code, `typed${i}.mts`));
      expect(faultsOf(files)).toEqual([]);
    },
    compileMs,
  );

  it(
    "is shown to fail when it does not run, has wrong types, or prints something else",
    async () => {
      await expect(run('throw new Error("no");', "throws.ts")).rejects.toThrow("no");
      expect(await run('console.log("a %s", 1);', "prints.ts")).toBe("a 1\n");
      const wrong = writeModule(
        'import { memoryLog } from "dovecote";\nexport const a: string = memoryLog();\n',
        "wrong.mts",
      );
      expect(faultsOf([wrong])).toHaveLength(1);
      const page = "```ts run\na();\n```\n\nprints\n\n```text output\nb\n```\n```ts\nc();\n```\n";
      expect(snippetsOf("x.md", page)).toEqual([{ name: "x.md:2", code: "a();\n", output: "b\n" }]);
    },
    compileMs,
  );
});

/** What the compiler says against some files. */
function faultsOf(files: readonly string[]): string[] {
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.es2024.string.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  });
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    if (source === undefined) return [`${file} is missing`];
    const found = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  });
}
