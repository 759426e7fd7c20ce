#!/usr/bin/env node
/**
 * The command `dovecote`: the process around `run`. A reader that goes away (a closed pipe) is no error.
 */
import { run } from "./run.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  width: process.stdout.columns ?? 100,
  isTerminal: process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined,
});
