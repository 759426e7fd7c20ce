/**
 * What the embedding program of a recorded run must have brought, told from what its events could not have been without.
 * What leaves no trace (a bound that only ever refused, a behaviour that was missing) is the caller's to say.
 */
import type { DovecoteEvent, EventOf } from "../events/events.js";
import type { Placed } from "../kernel/loop.js";
import { DEFAULT_LIMITS, type Host, plainHost } from "../kernel/state.js";

/** The host of each run of a log, by the number of the run. */
export type Hosts = ReadonlyMap<number, Host>;

type Traces = {
  prepares?: boolean;
  finalises?: boolean;
  turnTimeoutMs?: number;
  wakes?: number;
};

/** Reads the events in order, and tells the host of each run. What is `given` needs no evidence. */
export async function hostsOf(
  events: AsyncIterable<Placed>,
  given: Partial<Host> = {},
): Promise<Hosts> {
  const behaviors = new Set<string>();
  const scan = new Scan();
  for await (const { event } of events) {
    if (event.type === "agent.spawned" || event.type === "start.reserved") {
      behaviors.add(event.behavior);
    }
    scan.see(event);
  }
  const hosts = new Map<number, Host>();
  for (const [run, { wakes, prepares, finalises, turnTimeoutMs }] of scan.runs) {
    hosts.set(
      run,
      plainHost(behaviors, {
        prepares: prepares ?? false,
        finalises: finalises ?? false,
        turnTimeoutMs: turnTimeoutMs ?? null,
        limits: { ...DEFAULT_LIMITS, unread: null, wakes: wakes ?? null },
        ...given,
      }),
    );
  }
  return hosts;
}

/** Collects the traces, run by run. */
class Scan {
  readonly runs = new Map<number, Traces>();
  private now: Traces = {};
  private trying: string | null = null;
  private readonly executions = new Map<string, number>();

  see(event: DovecoteEvent): void {
    switch (event.type) {
      case "session.opened":
        this.now = {};
        this.trying = null;
        this.runs.set(event.run, this.now);
        break;
      case "start.reserved":
        // Without a hook, a reservation is made only while a settlement runs (T7).
        if (this.trying === null) this.now.prepares ??= true;
        break;
      case "turn.started":
        if (event.reservation === undefined) this.now.prepares ??= false;
        break;
      case "wake.limited":
        this.now.wakes = event.limit;
        break;
      case "execution.yielded":
        this.count(event, 1);
        break;
      case "execution.completed":
        this.count(event, -1);
        break;
      default:
        this.seeSettlement(event);
    }
  }

  private seeSettlement(event: DovecoteEvent): void {
    switch (event.type) {
      case "settlement.began": {
        const deadline = /deadline of (\d+) ms/.exec(event.outcome.reason ?? "")?.[1];
        if (event.cause === "clock:deadline" && deadline !== undefined) {
          this.now.turnTimeoutMs = Number(deadline);
        }
        break;
      }
      case "settlement.attempted":
        this.trying = event.path;
        // A turn that owns nothing is tried only where finalisers may run (S3).
        if ((this.executions.get(event.path) ?? 0) === 0) this.now.finalises ??= true;
        break;
      case "settlement.failed":
      case "turn.settled":
        if (this.trying === event.path) this.trying = null;
        if (event.type === "turn.settled") this.executions.delete(event.path);
        break;
      default:
    }
  }

  private count({ path }: EventOf<"execution.yielded" | "execution.completed">, by: 1 | -1): void {
    this.executions.set(path, (this.executions.get(path) ?? 0) + by);
  }
}
