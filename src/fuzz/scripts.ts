/**
 * Scripted behaviours: what random agents do on the real shell, one act after the other, awaited or not. Scripts are small
 * plain values, so that they shrink. Whatever is handed out to them is shown to a watcher.
 */
import type { Behavior, SampleInput, TakenResult, Turn } from "../runtime/api.js";

/** What a script can do. */
export const ACTS = [
  "sample",
  "sampleJson",
  "sampleFails",
  "sampleHangs",
  "send",
  "sendSelf",
  "sendUp",
  "wait",
  "spawn",
  "run",
  "runUntilStopped",
  "runForEver",
  "ask",
  "take",
  "takeFails",
  "takeHangs",
  "record",
  "interrupt",
  "look",
  "pause",
] as const;

/** How a script can end. `never` ignores its signal; `stopped` waits for it. */
export const ENDS = ["return", "repeat", "throw", "never", "stopped", "odd"] as const;

/** One act; `a` chooses among what there is. */
export interface Act {
  readonly kind: (typeof ACTS)[number];
  readonly a: number;
  readonly awaited: boolean;
}

/** What one turn does. */
export interface Script {
  readonly acts: readonly Act[];
  readonly end: (typeof ENDS)[number];
}

/** What a script throws on purpose. */
export class ScriptError extends Error {}

/** Sees what scripts are handed. */
export interface ScriptWatch {
  /** A promise of the library's: each must settle once its session is over. `text`: what it sends. */
  promise(what: string, promise: Promise<unknown>, text?: string): void;
  /** A signal of the library's: no listener may be left on it. */
  signal(signal: AbortSignal): void;
  /** Resolves when everything else has had its turn. */
  pause(): Promise<void>;
  /** Another text at each call. */
  text(): string;
  /** The paths that may be addressed, an odd one among them. */
  paths(): readonly string[];
}

const NAMES = ["a", "b", "c"] as const;
const forEver = (): Promise<never> => new Promise(() => undefined);

/** See the module header. Each turn that is called takes the next script. */
export class Scripts {
  private readonly scripts: readonly Script[];
  private readonly watch: ScriptWatch;
  private called = 0;

  constructor(scripts: readonly Script[], watch: ScriptWatch) {
    this.scripts = scripts;
    this.watch = watch;
  }

  /** The behaviour of every agent. */
  readonly behavior: Behavior = async (turn) => {
    const script = this.scripts[this.called++ % Math.max(this.scripts.length, 1)];
    this.watch.signal(turn.signal);
    let last: unknown = "";
    for (const act of script?.acts ?? []) {
      // A behaviour that ignores that it has been stopped is refused; it must do no harm.
      const done = this.act(turn, act);
      if (act.awaited) last = (await done.catch(() => undefined)) ?? last;
      else done.catch(() => undefined);
    }
    return this.end(turn, script?.end ?? "return", last);
  };

  private async end(turn: Turn, end: Script["end"], last: unknown): Promise<string> {
    switch (end) {
      case "return":
        return this.watch.text();
      case "repeat":
        return typeof last === "string" ? last : "";
      case "throw":
        throw new ScriptError("the script throws");
      case "never":
        return forEver();
      case "stopped":
        if (!turn.signal.aborted) {
          await new Promise((resolve) =>
            turn.signal.addEventListener("abort", resolve, { once: true }),
          );
        }
        return "late";
      case "odd":
        return 7 as unknown as string;
    }
  }

  private act(turn: Turn, act: Act): Promise<unknown> {
    const { what, promise, text } = this.call(turn, act);
    this.watch.promise(`${turn.path}#${turn.number} ${what}`, promise, text);
    return promise;
  }

  private call(
    turn: Turn,
    { kind, a }: Act,
  ): { readonly what: string; readonly promise: Promise<unknown>; readonly text?: string } {
    const name = NAMES[a % NAMES.length] ?? "a";
    const text = this.watch.text();
    switch (kind) {
      case "sample":
      case "sampleJson":
      case "sampleFails":
      case "sampleHangs":
        return { what: kind, promise: turn.sample((input) => this.sample(turn, input, kind, a)) };
      case "send":
        return { what: kind, promise: turn.send(this.path(a), text), text };
      case "sendSelf":
        return { what: kind, promise: turn.send(turn.path, text), text };
      case "sendUp":
        return { what: kind, promise: turn.send(above(turn.path), text), text };
      case "wait":
        return { what: kind, promise: turn.wait({ timeoutMs: 10_000 * (1 + (a % 3)) }) };
      case "spawn": {
        const role = a % 5 === 4 ? "communicator" : "delegator";
        return { what: kind, promise: turn.spawn({ name, behavior: "worker", task: text, role }) };
      }
      case "run":
      case "runUntilStopped":
      case "runForEver":
        return { what: kind, promise: this.yield(turn, kind, text) };
      case "ask":
        return { what: kind, promise: turn.ask(text) };
      case "take":
      case "takeFails":
      case "takeHangs":
        return { what: kind, promise: turn.takeResult(name, (taken) => this.take(taken, kind)) };
      case "record":
        return { what: kind, promise: turn.record({ text }) };
      case "interrupt":
        return { what: kind, promise: turn.interrupt(this.path(a)) };
      case "look":
        return { what: kind, promise: this.look(turn, this.path(a)) };
      case "pause":
        return { what: kind, promise: this.watch.pause() };
    }
  }

  private async sample(
    turn: Turn,
    input: SampleInput,
    kind: Act["kind"],
    a: number,
  ): Promise<unknown> {
    await input.transcript.read(-3);
    input.usage({ tokens: a });
    if (a % 2 === 1) await turn.partial(`part ${this.watch.text()}`);
    if (kind === "sampleFails") throw new ScriptError("the sample fails");
    if (kind === "sampleHangs") return forEver();
    return kind === "sampleJson" ? { a } : this.watch.text();
  }

  private yield(turn: Turn, kind: Act["kind"], text: string): Promise<number> {
    return turn.yieldExecution({
      command: text,
      run: async ({ signal, print }) => {
        this.watch.signal(signal);
        print(`printed ${text}`);
        if (kind === "runForEver") return forEver();
        if (kind === "run" || signal.aborted) return undefined;
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return undefined;
      },
    });
  }

  private async take({ signal }: TakenResult, kind: Act["kind"]): Promise<void> {
    this.watch.signal(signal);
    if (kind === "takeFails") throw new ScriptError("the handler fails");
    if (kind === "takeHangs") await forEver();
  }

  private async look(turn: Turn, path: string): Promise<void> {
    await turn.list();
    await turn.history(path).read();
    await turn.result(path);
  }

  private path(a: number): string {
    const paths = this.watch.paths();
    return paths[a % Math.max(paths.length, 1)] ?? "/root";
  }
}

function above(path: string): string {
  return path === "/root" ? path : path.slice(0, path.lastIndexOf("/"));
}
