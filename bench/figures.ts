/**
 * Figures and how they are taken: rates, medians, ratios of two measurements that take turns. Knows nothing of what is
 * measured. A figure is read beside its target; a rate alone says more of the machine than of the code.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";

/** One line of the output. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `x`: ours over raw; `/s`: so many a second; `KB`: kilobytes of heap. */
  readonly unit: "x" | "/s" | "KB";
  readonly target?: number;
  readonly bound?: "at least" | "at most";
  /** The rates behind a ratio, a second. */
  readonly behind?: Readonly<Record<string, number>>;
}

/** A benchmark: its name, and how to take its figures. */
export interface Benchmark {
  readonly name: string;
  take(): Promise<readonly Figure[]>;
}

/** Something that can be run again and again, and tells its rate a second. */
export type Rate = () => Promise<number>;

/** The middle one. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Runs `count` of something and gives its rate a second. */
export async function rateOf(count: number, run: () => Promise<void> | void): Promise<number> {
  const start = performance.now();
  await run();
  return (count * 1000) / (performance.now() - start);
}

/** Rounds that are thrown away, while the code is still being compiled. */
const WARM_UPS = 2;

/** The median rate of some rounds. */
export async function medianRate(rounds: number, run: Rate): Promise<number> {
  for (let round = 0; round < WARM_UPS; round++) await run();
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) rates.push(await run());
  return median(rates);
}

/**
 * Several rates, measured in turns so that all meet the same moments of a shared machine. Gives for each the median
 * rate, and the median of its ratio to the last one in the same turn.
 */
export async function sideBySide(
  rounds: number,
  rates: readonly Rate[],
): Promise<readonly { readonly rate: number; readonly ratio: number }[]> {
  for (let round = 0; round < WARM_UPS; round++) for (const rate of rates) await rate();
  const turns: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    const turn: number[] = [];
    for (const rate of rates) turn.push(await rate());
    turns.push(turn);
  }
  return rates.map((_, index) => ({
    rate: median(turns.map((turn) => turn[index] ?? Number.NaN)),
    ratio: median(turns.map((turn) => (turn[index] ?? Number.NaN) / (turn.at(-1) ?? Number.NaN))),
  }));
}

/**
 * The rate a second of processor time, for what keeps one core busy: other work on the machine does not count. The
 * collector's own threads do, so it says rather too little.
 */
export function coreRateOf(count: number, run: () => void): Promise<number> {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return Promise.resolve((count * 1_000_000) / (user + system));
}

/** Runs something in a folder of its own, which is removed after. */
export async function inFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "dovecote-bench-"));
  try {
    return await body(join(folder, "data"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
