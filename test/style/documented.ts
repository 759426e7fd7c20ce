/** Which exports of an entry have no TSDoc comment. Needs the compiler's checker, to follow an export to its declaration. */
import ts from "typescript";

import { root } from "./files.js";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  types: ["node"],
  rootDir: root,
};

/** The exports of the files that no comment describes, each as `file: name`. */
export function undocumentedExports(files: readonly string[]): string[] {
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) return [`${file}: exports nothing`];
    return checker
      .getExportsOfModule(module)
      .filter((symbol) => !isDocumented(symbol, checker))
      .map((symbol) => `${file}: ${symbol.name}`);
  });
}

function isDocumented(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const alias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const target = alias ? checker.getAliasedSymbol(symbol) : symbol;
  return target.getDocumentationComment(checker).some((part) => part.text.trim() !== "");
}
