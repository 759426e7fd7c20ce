/**
 * Opens what a command looks at, and lets go of it whatever happens.
 */
import { type Trace, openTrace } from "../replay/trace.js";
import type { Common } from "./logCommand.js";

/** Gives a trace of the log's session to `use`. */
export async function withTrace<T>(
  log: string,
  { session }: Pick<Common, "session">,
  use: (trace: Trace) => Promise<T>,
): Promise<T> {
  const trace = await openTrace(log, session === undefined ? {} : { session });
  try {
    return await use(trace);
  } finally {
    await trace.close();
  }
}
