/**
 * Running the kernel on by commands, with everything around it left out: no effect is performed, and no behaviour called.
 * What it makes are commits that a trace can be opened on.
 */
import type { DovecoteEvent } from "../events/events.js";
import type { Command } from "../kernel/command.js";
import { type Decision, decide } from "../kernel/decide.js";
import type { CommitLike } from "../kernel/invariants/judge.js";
import { type Host, type State, emptyState, plainHost } from "../kernel/state.js";

/** A kernel that runs on from some state. Who puts the commands says where commits end. */
export class Run {
  state: State;
  private durable: State;
  private readonly done: CommitLike[] = [];
  private pending: DovecoteEvent[] = [];

  /** `pending` are events at the head of the next commit that the state holds already. */
  constructor(state: State, pending: readonly DovecoteEvent[] = [], durable = state) {
    this.state = state;
    this.durable = durable;
    this.pending = [...pending];
  }

  /** Puts one command to the kernel. */
  put(command: Command): Decision {
    const decision = decide(this.state, command);
    this.state = decision.state;
    for (const event of decision.events) this.pending.push(event);
    return decision;
  }

  /** The process dies, and another one opens what is in commits (R2). */
  crash(): Decision {
    this.pending = [];
    this.state = { ...this.durable, host: this.state.host };
    return this.put({ kind: "open", capacity: null });
  }

  /** Ends the commit that is being filled. */
  commit(): void {
    if (this.pending.length === 0) return;
    const [n] = this.state.next;
    this.done.push({ n, events: this.pending });
    this.pending = [];
    this.state = { ...this.state, next: [n + 1, 0] };
    this.durable = this.state;
  }

  /** What has been made so far, and is in a commit. */
  get commits(): readonly CommitLike[] {
    return this.done;
  }
}

/** Commands as they shared commits, each with the host it met where that changes. */
export interface Script {
  /** What the embedding program brought, by the number of the run. */
  readonly hosts: Readonly<
    Record<number, Partial<Host> & { readonly behaviors: ReadonlySet<string> }>
  >;
  /** The commands of each commit. */
  readonly commits: readonly (readonly Command[])[];
}

/**
 * Runs a script, commit by commit, so that every event gets the order point that it had: what `toTest` writes down.
 *
 * @example const trace = await openTrace(rerun({ hosts: { 1: { behaviors: new Set(["worker"]) } }, commits }))
 */
export function rerun({ hosts, commits }: Script): readonly CommitLike[] {
  let state = emptyState(plainHost([]));
  let run = 0;
  return commits.map((commands, index) => {
    const n = index + 1;
    const events: DovecoteEvent[] = [];
    state = { ...state, next: [n, 0] };
    for (const command of commands) {
      if (command.kind === "create" || command.kind === "open") {
        run++;
        const { behaviors, ...host } = hosts[run] ?? { behaviors: state.host.behaviors };
        state = { ...state, host: plainHost(behaviors, host) };
      }
      const decision = decide(state, command);
      state = decision.state;
      for (const event of decision.events) events.push(event);
    }
    return { n, events };
  });
}
