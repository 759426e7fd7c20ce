/**
 * Group commit: the one place where a folder log writes. Whatever waits when a write begins is written as one batch
 * with one sync, in the order of the calls. The first write that fails ends it: a store that has failed once may go on
 * to acknowledge writes that it then loses, so nothing is handed to it again.
 */
import type { Change, Store } from "./store.js";

/** How a write ended. Only `written` is durable; of `unknown` a reopen tells; the others are absent for certain. */
export type WriteOutcome =
  | { readonly kind: "written" }
  | { readonly kind: "fenced" }
  | { readonly kind: "unknown"; readonly cause: unknown }
  | { readonly kind: "unavailable"; readonly cause: unknown };

/** What a group writer needs to know of its surroundings. */
export interface GroupWriterOptions {
  /** Whether each batch is synced before anyone is told. */
  readonly sync: boolean;
  /** Whether the folder is still ours; asked before each batch (L5). */
  readonly mayWrite: () => boolean;
  /** Runs something when everybody who was just told of a batch has had his turn. */
  readonly soon: (run: () => void) => void;
}

/** No batch grows beyond this by adding a second write to it; a larger single write goes alone. */
const MAX_GROUP_BYTES = 32 << 20;

interface Waiting {
  readonly changes: readonly Change[];
  readonly sync: boolean;
  readonly done: (outcome: WriteOutcome) => void;
}

/** Writes batches one after the other, each as large as what waits (L2, L6). */
export class GroupWriter {
  readonly #store: Store;
  readonly #options: GroupWriterOptions;
  #waiting: Waiting[] = [];
  #active = false;
  #failure: WriteOutcome | undefined;
  #onIdle: (() => void)[] = [];

  constructor(store: Store, options: GroupWriterOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Whether a write has failed: every later one is refused (L6). */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Writes some changes, all or nothing, together with what else waits. Never rejects. */
  write(changes: readonly Change[], sync = this.#options.sync): Promise<WriteOutcome> {
    if (this.#failure !== undefined) return Promise.resolve(this.#failure);
    return new Promise((done) => {
      this.#waiting.push({ changes, sync, done });
      this.#start();
    });
  }

  /** Resolves when nothing is being written and nothing waits. */
  idle(): Promise<void> {
    if (!this.#active) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #start(): void {
    if (this.#active) return;
    this.#active = true;
    this.#plan();
  }

  #plan(): void {
    // Everybody who was told by the last batch gets to ask for the next one before it is closed.
    this.#options.soon(() => void this.#next());
  }

  async #next(): Promise<void> {
    const group = this.#take();
    const outcome = await this.#writeGroup(group);
    for (const { done } of group) done(outcome);
    if (this.#failure !== undefined) {
      for (const { done } of this.#waiting) done(this.#failure);
      this.#waiting = [];
    }
    if (this.#waiting.length > 0) return this.#plan();
    this.#active = false;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #take(): readonly Waiting[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(({ changes }, index) => {
      for (const { value } of changes) bytes += value?.length ?? 0;
      return index > 0 && bytes > MAX_GROUP_BYTES;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #writeGroup(group: readonly Waiting[]): Promise<WriteOutcome> {
    if (!this.#options.mayWrite()) {
      this.#failure = { kind: "fenced" };
      return this.#failure;
    }
    try {
      await this.#store.write(
        group.flatMap(({ changes }) => changes),
        group.some(({ sync }) => sync),
      );
      return { kind: "written" };
    } catch (cause) {
      this.#failure = { kind: "unavailable", cause };
      return { kind: "unknown", cause };
    }
  }
}
