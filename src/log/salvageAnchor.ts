/**
 * What salvage keeps of the commits that retention had cut: the anchor, when it and its base are good, and of the commits
 * that were kept those that are. Without the base nothing could be folded, so nothing that follows can be used.
 */
import { decodeAnchor, type StoredAnchor } from "./anchor.js";
import { cutKeys, readBase, readKept } from "./cut.js";
import { anchorKey } from "./keys.js";
import type { Anchor, Snapshot } from "./log.js";
import type { Store } from "./store.js";

/** What is found where a session begins; nothing at all where it was never cut. */
export interface FoundAnchor {
  readonly anchor: Anchor | undefined;
  /** Why where it begins can't be used. */
  readonly fault: string | undefined;
}

/** What salvage brings to the search. */
export interface FaultFinder {
  /** The text of the error that something throws, if it is one of damage. */
  readonly faultIn: <T>(
    read: () => Promise<T>,
  ) => Promise<{ readonly value: T } | { readonly fault: string }>;
  /** Takes note of a commit that was kept and is damaged. */
  readonly lose: (position: number, fault: string) => void;
}

/** Looks where a session begins. */
export async function anchorIn(
  store: Store,
  session: string,
  { faultIn, lose }: FaultFinder,
): Promise<FoundAnchor> {
  const text = await store.get(anchorKey(session));
  if (text === undefined) return { anchor: undefined, fault: undefined };
  const found = await faultIn(async (): Promise<readonly [StoredAnchor, Snapshot]> => {
    const anchor = decodeAnchor(session, text);
    return [anchor, await readBase(store, session, anchor)];
  });
  if ("fault" in found) return { anchor: undefined, fault: found.fault };
  const [stored, base] = found.value;
  const { position, hash, epoch, kept } = stored;
  const anchor: Anchor = {
    position,
    hash,
    epoch,
    base: () => Promise.resolve(base),
    kept: async function* () {
      for (const at of kept.keys()) {
        const read = await faultIn(() => readKept(store, session, stored, at));
        if ("fault" in read) lose(at, read.fault);
        else if (read.value !== undefined) yield read.value;
      }
    },
    keys: async function* () {
      const keys = cutKeys(store, session, stored);
      for (;;) {
        const next = await faultIn(() => keys.next());
        if ("fault" in next) return lose(position, next.fault);
        if (next.value.done === true) return;
        yield next.value.value;
      }
    },
  };
  return { anchor, fault: undefined };
}
