/**
 * What a folder log asks of the ordered store under it: a narrow seam, so that a test can hand in one that fails.
 * A store must write a batch whole or not at all, and give keys back in the order of their UTF-8 bytes.
 */

/** One change of a batch; a `value` of `undefined` deletes. */
export interface Change {
  readonly key: string;
  readonly value: string | undefined;
}

/** Which keys to scan: from `gte` to just before `lt`, upwards unless `reverse`. */
export interface Scan {
  readonly gte: string;
  readonly lt: string;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** A key and its value. */
export type Entry = readonly [key: string, value: string];

/** An ordered store that is open. Its errors are this library's own. */
export interface Store {
  get(key: string): Promise<string | undefined>;
  /** Entries in order, as many at a time as suits the store; sees the store as it was when the scan began. */
  scan(scan: Scan): AsyncIterable<readonly Entry[]>;
  /** With `sync`, resolves when the batch is on the disk. */
  write(changes: readonly Change[], sync: boolean): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store of a folder.
 *
 * @throws LogInUse when another process has it open; LogCorrupt or LogUnavailable when it can't be opened.
 */
export type OpenStore = (folder: string, create: boolean) => Promise<Store>;

/** All entries of a short scan. */
export async function collect(store: Store, scan: Scan): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const batch of store.scan(scan)) entries.push(...batch);
  return entries;
}
