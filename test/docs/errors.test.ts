/** docs/errors.md has every code of the source, and each with the rules that the source gives it. */
import ts from "typescript";
import { describe, expect, it } from "vitest";

import { parse, sourcesBelow } from "../style/files.js";
import { read, rowsUnder } from "./pages.js";

type Source = ReturnType<typeof parse>;

/** The members of the string unions that are called so, other unions looked up by name. */
function members(source: Source, name: string): string[] {
  for (const statement of source.tree.statements) {
    if (ts.isTypeAliasDeclaration(statement) && statement.name.text === name) {
      const { type } = statement;
      return (ts.isUnionTypeNode(type) ? [...type.types] : [type]).flatMap((one) => {
        if (ts.isLiteralTypeNode(one) && ts.isStringLiteral(one.literal)) return one.literal.text;
        return ts.isTypeReferenceNode(one) ? members(source, one.typeName.getText()) : [];
      });
    }
  }
  throw new Error(`${source.path} has no type ${name}`);
}

const isRule = (text: string) => /^[A-Z]\d{1,2}$/.test(text);

/** Places where a code and a rule stand side by side: arguments, list items, or the fields `code` and `rule`. */
function pairsOf(source: Source, codes: ReadonlySet<string>): [code: string, rule: string][] {
  const pairs: [string, string][] = [];
  const text = (node: ts.Node | undefined) =>
    node !== undefined && ts.isStringLiteral(node) ? node.text : "";
  const pair = (code: string, rule: string) => {
    if (codes.has(code) && isRule(rule)) pairs.push([code, rule]);
  };
  const visit = (node: ts.Node): void => {
    const items = ts.isCallExpression(node)
      ? node.arguments
      : ts.isArrayLiteralExpression(node)
        ? node.elements
        : undefined;
    items?.forEach((item, i) => pair(text(item), text(items[i + 1])));
    if (ts.isObjectLiteralExpression(node)) {
      const field = (name: string) =>
        node.properties.find((one) => one.name?.getText(source.tree) === name);
      const valueOf = (name: string) => {
        const found = field(name);
        return found !== undefined && ts.isPropertyAssignment(found) ? text(found.initializer) : "";
      };
      pair(valueOf("code"), valueOf("rule"));
    }
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return pairs;
}

const bare = (cell: string | undefined) => (cell ?? "").replaceAll("`", "");

describe("docs/errors.md", () => {
  const rows = rowsUnder(read("docs/errors.md"), "code");
  const documented = new Map(
    rows.map(([code, rules]) => [bare(code), bare(rules).split(/,\s*/)] as const),
  );
  const source = parse("src/errors.ts", read("src/errors.ts"));
  const codes = members(source, "ErrorCode");

  it("has every code of the source once, and no other", () => {
    expect(codes).toContain("target-unknown");
    expect(codes).toContain("log-corrupt");
    expect(rows.map(([code]) => bare(code)).sort()).toEqual([...codes].sort());
  });

  it("tells refusals from failures", () => {
    const refusals = rows.filter((cells) => cells.length === 4).map(([code]) => bare(code));
    expect(refusals.sort()).toEqual(members(source, "RejectionCode").sort());
  });

  it("gives each code the rules that the source cites for it", () => {
    const pairs = sourcesBelow("src").flatMap((one) => pairsOf(one, new Set(codes)));
    expect(pairs).toContainEqual(["target-unknown", "A2"]);
    expect(pairs).toContainEqual(["session-closed", "L8"]);
    expect(pairs).toContainEqual(["log-in-use", "L5"]);
    const missing = pairs.filter(([code, rule]) => !(documented.get(code) ?? []).includes(rule));
    expect(missing).toEqual([]);
  }, 60_000);

  it("says of every code what it means and what to do", () => {
    expect(rows.filter((cells) => cells.some((cell) => cell === ""))).toEqual([]);
  });
});
