/**
 * Writes into docs/contract.md, below each rule, the names of the tests that cite it: a test cites a rule by its id in
 * its title, or in the title of a `describe` around it (`M5`, or a range, `I1-I4`). A rule that no test names is "Not yet".
 * `--check` writes nothing and fails when the file is not what it would write. A folder may be named instead of this one.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const page = "docs/contract.md";
/** Where tests stand. Suites that other packages run are declared in the sources. */
const places = ["test", "property-tests", "src/testing"];
const declarers = new Set(["it", "test", "describe"]);

function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => /\.tsx?$/.test(path))
    .sort();
}

/** The name that a call's callee ends or begins with: `it`, of `it.each(rows)` and `framework.it` too. */
function declarer(callee) {
  if (ts.isIdentifier(callee)) return declarers.has(callee.text) ? callee.text : undefined;
  if (ts.isCallExpression(callee)) return declarer(callee.expression);
  if (ts.isTaggedTemplateExpression(callee)) return declarer(callee.tag);
  if (!ts.isPropertyAccessExpression(callee)) return undefined;
  return declarers.has(callee.name.text) ? callee.name.text : declarer(callee.expression);
}

function titleOf(node) {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

/** The full titles of a file's tests. */
function testsOf(root, path) {
  const tree = ts.createSourceFile(
    path,
    readFileSync(join(root, path), "utf8"),
    ts.ScriptTarget.ES2022,
  );
  const titles = [];
  const visit = (node, around) => {
    let inside = around;
    if (ts.isCallExpression(node)) {
      const what = declarer(node.expression);
      const title = what === undefined ? undefined : titleOf(node.arguments[0]);
      if (title !== undefined && what === "describe") inside = [...around, title];
      else if (title !== undefined) titles.push([...around, title].join(" > "));
    }
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(tree, []);
  return titles;
}

/** The ids in a title, ranges spelled out. */
function cited(title) {
  return [...title.matchAll(/\b([A-Z])(\d{1,2})(?:-([A-Z])(\d{1,2}))?\b/g)].flatMap((match) => {
    const [, letter, first, sameLetter, last] = match;
    if (last === undefined) return [letter + first];
    if (sameLetter !== letter) return [letter + first, sameLetter + last];
    const count = Math.max(0, Number(last) - Number(first) + 1);
    return Array.from({ length: count }, (_, i) => `${letter}${Number(first) + i}`);
  });
}

/** Rule id, then file, then titles. */
function index(root) {
  const byRule = new Map();
  for (const path of places.flatMap((folder) => filesBelow(root, folder))) {
    for (const title of testsOf(root, path)) {
      for (const id of new Set(cited(title))) {
        const byFile = byRule.get(id) ?? new Map();
        byRule.set(id, byFile);
        byFile.set(path, [...(byFile.get(path) ?? []), title]);
      }
    }
  }
  return byRule;
}

function code(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}

function block(byFile) {
  if (byFile === undefined) return "**Not yet**: no test names it.\n";
  const count = [...byFile.values()].flat().length;
  const lines = [...byFile].flatMap(([path, titles]) => [
    `- \`${path}\``,
    ...titles.map((title) => `  - ${code(title)}`),
  ]);
  const summary = `${count} ${count === 1 ? "test" : "tests"}`;
  return `<details><summary>${summary}</summary>\n\n${lines.join("\n")}\n\n</details>\n`;
}

const heading = /^### ([A-Z]\d{1,2})$/;
/** What the index writes between a rule's text and the next heading. */
const written = /\n(\*\*Not yet\*\*: no test names it\.|<details>[\s\S]*?<\/details>)\n/;

function render(text, byRule) {
  return text
    .split(/^(?=#{2,3} )/m)
    .map((part) => {
      const id = heading.exec(part.split("\n", 1)[0])?.[1];
      if (id === undefined) return part;
      return `${part.replace(written, "\n").trimEnd()}\n\n${block(byRule.get(id))}\n`;
    })
    .join("")
    .replace(/\n+$/, "\n");
}

/** The page of a folder as it is, and as its tests say it should be. */
export function contractPage(root) {
  const text = readFileSync(join(root, page), "utf8");
  return { text, fresh: render(text, index(root)) };
}

function main(words) {
  const given = words.find((word) => !word.startsWith("--"));
  const root = given === undefined ? fileURLToPath(new URL("..", import.meta.url)) : resolve(given);
  const { text, fresh } = contractPage(root);
  if (text === fresh) console.log(`${page} is up to date.`);
  else if (words.includes("--check")) {
    console.error(`${page} is not up to date. Run: npm run contract`);
    process.exitCode = 1;
  } else {
    writeFileSync(join(root, page), fresh);
    console.log(`Wrote ${page}.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
