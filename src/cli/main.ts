#!/usr/bin/env node
/**
 * The command `dovecote`: the process around `run`. A reader that goes away (a closed pipe) is no error.
 */
import { run } from "./run.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

/** Whether a line of progress stands on the terminal, which whatever comes next takes away. */
let isShowing = false;

function clear(): void {
  if (isShowing) process.stderr.write("\r\u001B[K");
  isShowing = false;
}

function show(text: string): void {
  process.stderr.write(`\r\u001B[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  isShowing = true;
}

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => {
    clear();
    process.stdout.write(`${line}\n`);
  },
  err: (line) => {
    clear();
    process.stderr.write(`${line}\n`);
  },
  ...(process.stderr.isTTY ? { progress: show } : {}),
  width: process.stdout.columns ?? 100,
  isColoured: process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "",
});
clear();
