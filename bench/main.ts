/**
 * `npm run bench` compiles this as the package is compiled, takes all figures and prints each beside its target.
 * Every benchmark runs in a process of its own, so that none inherits another's compiled code or heap.
 *
 * `--json` prints one object a line, `--only NAME` takes one benchmark (more than once for several), `--list` names them.
 */
import { fork } from "node:child_process";
import { parseArgs } from "node:util";
import type { Benchmark, Figure } from "./figures.js";
import { fuzzBenchmarks } from "./fuzz.js";
import { kernelBenchmarks } from "./kernel.js";
import { logBenchmarks } from "./log.js";
import { replayBenchmarks } from "./replay.js";
import { sessionBenchmarks } from "./sessions.js";

/** The log's figures, in the form of the others. */
const log: Benchmark = {
  name: "log",
  async take() {
    const figures: Figure[] = [];
    for (const measure of logBenchmarks) {
      const { name, ratio, target, bound, ours, raw } = await measure();
      figures.push({ name, value: ratio, unit: "x", target, bound, behind: { ours, raw } });
    }
    return figures;
  },
};

const ALL: readonly Benchmark[] = [
  ...kernelBenchmarks,
  ...fuzzBenchmarks,
  log,
  ...replayBenchmarks,
  ...sessionBenchmarks,
];

function short(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString("en-US");
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function spell({ value, unit }: Pick<Figure, "value" | "unit">): string {
  return unit === "x" ? value.toFixed(2) : `${short(value)}${unit === "KB" ? " KB" : unit}`;
}

function missed({ value, target, bound }: Figure): boolean {
  if (target === undefined) return false;
  return bound === "at most" ? value > target : value < target;
}

function line(figure: Figure): string {
  const { name, unit, target, bound, behind = {} } = figure;
  const aim = target === undefined ? "" : `${bound} ${spell({ value: target, unit })}`;
  const rates = Object.entries(behind).map(([key, rate]) => `${key} ${short(rate)}/s`);
  const mark = missed(figure) ? "misses" : target === undefined ? "" : "ok";
  const columns = [name.padEnd(78), spell(figure).padStart(12), aim.padEnd(18), mark.padEnd(6)];
  return `${columns.join("  ")}  ${rates.join(", ")}`.trimEnd();
}

function print(figure: Figure, json: boolean): void {
  console.log(json ? JSON.stringify(figure) : line(figure));
}

/** Takes one benchmark in a process of its own. */
function takeApart({ name }: Benchmark): Promise<readonly Figure[]> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL(import.meta.url), ["--child", name]);
    let figures: readonly Figure[] | undefined;
    child.on("message", (message) => {
      figures = message as readonly Figure[];
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (figures !== undefined && code === 0) resolve(figures);
      else reject(new Error(`the benchmark ${name} ended with code ${code}`));
    });
  });
}

async function child(name: string): Promise<void> {
  const figures = await ALL.find((one) => one.name === name)?.take();
  await new Promise<void>((resolve) => {
    process.send?.(figures ?? [], () => resolve());
  });
  process.disconnect();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      child: { type: "string" },
    },
  });
  if (values.child !== undefined) return child(values.child);
  const names = ALL.map(({ name }) => name);
  if (values.list) return console.log(names.join("\n"));
  const unknown = values.only.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    console.error(
      `There is no benchmark ${JSON.stringify(unknown)}. There are: ${names.join(", ")}.`,
    );
    process.exitCode = 2;
    return;
  }
  for (const benchmark of ALL) {
    if (values.only.length > 0 && !values.only.includes(benchmark.name)) continue;
    console.error(`${benchmark.name} ...`);
    try {
      for (const figure of await takeApart(benchmark)) print(figure, values.json);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}

await main();
