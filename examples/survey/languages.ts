/**
 * What a file is written in: by its extension, by its name, or by the program that its first line names. A file with a
 * NUL byte near its beginning is no text, as git has it. Reads nothing by itself.
 */
import { basename, extname } from "node:path";

/** Text that nothing more is known of. */
export const OTHER = "Other";

const BY_EXTENSION = byWord({
  C: ".c .h",
  "C#": ".cs",
  "C++": ".cc .cpp .cxx .hpp .hh",
  CMake: ".cmake",
  CSS: ".css .scss .less",
  Go: ".go",
  HTML: ".html .htm",
  Java: ".java",
  JavaScript: ".js .mjs .cjs .jsx",
  JSON: ".json .jsonl .json5",
  Kotlin: ".kt .kts",
  Lua: ".lua",
  Make: ".mk",
  Markdown: ".md .mdx",
  PHP: ".php",
  Perl: ".pl .pm",
  Python: ".py .pyi",
  Ruby: ".rb",
  Rust: ".rs",
  SQL: ".sql",
  Shell: ".sh .bash .zsh",
  Swift: ".swift",
  TOML: ".toml",
  Text: ".txt .rst .adoc",
  TypeScript: ".ts .mts .cts .tsx",
  XML: ".xml .svg",
  YAML: ".yml .yaml",
});

const BY_NAME = byWord({
  CMake: "cmakelists.txt",
  Docker: "dockerfile containerfile",
  Groovy: "jenkinsfile",
  Make: "makefile gnumakefile",
  Ruby: "gemfile rakefile vagrantfile",
  Text: "authors changelog changes codeowners contributing copying install licence license notice readme todo",
});

const BY_PROGRAM = byWord({
  JavaScript: "node nodejs deno bun",
  Lua: "lua",
  Make: "make",
  PHP: "php",
  Perl: "perl",
  Python: "python pypy",
  Ruby: "ruby",
  Shell: "sh bash dash zsh ksh ash",
  TypeScript: "tsx ts-node",
});

/** How much of a file's beginning is looked at, in bytes. */
export const HEAD_BYTES = 8_000;

/** The language of a file; `undefined` when it is no text. `head` is its beginning. */
export function languageOf(path: string, head: Buffer): string | undefined {
  if (head.includes(0)) return undefined;
  const name = basename(path).toLowerCase();
  return BY_NAME.get(name) ?? BY_EXTENSION.get(extname(name)) ?? byFirstLine(head) ?? OTHER;
}

/** What `#!/usr/bin/env -S python3 -u` names: the program, without its version. */
function byFirstLine(head: Buffer): string | undefined {
  const [, command = ""] = /^#!\s*([^\n]*)/.exec(head.toString("latin1")) ?? [];
  const words = command.split(/\s+/).filter((word) => !/^-|=/.test(word));
  const program = words.map((word) => basename(word)).find((word) => word !== "env");
  return BY_PROGRAM.get((program ?? "").replace(/[\d.]+$/, ""));
}

function byWord(words: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(words).flatMap(([name, list]) => list.split(" ").map((one) => [one, name])),
  );
}
