/** What a store says of itself, and what it must not hold, looked at once when it is opened. */
import { LogCorrupt } from "../errors.js";
import { brokenStore, checkLayout, LAYOUT_VERSION, parseJson } from "./folder.js";
import {
  COMMITS,
  FORMAT_KEY,
  HEADS,
  rangeOf,
  sessionOf,
  UNFINISHED_HEAD,
  UNKNOWN_RANGES,
} from "./keys.js";
import { collect, type Change, type Store } from "./store.js";

/** The entry that says which layout the store has (L4). */
export const FORMAT_ENTRY: Change = {
  key: FORMAT_KEY,
  value: JSON.stringify({ format: LAYOUT_VERSION }),
};

/**
 * Looks at an opened store before anything is read from it (L3, L4).
 *
 * @throws LogCorrupt, LogFormatError
 */
export async function checkStore(folder: string, store: Store): Promise<void> {
  const text = await store.get(FORMAT_KEY);
  if (text === undefined) throw brokenStore(folder, `its store has no ${FORMAT_KEY}`);
  const { format } = parseJson(text);
  if (typeof format !== "number") throw brokenStore(folder, `its ${FORMAT_KEY} is malformed`);
  checkLayout(folder, format);
  for (const range of UNKNOWN_RANGES) {
    const [unknown] = await collect(store, { ...range, limit: 1 });
    if (unknown === undefined) continue;
    throw new LogCorrupt(
      { session: "", from: 0, to: 0, kind: "unknown-key" },
      `${folder}: its store holds a key "${unknown[0]}"`,
    );
  }
}

/**
 * The ids of the sessions of a store, sorted: of those that have a head, that have commits, or that `named` says should
 * be there, so that one which lost a part of these is still seen (L3).
 *
 * @throws LogCorrupt when a key names no session.
 */
export async function sessionsOf(
  store: Store,
  named: Iterable<string>,
): Promise<readonly string[]> {
  const sessions = new Set(named);
  const unfinished = new Set<string>();
  for await (const batch of store.scan(HEADS)) {
    for (const [key, text] of batch) {
      const session = sessionNamed(key);
      if (text === UNFINISHED_HEAD) unfinished.add(session);
      else sessions.add(session);
    }
  }
  // One look a session: from its first commit straight to what follows its last.
  let gte: string = COMMITS.gte;
  for (;;) {
    const [first] = await collect(store, { gte, lt: COMMITS.lt, limit: 1 });
    if (first === undefined) return [...sessions].sort();
    const session = sessionNamed(first[0]);
    if (!unfinished.has(session)) sessions.add(session);
    gte = rangeOf("c", session).lt;
  }
}

function sessionNamed(key: string): string {
  const session = sessionOf(key);
  if (session !== undefined) return session;
  throw new LogCorrupt(
    { session: "", from: 0, to: 0, kind: "unknown-key" },
    `the store holds a key "${key}", which names no session`,
  );
}
