/** Watches for what would have ended the process: unhandled rejections and uncaught exceptions. */
import { afterEach, beforeEach, expect } from "vitest";

/** Makes every test of the file fail that leaves a rejection or an exception to the process (L6, Q1). */
export function expectNothingUnhandled(): void {
  const seen: unknown[] = [];
  const see = (error: unknown): void => void seen.push(error);
  let earlier: { event: NodeJS.UncaughtExceptionOrigin; listeners: Function[] }[] = [];

  beforeEach(() => {
    seen.length = 0;
    earlier = (["unhandledRejection", "uncaughtException"] as const).map((event) => {
      const listeners = process.listeners(event as "uncaughtException") as Function[];
      process.removeAllListeners(event);
      process.on(event as "uncaughtException", see);
      return { event, listeners };
    });
  });

  afterEach(async () => {
    // Rejections are reported once the microtasks of their tick are over; timers of observers come a turn later.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
    for (const { event, listeners } of earlier) {
      process.removeListener(event, see);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
    expect(seen).toEqual([]);
  });
}

/** Takes over from the test runner for as long as a test runs many programs, each of which must leave nothing unhandled. */
export function watchUnhandled(): { take(): readonly string[]; stop(): void } {
  const seen: string[] = [];
  const see = (error: unknown): void => void seen.push(`unhandled: ${String(error)}`);
  const earlier = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", see);
  return {
    take: () => seen.splice(0),
    stop: () => {
      process.removeListener("unhandledRejection", see);
      for (const listener of earlier) process.on("unhandledRejection", listener);
    },
  };
}
