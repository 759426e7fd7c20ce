/**
 * Installs the packed package into an empty project, type-checks a small program against it as a strict consumer would
 * (`exactOptionalPropertyTypes`, declaration files included), and runs that program.
 *
 * Declaration files of other packages are checked as well, but their faults are only counted: they are not ours to mend.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

import ts from "typescript";

import { root, run, withTarball } from "./pack.mjs";

const timeoutMs = 120_000;

function typeCheckAndEmit(project) {
  const program = ts.createProgram([join(project, "program.ts")], {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
  });
  const installed = program
    .getSourceFiles()
    .filter((file) => file.fileName.includes("/node_modules/dovecote/dist/"));
  if (installed.length === 0)
    throw new Error("The program reads no type of the installed package.");

  const foreign = (diagnostic) => {
    const path = diagnostic.file?.fileName ?? "";
    return path.includes("/node_modules/") && !path.includes("/node_modules/dovecote/");
  };
  const all = ts.getPreEmitDiagnostics(program);
  const ours = all.filter((diagnostic) => !foreign(diagnostic));
  if (ours.length > 0) {
    console.error(
      ts.formatDiagnostics(ours, {
        getCanonicalFileName: (path) => path,
        getCurrentDirectory: () => project,
        getNewLine: () => "\n",
      }),
    );
    throw new Error(`${ours.length} type errors in the consumer's program.`);
  }
  program.emit();
  const elsewhere = new Set(
    all.filter(foreign).map((diagnostic) => {
      const inside = diagnostic.file.fileName.split("/node_modules/").at(-1);
      return inside
        .split("/")
        .slice(0, inside.startsWith("@") ? 2 : 1)
        .join("/");
    }),
  );
  console.log(
    `Type-checked against ${installed.length} declaration files of the package; ` +
      (elsewhere.size === 0
        ? "no fault in those of others."
        : `faults in those of others: ${[...elsewhere].join(", ")}.`),
  );
}

await withTarball(async ({ tarball, folder }) => {
  const project = join(folder, "consumer");
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "consumer", version: "1.0.0", private: true, type: "module" }),
  );
  run(
    "npm",
    [
      "install",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
      relative(project, tarball).split(sep).join("/"),
    ],
    { cwd: project },
  );
  copyFileSync(join(root, "test/consumer/program.ts"), join(project, "program.ts"));
  typeCheckAndEmit(project);
  run(process.execPath, ["program.js"], { cwd: project, timeout: timeoutMs });
});
