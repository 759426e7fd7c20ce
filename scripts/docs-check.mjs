/**
 * Checks the Markdown files: every relative link leads to a file and, where it names one, to a heading; every
 * `npm run` command exists; the README names the test command.
 */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const inDocs = existsSync("docs")
  ? readdirSync("docs", { recursive: true }).map((name) => join("docs", name))
  : [];
const pages = [...readdirSync("."), ...inDocs].filter((path) => path.endsWith(".md"));

const withoutCode = (text) => text.replace(/^(`{3,}|~{3,}).*?^\1/gms, "").replace(/`[^`\n]*`/g, "");

/** The anchors of a page's headings, as they are shown on the web: lower case, no punctuation, dashes for spaces. */
function anchors(text) {
  const seen = new Map();
  const headings = text.replace(/^(`{3,}|~{3,}).*?^\1/gms, "").matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm);
  return [...headings].map(([, title]) => {
    const slug = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

function brokenLinks(page, text) {
  const targets = [
    ...withoutCode(text).matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g),
    ...withoutCode(text).matchAll(/^\[[^\]]+\]:\s*<?(\S+?)>?\s*$/gm),
    ...withoutCode(text).matchAll(/\b(?:src|href)="([^"]+)"/g),
  ].map((match) => match[1]);
  return targets.flatMap((target) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
    const [path, anchor] = target.split("#");
    const file = path === "" ? page : normalize(join(dirname(page), decodeURIComponent(path)));
    if (!existsSync(file)) return [`${page}: ${target} leads nowhere`];
    if (!anchor || !file.endsWith(".md") || !statSync(file).isFile()) return [];
    return anchors(readFileSync(file, "utf8")).includes(anchor)
      ? []
      : [`${page}: ${target} names no heading`];
  });
}

function unknownScripts(page, text) {
  const named = [...text.matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)]
    .filter(([whole, name]) => whole.startsWith("npm run ") || ["test", "start"].includes(name))
    .map(([, name]) => name);
  return [...new Set(named)]
    .filter((name) => scripts[name] === undefined)
    .map((name) => `${page}: no script is called ${name}`);
}

const faults = pages.flatMap((page) => {
  const text = readFileSync(page, "utf8");
  return [...brokenLinks(page, text), ...unknownScripts(page, text)];
});
if (!existsSync("README.md")) faults.push("README.md is missing");
else if (!/\bnpm test\b/.test(readFileSync("README.md", "utf8"))) {
  faults.push("README.md: the test command, npm test, is not named");
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`Read ${pages.length} pages.`);
