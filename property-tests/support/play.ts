/**
 * Plays random programs for the properties: each must come to rest, and no checker may find anything, whatever else the
 * property looks at.
 */
import { expect, vi } from "vitest";
import type { KernelRun } from "../../src/fuzz/kernelRun.js";
import { type Program, type ProgramWatch, play, programs } from "../../src/fuzz/programs.js";
import { check } from "../../test/support/property.js";

// A loaded machine must not fail a property; how many programs are played is DOVECOTE_RUNS's to say.
vi.setConfig({ testTimeout: 300_000 });

/** What a property looks at while a program is played. */
export interface Watch extends ProgramWatch {
  /** Nothing is queued, live or prepared any more. */
  rest?(run: KernelRun, program: Program): void;
}

/** Holds for every program; a property that remembers something makes its watch anew for each. */
export function everyProgram(of: Watch | (() => Watch)): void {
  check(programs, (program) => {
    const watch = typeof of === "function" ? of() : of;
    const run = play(program, watch);
    expect(run.violations).toEqual([]);
    watch.rest?.(run, program);
  });
}
