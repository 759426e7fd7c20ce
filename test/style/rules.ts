/**
 * The style rules as functions from a source to its violations, each a line that says where and what.
 * They know nothing of the disk, so that the tests can show each one a text that breaks it.
 */
import ts from "typescript";

import type { Source } from "./files.js";

/** The most lines of a file. */
const MAX_FILE_LINES = 400;
/** What most files stay under. */
export const USUAL_FILE_LINES = 200;
/** The most lines of a function. */
const MAX_FUNCTION_LINES = 70;

/** How many lines a text has; a closing newline starts no further one. */
export function lineCount(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function at(source: Source, node: ts.Node): string {
  const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree));
  return `${source.path}:${line + 1}`;
}

/** Calls `look` for every node, and gathers what it says: the violation's text, or nothing. */
function collect(source: Source, look: (node: ts.Node) => string | undefined): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const what = look(node);
    if (what !== undefined) found.push(`${at(source, node)} ${what}`);
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}

/** Files of more than 400 lines. */
export function longFile({ path, text }: Source): string[] {
  const lines = lineCount(text);
  return lines > MAX_FILE_LINES ? [`${path} has ${lines} lines`] : [];
}

/** Functions of more than 70 lines. */
export function longFunctions(source: Source): string[] {
  return collect(source, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return undefined;
    const lines = lineCount(node.getText(source.tree));
    return lines > MAX_FUNCTION_LINES ? `is a function of ${lines} lines` : undefined;
  });
}

/** Globals that the core may not name: clocks, chance, timers, promises and the world outside. */
const outsideTheCore = new Set([
  "Date",
  "Promise",
  "clearImmediate",
  "clearInterval",
  "clearTimeout",
  "console",
  "crypto",
  "fetch",
  "globalThis",
  "performance",
  "process",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

/** Whether an identifier is only a name here: of a member, a key, or of something declared at this place. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isQualifiedName(parent)) return parent.right === node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  return (
    (ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isNamedTupleMember(parent)) &&
    parent.name === node
  );
}

/** The member that an access reads, as in `Date.now` or `Date["now"]`, if the object is called `object`. */
function memberOf(node: ts.Node, object: string): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    return endsWithName(node.expression, object) ? node.name.text : undefined;
  }
  if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)) {
    return endsWithName(node.expression, object) ? node.argumentExpression.text : undefined;
  }
  return undefined;
}

function endsWithName(node: ts.Expression, name: string): boolean {
  return (
    (ts.isIdentifier(node) && node.text === name) ||
    (ts.isPropertyAccessExpression(node) && node.name.text === name)
  );
}

/** The members that a pattern takes out of an object, as in `const { random } = Math`. */
function takenOutOf(node: ts.Node, object: string): string[] {
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return [];
  if (node.initializer === undefined || !endsWithName(node.initializer, object)) return [];
  return node.name.elements.map((element) => (element.propertyName ?? element.name).getText());
}

function readsMember(node: ts.Node, object: string, member: string): boolean {
  return memberOf(node, object) === member || takenOutOf(node, object).includes(member);
}

/** What has no place in the core: everything that is not decided by its input alone. */
export function coreOutsiders(source: Source): string[] {
  return collect(source, (node) => {
    if (ts.isIdentifier(node) && outsideTheCore.has(node.text) && !isMemberName(node)) {
      return `names ${node.text}`;
    }
    if (readsMember(node, "Math", "random")) return "names Math.random";
    if (ts.isAwaitExpression(node)) return "awaits";
    if (node.kind === ts.SyntaxKind.AwaitKeyword) return "awaits";
    if (node.kind === ts.SyntaxKind.AsyncKeyword) return "is async";
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      return "imports dynamically";
    }
    if (
      ts.isPropertyAccessExpression(node) &&
      /^(localeCompare|toLocale\w+)$/.test(node.name.text)
    ) {
      return `calls ${node.name.text}, which depends on the machine's language`;
    }
    return undefined;
  });
}

const timers = new Set(["setTimeout", "setInterval", "setImmediate"]);

/** Who may read the clock, draw a number, arm a timer. */
const portsFile = "src/runtime/ports.ts";
const timerFiles = new Set([portsFile, "src/log/levelLog.ts"]);

/** Clocks, chance and timers outside the ports. */
export function strayNondeterminism(source: Source): string[] {
  return collect(source, (node) => {
    if (source.path !== portsFile) {
      if (readsMember(node, "Math", "random")) return "draws a number with Math.random";
      if (readsMember(node, "Date", "now")) return "reads the clock with Date.now";
      if (readsMember(node, "performance", "now")) return "reads the clock with performance.now";
      if (
        ts.isNewExpression(node) &&
        endsWithName(node.expression, "Date") &&
        (node.arguments ?? []).length === 0
      ) {
        return "reads the clock with new Date()";
      }
    }
    if (timerFiles.has(source.path) || !ts.isIdentifier(node) || !timers.has(node.text)) {
      return undefined;
    }
    const member = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
    const ofGlobal = member && endsWithName(node.parent.expression, "globalThis");
    return ofGlobal || !isMemberName(node) ? `arms a timer with ${node.text}` : undefined;
  });
}

/** Printing outside the command line. */
export function strayPrinting(source: Source): string[] {
  if (source.path.startsWith("src/cli/")) return [];
  return collect(source, (node) => {
    if (ts.isIdentifier(node) && node.text === "console" && !isMemberName(node)) {
      return "prints with console";
    }
    const stream = memberOf(node, "process");
    return stream === "stdout" || stream === "stderr" ? `prints to process.${stream}` : undefined;
  });
}

/** The type `any`, spelled out. */
export function explicitAny(source: Source): string[] {
  return collect(source, (node) =>
    node.kind === ts.SyntaxKind.AnyKeyword ? "says any" : undefined,
  );
}

/** `export * from` and `export * as name from`: the public surface is written by hand. */
export function exportStar(source: Source): string[] {
  return collect(source, (node) => {
    if (!ts.isExportDeclaration(node)) return undefined;
    const named = node.exportClause !== undefined && ts.isNamedExports(node.exportClause);
    return named ? undefined : "exports *";
  });
}

/**
 * A file that doesn't begin with a comment on what it owns. A comment that stands right above a declaration is that
 * declaration's; a header has an import or an empty line below it.
 */
export function missingHeader({ path, text, tree }: Source): string[] {
  const missing = [`${path} has no header that says what it owns`];
  const first = /^(#![^\n]*\n)?(\/\*\*[\s\S]*?\*\/|(?:\/\/[^\n]*\n)+)/.exec(text);
  if (first === null) return missing;
  const words = first[2]?.match(/\p{L}{2,}/gu) ?? [];
  if (words.length < 3) return missing;
  const statement = tree.statements[0];
  if (statement === undefined || ts.isImportDeclaration(statement)) return [];
  if (ts.isExportDeclaration(statement)) return [];
  const below = text.slice(first[0].length);
  const emptyLine = first[2]?.startsWith("//") ? /^[ \t]*\n/ : /^[ \t]*\n[ \t]*\n/;
  return emptyLine.test(below) ? [] : missing;
}

const testRoots = new Set(["it", "test", "describe", "suite", "bench", "ctx", "context"]);
const passedOver = new Set(["only", "skip", "todo", "skipIf", "runIf"]);

function rootName(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) {
    return rootName(node.expression);
  }
  return undefined;
}

/** Tests that are left out, or that leave out others: by a member (`it.skip`) or by an option (`{ skip: true }`). */
export function passedOverTests(source: Source): string[] {
  return collect(source, (node) => {
    if (ts.isPropertyAccessExpression(node) && passedOver.has(node.name.text)) {
      return testRoots.has(rootName(node.expression) ?? "") ? `uses .${node.name.text}` : undefined;
    }
    if (ts.isPropertyAssignment(node) && passedOver.has(node.name.getText(source.tree))) {
      const call = node.parent.parent;
      const ofTest = ts.isCallExpression(call) && testRoots.has(rootName(call.expression) ?? "");
      return ofTest ? `uses the option ${node.name.getText(source.tree)}` : undefined;
    }
    return undefined;
  });
}

/**
 * Words that belong to the place where this was written and not to the project: folders of one machine and the names of
 * its tools. `/root` is an agent's path here, so only a hidden folder below it counts. Each pattern is spelled so that
 * it doesn't match itself.
 */
const workplace = [
  /(?<![\w.~-])\/[w]ork(space)?\/[\w.]/,
  /(?<![\w.~-])\/[r]oot\/\.\w/,
  /(?<![\w.~-])\/([h]ome|Users)\/\w/,
  /\b[C]:\\Users\\/,
  /\bfarm[-]bench\b/i,
  /\b[C]o-authored-by:/i,
  /"[r]esolved": "(?!https:\/\/registry\.npmjs\.org\/)/,
];

/** Lines that speak of the workplace. */
export function workplaceWords(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) => {
    const found = workplace.map((pattern) => pattern.exec(line)?.[0]).find((hit) => hit);
    return found === undefined ? [] : [`${path}:${index + 1} says ${found}`];
  });
}
