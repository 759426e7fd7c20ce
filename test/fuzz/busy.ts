/** A scenario in which much goes on at once. */
import type { Played } from "../../src/fuzz/scenario.js";
import { sometimes } from "../../src/fuzz/sometimes.js";
import type { Behavior } from "../../src/runtime/api.js";

/** Agents that write to each other, wait, run commands and ask; the host interrupts. */
export function busy(): Played {
  const root: Behavior = async (turn) => {
    if (turn.task !== undefined) {
      await turn.spawn({ name: "a", behavior: "worker", task: "one" });
      await turn.spawn({ name: "b", behavior: "worker", task: "two" });
      await turn.takeResult("a", () => undefined);
    }
    await turn.wait({ timeoutMs: 60_000 });
    sometimes("the root waits");
    return turn.sample(({ mail }) => `${mail.length}`);
  };
  const worker: Behavior = async (turn) => {
    const other = turn.path === "/root/a" ? "/root/b" : "/root/a";
    await turn.sample(async ({ mail }) => {
      await turn.partial("so far");
      return mail.length;
    });
    const sending = turn.send(other, "hello").catch(() => undefined);
    await turn.yieldExecution({ command: "ls", run: async ({ print }) => print("a file") });
    await turn.wait({ timeoutMs: 10_000 });
    await sending;
    return turn.sample(({ mail }) => `read ${mail.length}`);
  };
  return {
    behaviors: { root, worker },
    host: (session) => session.prompt("go"),
    actions: { ask: (session) => session.send("/root/a", "are you there?") },
    session: { capacity: 2, limits: { wakes: 20 } },
  };
}
