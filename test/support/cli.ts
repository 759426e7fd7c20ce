/** Calls the command line in this process, and gives what it wrote and how it ended. */
import { run } from "../../src/cli/run.js";

/** What a call came to. */
export interface Called {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One call, on no terminal. */
export async function call(...args: readonly string[]): Promise<Called> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    width: 100,
  };
  const code = await run(args, io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}
