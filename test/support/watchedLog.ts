/** A log in a real folder whose store can be watched and made to fail, and whose timer is run by hand. */
import { FolderLog } from "../../src/log/folderLog.js";
import { levelSeams, openLevel } from "../../src/log/levelLog.js";
import type { EventLog } from "../../src/log/log.js";
import { openForWriting, type LevelLogOptions } from "../../src/log/openFolder.js";
import type { Change, Store } from "../../src/log/store.js";

/** What a test sees and does. */
export interface Watch {
  readonly log: EventLog;
  /** The batches written since the folder was opened, the making of the folder included. */
  readonly writes: { readonly changes: readonly Change[]; readonly sync: boolean }[];
  /** What the next writes do: `fail` writes nothing, `lie` writes and then says that it failed. */
  mode: "work" | "fail" | "lie";
  /** Called at the start of each write; what it returns is awaited. */
  beforeWrite: (() => Promise<void>) | undefined;
  /** Called at the start of each scan; what it returns is awaited. */
  beforeScan: (() => Promise<void>) | undefined;
  /** Timers that are set and have not been called off. */
  readonly timers: Set<() => void>;
}

/** Opens a folder under watch. */
export function watchedLog(folder: string, options: LevelLogOptions = {}): Watch {
  const timers = new Set<() => void>();
  const openStore = async (path: string, create: boolean): Promise<Store> =>
    watchStore(await openLevel(path, create), watch);
  const schedule = (run: () => void): (() => void) => {
    timers.add(run);
    return () => timers.delete(run);
  };
  const log = new FolderLog(folder, (asked) =>
    openForWriting(folder, options, { ...levelSeams, openStore, schedule }, asked),
  );
  const watch: Watch = {
    log,
    writes: [],
    mode: "work",
    beforeWrite: undefined,
    beforeScan: undefined,
    timers,
  };
  return watch;
}

function watchStore(store: Store, watch: Watch): Store {
  return {
    get: (key) => store.get(key),
    scan: async function* (scan) {
      await watch.beforeScan?.();
      yield* store.scan(scan);
    },
    close: () => store.close(),
    write: async (changes, sync) => {
      watch.writes.push({ changes, sync });
      await watch.beforeWrite?.();
      if (watch.mode === "fail") throw new Error("no space left");
      await store.write(changes, sync);
      if (watch.mode === "lie") throw new Error("the disk went away");
    },
  };
}
