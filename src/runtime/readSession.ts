/**
 * A session that is only looked at: it repairs nothing, starts nothing and writes nothing (R3).
 */
import { BadArgument } from "../errors.js";
import { type ParentReport, SILENT } from "../kernel/parents.js";
import { plainHost } from "../kernel/state.js";
import { readLevelLog } from "../log/levelLog.js";
import type { EventLog, SessionReader } from "../log/log.js";
import { ProjectionRunner } from "../projections/runner.js";
import { ProjectionStore } from "../projections/store.js";
import { foldLog } from "./foldLog.js";
import { checkLog } from "./options.js";
import { type BuiltIn, builtIn } from "./projections.js";
import { SessionView } from "./sessionView.js";
import { Texts } from "./texts.js";

/** What to look at. */
export interface ReadOptions {
  /** A folder that nobody writes to (it is read from a copy), or any log. */
  readonly log: string | EventLog;
  /** Which session of the log: `main` unless given. */
  readonly id?: string;
}

/** A session as its log had it when it was opened (R3). */
export class ReadOnlySession extends SessionView {
  private readonly closeAll: () => Promise<void>;

  /** @internal */
  constructor(source: ConstructorParameters<typeof SessionView>[0], closeAll: () => Promise<void>) {
    super(source);
    this.closeAll = closeAll;
  }

  /** Ends the reading. Twice is fine. */
  close(): Promise<void> {
    return this.closeAll();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Reads a session without a lease: turns that were live when its process died are shown as they were left (R3).
 *
 * @throws BadArgument when there is no such session; LogInUse, LogCorrupt, LogFormatError, NotALog, LogUnavailable.
 * @example
 * const session = await readSession({ log: "./data", id: "review-42" });
 * console.log(session.list());
 */
export async function readSession(options: ReadOptions): Promise<ReadOnlySession> {
  checkLog(options.log);
  const own = typeof options.log === "string" ? readLevelLog(options.log) : null;
  const log = own ?? (options.log as EventLog);
  let reader: SessionReader | undefined;
  const closeAll = async (): Promise<void> => {
    await reader?.close();
    await own?.close();
  };
  try {
    const id = options.id ?? "main";
    reader = await log.readSession(id);
    if (reader === undefined) {
      throw new BadArgument(`There is no session ${JSON.stringify(id)} in ${log.name}.`, "R3");
    }
    const runner = new ProjectionRunner<BuiltIn>(builtIn);
    const state = await foldLog(reader, plainHost([]), runner);
    const store = new ProjectionStore(runner, { onListenerError: () => undefined });
    const askHost = async (): Promise<ParentReport> => SILENT;
    const source = {
      id,
      log: reader,
      store,
      texts: new Texts(reader),
      state: () => state,
      askHost,
    };
    return new ReadOnlySession(source, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}
