/**
 * A test runner for Stryker that loads the tests once: they are bundled with the instrumented sources, and a mutant is
 * chosen while they run. Loading them anew for each mutant, as the runner for vitest does, costs many times the tests.
 * Only for mutants that are active while tests run; those that are active while modules load are left out.
 */
import { mkdir, readFile, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** In this order, for a run ends at the first failure: examples before properties. */
const FOLDERS = ["test/kernel", "test", "property-tests"];
/** These judge other folders. */
const OTHERS = [
  "commit-codec",
  "stored-paths",
  "the-timeline",
  "live-projections",
  "the-real-shell",
  "todays-kernel",
  "style.test",
];

/** Few programs and one seed, so that a survivor is a survivor each time. */
const ENVIRONMENT = { DOVECOTE_RUNS: "25", DOVECOTE_SEED: "42", SEED: "42" };

async function testFiles() {
  const found = [];
  for (const folder of FOLDERS) {
    const names = (await readdir(folder)).filter((name) => name.endsWith(".test.ts")).sort();
    found.push(...names.map((name) => `${folder}/${name}`));
  }
  return found.filter((file) => !OTHERS.some((name) => file.includes(`/${name}`)));
}

/**
 * Bounds a command at 8 MiB and not 64, and what tests write accordingly: counting 64 MiB in instrumented code would
 * take longer than all else.
 */
function smaller(source) {
  return source
    .replace(/(?<=MAX_COMMAND_BYTES =)[^;]+/u, " 8 * 1024 * 1024")
    .replaceAll("64 * 1024 * 1024", "8 * 1024 * 1024");
}

/** Everything in one module; each file's hooks end with it. */
async function bundle() {
  const shim = resolve("scripts/mutation/shim.mjs");
  const folder = resolve(".stryker-bundle");
  await mkdir(folder, { recursive: true });
  const outfile = join(folder, `tests-${process.pid}.mjs`);
  const lines = (await testFiles()).map(
    (file) => `await import(${JSON.stringify(`./${file}`)}); endFile();`,
  );
  await build({
    stdin: {
      contents: [
        `import { endFile, tests, cleanUp, Unsupported } from ${JSON.stringify(shim)};`,
        'await import("./test/support/seed.ts");',
        ...lines,
        "export { tests, cleanUp, Unsupported };",
      ].join("\n"),
      resolveDir: process.cwd(),
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
    plugins: [
      {
        name: "shim",
        setup: (esbuild) => {
          esbuild.onResolve({ filter: /^(vitest|@fast-check\/vitest)$/ }, ({ importer }) =>
            importer === shim ? undefined : { path: shim },
          );
          esbuild.onLoad({ filter: /\.test\.ts$|kernel\/text\.ts$/ }, async ({ path }) => ({
            contents: smaller(await readFile(path, "utf8")),
            loader: "ts",
          }));
        },
      },
    ],
  });
  return outfile;
}

class InProcessRunner {
  static inject = [];

  /** What the instrumented sources ask which mutant is active. */
  context = (globalThis.__stryker__ ??= {});

  capabilities() {
    // Mutants that are active while modules load need a new process, and are ignored.
    return { reloadEnvironment: false };
  }

  async init() {
    Object.assign(process.env, ENVIRONMENT);
    Object.assign(this, await import(pathToFileURL(await bundle()).href));
    // The largest texts take longest.
    const isSlow = ({ name }) => /\bL2\b/u.test(name);
    this.tests.sort((a, b) => isSlow(a) - isSlow(b));
  }

  async dryRun() {
    this.context.activeMutant = undefined;
    const results = [];
    for (const test of this.tests) results.push(await this.run(test));
    return { status: "complete", tests: results, mutantCoverage: this.context.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const wanted = testFilter === undefined ? undefined : new Set(testFilter);
    Object.assign(this.context, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    let nrOfTests = 0;
    try {
      for (const test of this.tests) {
        if (wanted?.has(test.name) === false) continue;
        nrOfTests++;
        const { status, id, failureMessage } = await this.run(test);
        if (this.context.hitCount > hitLimit) return { status: "timeout", reason: "hit limit" };
        if (status === FAILED) {
          return { status: "killed", killedBy: [id], failureMessage, nrOfTests };
        }
      }
      return { status: "survived", nrOfTests };
    } finally {
      this.context.activeMutant = undefined;
    }
  }

  async run({ name, fn, before, after }) {
    const began = performance.now();
    const result = (rest) => ({
      id: name,
      name,
      timeSpentMs: performance.now() - began,
      ...rest,
    });
    this.context.currentTestId = name;
    try {
      for (const hook of before) await hook();
      await fn();
      for (const hook of after) await hook();
      return result({ status: SUCCESS });
    } catch (error) {
      if (error instanceof this.Unsupported) return result({ status: SKIPPED });
      return result({ status: FAILED, failureMessage: String(error?.message ?? error) });
    } finally {
      await this.cleanUp();
      this.context.currentTestId = undefined;
    }
  }
}

const [SUCCESS, FAILED, SKIPPED] = [0, 1, 2];

export const strykerPlugins = [
  { kind: "TestRunner", name: "in-process", injectableClass: InProcessRunner },
];
