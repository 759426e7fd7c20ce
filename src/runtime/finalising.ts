/**
 * The host's finalisers for one agent's turns: run before a turn may end, in the order they were given. One that has
 * succeeded for a turn is not run again when another fails and the settlement is tried once more (S3).
 */
import type { AttemptRef, Json } from "../events/events.js";
import type { Finalisation } from "./api.js";
import { notJson, readJson } from "./json.js";
import { owned } from "./owned.js";
import type { WorkContext } from "./workContext.js";

/** See the module header. */
export class Finalising {
  private readonly context: WorkContext;
  private turn = 0;
  private done = new Set<string>();

  constructor(context: WorkContext) {
    this.context = context;
  }

  /** Runs what has not succeeded yet. Rejects with what the first failing one threw; ends early when `signal` aborts. */
  async run(attempt: AttemptRef, signal: AbortSignal): Promise<void> {
    if (this.turn !== attempt.turn) this.done = new Set();
    this.turn = attempt.turn;
    for (const [name, finaliser] of Object.entries(this.context.finalisers)) {
      if (signal.aborted) return;
      if (this.done.has(name)) continue;
      await finaliser(this.handleOf(attempt, signal));
      this.done.add(name);
    }
  }

  private handleOf({ path, gen, turn, attempt }: AttemptRef, signal: AbortSignal): Finalisation {
    const { shell, settlingAs, redact } = this.context;
    const ref = { path, gen, turn };
    const ended = (): boolean => signal.aborted;
    return {
      path,
      turn,
      signal,
      outcome: settlingAs(path),
      send(target, text) {
        return owned(async () => {
          const send = {
            kind: "send",
            by: ref,
            target,
            text: redact(text),
            finaliser: attempt,
          } as const;
          const { held } = await shell.ask(send);
          return held ? { startsWhenSlotFrees: true } : {};
        }, ended);
      },
      record(entry: Json) {
        return owned(async () => {
          const { result } = readJson(entry);
          if (result === undefined) throw notJson();
          await shell.ask({ kind: "record", turn: ref, entry: result, finaliser: attempt });
        }, ended);
      },
    };
  }
}
