/**
 * What a user's code is handed in the behaviour world: the real turn and the real session, each answer of theirs behind a gate.
 * It is a thin skin: it knows of the methods only which of them are handed code to call.
 */
import type { Behavior, ExecutionOptions, Turn } from "../runtime/api.js";
import type { Activity, Gates } from "./gates.js";

type Call = (...args: readonly unknown[]) => unknown;

/** A handle whose promises pass gates. `see` may take the place of an argument that is code to be called. */
function gated<T extends object>(
  target: T,
  pass: (method: string, args: readonly unknown[], answer: Promise<unknown>) => Promise<unknown>,
  see: (method: string, args: readonly unknown[]) => readonly unknown[] = (_, args) => args,
): T {
  return new Proxy(target, {
    get(from, key) {
      const value: unknown = Reflect.get(from, key, from);
      if (typeof value !== "function" || typeof key !== "string") return value;
      return (...args: readonly unknown[]) => {
        const answer = (value as Call).apply(from, [...see(key, args)]);
        return answer instanceof Promise ? pass(key, args, answer) : answer;
      };
    },
  });
}

/** What the host holds: a session whose answers are steps. */
export function gatedSession<T extends object>(gates: Gates, session: T, by: Activity): T {
  return gated(session, (method, _, answer) => gates.pass(`host:${method}`, answer, { by }));
}

/** A behaviour whose beginning, and whatever its turn answers, are steps. */
export function gatedBehavior(gates: Gates, behavior: Behavior): Behavior {
  return async (turn) => new GatedTurn(gates, turn).run(behavior);
}

class GatedTurn {
  private readonly gates: Gates;
  private readonly turn: Turn;
  private readonly name: string;
  /** The user's code that runs for this turn, the innermost last: it is that which waits. */
  private readonly running: Activity[] = [];
  /** Calls that come when none of it runs any more. */
  private readonly late: Activity = { name: "late", waits: new Map() };

  constructor(gates: Gates, turn: Turn) {
    this.gates = gates;
    this.turn = turn;
    this.name = gates.numbered(`${turn.path}#${turn.number}`);
  }

  async run(behavior: Behavior): Promise<string | void> {
    return this.within("begin", () => {
      // Stopped before it was called: nothing runs for a turn that is over (I4).
      this.turn.signal.throwIfAborted();
      return behavior(this.handle());
    });
  }

  /** Runs code of the user's, from a step on. */
  private async within<T>(verb: string, call: () => Promise<T> | T): Promise<T> {
    const activity = this.gates.begin(`${this.name} ${verb}`);
    this.running.push(activity);
    try {
      await this.gates.step(`${this.name}:${verb}`, activity);
      return await call();
    } finally {
      this.running.splice(this.running.indexOf(activity), 1);
      this.gates.end(activity);
    }
  }

  private handle(): Turn {
    const { signal } = this.turn;
    return gated(
      this.turn,
      (method, args, answer) => {
        const isEffect = method === "effect";
        const verb = isEffect ? String(args[0]) : method;
        const by = this.running.at(-1) ?? this.late;
        const isOver = (): boolean => signal.aborted;
        return this.gates.pass(`${this.name}:${verb}`, answer, { by, isEffect, isOver });
      },
      (method, args) => this.see(method, args),
    );
  }

  private see(method: string, args: readonly unknown[]): readonly unknown[] {
    const [first, second] = args;
    if (method === "sample") return [this.called("take", first)];
    if (method === "takeResult") return [first, this.called("handle", second)];
    if (method !== "yieldExecution") return args;
    const options = first as ExecutionOptions;
    return [{ ...options, run: this.called("run", options.run) }];
  }

  /** Code of the user's that the library calls; what is no function goes on as it is, to be refused. */
  private called(verb: string, code: unknown): unknown {
    if (typeof code !== "function") return code;
    return (...args: readonly unknown[]) => this.within(verb, () => (code as Call)(...args));
  }
}
