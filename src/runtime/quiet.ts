/**
 * Who waits for the session to come to rest (Q2). It looks only at the end of a tick, when promises have had their turn.
 */
import { type Roster, listAgents } from "../projections/roster.js";
import type { Quiet } from "./api.js";
import type { Ports } from "./ports.js";

/** See the module header. */
export class QuietWatch {
  private readonly ports: Ports;
  /** What goes on in the quiet session, or `null` while it is not quiet. */
  private readonly look: () => Quiet | null;
  private waiters: ((quiet: Quiet) => void)[] = [];
  private looking = false;

  constructor(ports: Ports, look: () => Quiet | null) {
    this.ports = ports;
    this.look = look;
  }

  wait(): Promise<Quiet> {
    return new Promise((resolve) => {
      this.waiters.push(resolve);
      this.poke();
    });
  }

  /** Something has happened: look again once it is over. */
  poke(): void {
    if (this.looking || this.waiters.length === 0) return;
    this.looking = true;
    this.ports.soon(() => {
      this.looking = false;
      this.tell();
    });
  }

  private tell(): void {
    const quiet = this.look();
    if (quiet === null) return;
    const { waiters } = this;
    this.waiters = [];
    for (const resolve of waiters) resolve(quiet);
  }
}

/** What goes on in a session all the same: listed, not awaited (Q2). */
export function quietOf(roster: Roster): Quiet {
  const agents = listAgents(roster);
  const running = agents.filter(({ phase }) => phase === "running").map(({ path }) => path);
  const waiting = agents.filter(({ phase }) => phase === "waiting").map(({ path }) => path);
  return { running, waiting };
}
