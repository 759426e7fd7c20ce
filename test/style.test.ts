/** Style as failing tests: each rule holds over the repository, and each is shown a text that breaks it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { undocumentedExports } from "./style/documented.js";
import { filesBelow, parse, read, root, sourcesBelow } from "./style/files.js";
import * as rules from "./style/rules.js";

const sources = sourcesBelow("src");
const tests = sourcesBelow("test", "property-tests");
const core = sources.filter(({ path }) => /^src\/(events|kernel)\//.test(path));

/** What a rule says of a text that stands at `path`. */
function seeded(
  rule: (source: ReturnType<typeof parse>) => string[],
  text: string,
  path = "src/x.ts",
) {
  return rule(parse(path, text));
}

describe("the size of the sources", () => {
  it("keeps every file within 400 lines", () => {
    expect(sources).not.toHaveLength(0);
    expect(sources.flatMap(rules.longFile)).toEqual([]);
  });

  it("keeps most files within 200 lines", () => {
    const longer = sources.filter(({ text }) => rules.lineCount(text) > rules.USUAL_FILE_LINES);
    const list = longer.map(({ path, text }) => `${path} (${rules.lineCount(text)})`).join(", ");
    console.info(`${longer.length} of ${sources.length} files exceed 200 lines: ${list || "none"}`);
    expect(longer.length).toBeLessThan(Math.max(2, sources.length / 2));
  });

  it("keeps every function within 70 lines", () => {
    expect(sources.flatMap(rules.longFunctions)).toEqual([]);
  });

  it("notices a long file and a long function of every form", () => {
    const lines = (count: number) => "f();\n".repeat(count);
    expect(seeded(rules.longFile, lines(400))).toEqual([]);
    expect(seeded(rules.longFile, lines(401))).toEqual(["src/x.ts has 401 lines"]);
    for (const open of [
      "function a() {",
      "const a = () => {",
      "const a = { b() {",
      "class A { get b() {",
    ]) {
      const close = open.split("{").length === 3 ? "} }" : "}";
      expect(seeded(rules.longFunctions, `${open}\n${lines(68)}${close}\n`)).toEqual([]);
      expect(seeded(rules.longFunctions, `${open}\n${lines(69)}${close}\n`)).toHaveLength(1);
    }
  });
});

describe("the core", () => {
  it("names no clock, chance, timer, promise or outer world", () => {
    expect(core).not.toHaveLength(0);
    expect(core.flatMap(rules.coreOutsiders)).toEqual([]);
  });

  it.each([
    "const t = Date.now();",
    "const t = new Date();",
    "const r = Math.random();",
    'const r = Math["random"]();',
    "const { random } = Math;",
    "setTimeout(f, 1);",
    "setInterval(f, 1);",
    "setImmediate(f);",
    "queueMicrotask(f);",
    "async function f() {}",
    "const f = async () => 1;",
    "class A { async b() {} }",
    "await f();",
    "async function f() { for await (const a of b) a; }",
    "let p: Promise<void>;",
    "const p = Promise.resolve();",
    'const m = import("./m.js");',
    "const e = process.env;",
    "const { env } = process;",
    "const g = globalThis;",
    "const t = performance.now();",
    'console.log("x");',
    "const f = { setTimeout };",
    "names.sort((a, b) => a.localeCompare(b));",
  ])("may not say: %s", (text) => {
    expect(seeded(rules.coreOutsiders, text)).not.toEqual([]);
  });

  it.each([
    "const a = event.process;",
    "interface A { performance: number; console(): void }",
    "const a = { process: 1 };",
    "const a = Math.max(1, 2);",
    "// await Promise, new Date()",
    'const a = "async";',
  ])("may say: %s", (text) => {
    expect(seeded(rules.coreOutsiders, text)).toEqual([]);
  });
});

describe("all sources", () => {
  it("read clocks, chance and timers only in the ports", () => {
    expect(sources.flatMap(rules.strayNondeterminism)).toEqual([]);
  });

  it("notice a clock, a chance or a timer outside the ports", () => {
    const strays = [
      "Math.random();",
      "const { random } = Math;",
      "Date.now();",
      "new Date();",
      "performance.now();",
      "setTimeout(f, 1);",
      "globalThis.setTimeout(f, 1);",
      "setInterval(f, 1);",
      "const arm = setTimeout;",
    ];
    for (const text of strays) {
      expect(seeded(rules.strayNondeterminism, text), text).toHaveLength(1);
      expect(seeded(rules.strayNondeterminism, text, "src/runtime/ports.ts"), text).toEqual([]);
    }
    const inLog = (text: string) => seeded(rules.strayNondeterminism, text, "src/log/levelLog.ts");
    expect(inLog("setTimeout(f, 1);")).toEqual([]);
    expect(inLog("Date.now();")).toHaveLength(1);
    expect(seeded(rules.strayNondeterminism, "clock.setTimeout(f, 1);")).toEqual([]);
    expect(seeded(rules.strayNondeterminism, "const when = new Date(at);")).toEqual([]);
  });

  it("print only from the command line", () => {
    expect(sources.flatMap(rules.strayPrinting)).toEqual([]);
  });

  it("notice printing elsewhere", () => {
    for (const text of ['console.log("x");', 'process.stdout.write("x");', "f(process.stderr);"]) {
      expect(seeded(rules.strayPrinting, text), text).toHaveLength(1);
      expect(seeded(rules.strayPrinting, text, "src/cli/main.ts"), text).toEqual([]);
    }
  });

  it("never say any", () => {
    expect(sources.flatMap(rules.explicitAny)).toEqual([]);
    expect(seeded(rules.explicitAny, "let a: any;\nconst b = c as any[];\n// any\n")).toEqual([
      "src/x.ts:1 says any",
      "src/x.ts:2 says any",
    ]);
  });

  it("never export *", () => {
    expect(sources.flatMap(rules.exportStar)).toEqual([]);
    expect(seeded(rules.exportStar, 'export * from "./a.js";')).toHaveLength(1);
    expect(seeded(rules.exportStar, 'export * as a from "./a.js";')).toHaveLength(1);
    expect(seeded(rules.exportStar, 'export { a } from "./a.js";\nexport const b = 1;')).toEqual(
      [],
    );
  });

  it("begin with a header that says what they own", () => {
    expect(sources.flatMap(rules.missingHeader)).toEqual([]);
  });

  it("notice a missing header", () => {
    const header = "/** Owns the names of things. */\n";
    expect(seeded(rules.missingHeader, 'import { a } from "./a.js";\n')).toHaveLength(1);
    expect(seeded(rules.missingHeader, '/** x */\nimport { a } from "./a.js";\n')).toHaveLength(1);
    expect(seeded(rules.missingHeader, `${header}export const a = 1;\n`)).toHaveLength(1);
    expect(seeded(rules.missingHeader, `${header}\nexport const a = 1;\n`)).toEqual([]);
    expect(seeded(rules.missingHeader, `${header}import { a } from "./a.js";\n`)).toEqual([]);
    expect(seeded(rules.missingHeader, "// Owns the names of things.\n\nconst a = 1;\n")).toEqual(
      [],
    );
    expect(
      seeded(rules.missingHeader, "// Owns the names of things.\nconst a = 1;\n"),
    ).toHaveLength(1);
  });
});

describe("the tests", () => {
  it("leave none of themselves out", () => {
    expect(tests).not.toHaveLength(0);
    expect(tests.flatMap(rules.passedOverTests)).toEqual([]);
  });

  it("notice a test that is left out", () => {
    for (const member of ["only", "skip", "todo", "skipIf", "runIf"]) {
      for (const name of ["it", "test", "describe", "test.concurrent", "test.each([1])"]) {
        expect(seeded(rules.passedOverTests, `${name}.${member}("x", f);`)).toHaveLength(1);
      }
    }
    expect(seeded(rules.passedOverTests, 'it("x", { skip: true }, f);')).toHaveLength(1);
    expect(seeded(rules.passedOverTests, "trace.skip(1); f({ skip: 2 });")).toEqual([]);
  });
});

const hasMergeMarks = (text: string): boolean => /^(?:<{7}|>{7})(?: |$)/m.test(text);

describe("the project", () => {
  const binary = /\.(png|jpe?g|gif|webp|ico|woff2?|ldb|gz|tgz)$/;

  it("speaks of itself and not of the place where it was written", () => {
    const files = filesBelow().filter((path) => !binary.test(path));
    expect(files).toContain("package.json");
    expect(files.flatMap((path) => rules.workplaceWords(path, read(path)))).toEqual([]);
  });

  it("has no marks of an unfinished merge in it", () => {
    const files = filesBelow().filter((path) => !binary.test(path));
    const marked = files.filter((path) => hasMergeMarks(read(path)));
    expect(marked).toEqual([]);
    expect(hasMergeMarks(`a\n${"<".repeat(7)} HEAD\nb\n`)).toBe(true);
    expect(hasMergeMarks(`a\n${">".repeat(7)} other\n`)).toBe(true);
    expect(hasMergeMarks("a << b\n")).toBe(false);
  });

  it("notices words of the workplace", () => {
    const slash = "/";
    const words = [
      `cd ${slash}work/main`,
      `see "${slash}root/.pyenv/bin"`,
      `in ${slash}home/someone/x`,
      `a ${["farm", "bench"].join("-")} run`,
      `"${"resolved"}": "http://localhost:4873/a.tgz"`,
    ];
    for (const text of words) expect(rules.workplaceWords("x.md", text), text).toHaveLength(1);
    for (const text of ["/root/work/a", "/root/a", "https://example.org/work/x", "./work/x"]) {
      expect(rules.workplaceWords("x.md", text), text).toEqual([]);
    }
  });
});

describe("what the package exports", () => {
  const timeoutMs = 120_000;

  it(
    "has a TSDoc comment on every declaration",
    () => {
      const manifest = JSON.parse(read("package.json")) as {
        exports: Record<string, { types?: string }>;
      };
      const present = new Set(sources.map(({ path }) => path));
      const entries = Object.values(manifest.exports)
        .flatMap(({ types }) => types ?? [])
        .map((path) => path.replace("./dist/", "src/").replace(".d.ts", ".ts"))
        .filter((path) => present.has(path));
      expect(undocumentedExports(entries.map((path) => join(root, path)))).toEqual([]);
    },
    timeoutMs,
  );

  it(
    "notices an export without one, however it is exported",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "dovecote-style-"));
      const entry = join(folder, "index.mts");
      try {
        writeFileSync(
          join(folder, "a.mts"),
          "/** Told. */\nexport const a = 1;\nexport const b = 2;\n",
        );
        writeFileSync(entry, 'export { a, b as c } from "./a.mjs";\nexport type D = 1;\n');
        expect(undocumentedExports([entry])).toEqual([`${entry}: c`, `${entry}: D`]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    timeoutMs,
  );
});
