/** The glossary owns the words: no page uses one that it says to avoid. */
import { describe, expect, it } from "vitest";

import { glossary, pages, proseOf, read, rowsUnder } from "./pages.js";

function list(cell: string | undefined): string[] {
  return (cell ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** The words to avoid, of both kinds of tables. */
function avoided(text: string): string[] {
  const beside = rowsUnder(text, "word").flatMap((cells) => list(cells[2]));
  const empty = rowsUnder(text, "words to avoid").flatMap((cells) => list(cells[0]));
  return [...beside, ...empty];
}

/** Where a page uses one of the words, each as `page:line word`. */
function uses(page: string, text: string, words: readonly string[]): string[] {
  return proseOf(text)
    .split("\n")
    .flatMap((line, i) =>
      words
        .filter((word) => new RegExp(`(?<![\\w-])${word}s?(?![\\w-])`, "i").test(line))
        .map((word) => `${page}:${i + 1} ${word}`),
    );
}

describe("the glossary", () => {
  const text = read(glossary);
  const words = avoided(text);

  it("names words to avoid", () => {
    expect(words).toContain("transaction");
    expect(words).toContain("seamless");
  });

  it("owns each word once", () => {
    const owned = rowsUnder(text, "word").map(([word]) => word);
    expect(new Set(owned).size).toBe(owned.length);
    expect(owned).toContain("mark");
    expect(words.filter((word) => owned.includes(word))).toEqual([]);
  });

  it("is kept by every page", () => {
    const others = pages().filter((page) => page !== glossary);
    expect(others.flatMap((page) => uses(page, read(page), words))).toEqual([]);
  });

  it("notices a word to avoid, but not in code or inside another word", () => {
    const seeded = (line: string) => uses("x.md", `one\n${line}\n`, ["transaction", "log entry"]);
    expect(seeded("All transactions end.")).toEqual(["x.md:2 transaction"]);
    expect(seeded("A Log entry.")).toEqual(["x.md:2 log entry"]);
    expect(seeded("`transaction` and transactional")).toEqual([]);
    expect(seeded("```ts\ntransaction();\n```")).toEqual([]);
    expect(seeded("<details>\n\ntransaction\n\n</details>")).toEqual([]);
  });
});
