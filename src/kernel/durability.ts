/**
 * How soon each event must be on the log (L1). One table, looked up by the loop.
 */
import type { EventType } from "../events/events.js";

/**
 * `commit`: nothing that follows from it may be shown before it is durable.
 * `soon`: what its own turn has done and knows; folded at once, written with the next commit, or when the pump comes to rest.
 * `volatile`: belongs to one run (W9); folded at once, written at the head of the next commit.
 * `frame`: opens or closes a run; like `volatile`, and never written alone (R2).
 */
export type Urgency = "commit" | "soon" | "volatile" | "frame";

/** The urgency of every event. */
export const URGENCY: Readonly<Record<EventType, Urgency>> = {
  "session.created": "commit",
  "session.opened": "frame",
  "session.recovered": "commit",
  "session.closing": "frame",
  "session.closed": "frame",
  "capacity.changed": "commit",
  "agent.spawned": "commit",
  "agent.interrupted": "commit",
  "agent.ending": "commit",
  "agent.retired": "commit",
  "plan.switched": "commit",
  "start.reserved": "volatile",
  "start.claimed": "volatile",
  "start.prepared": "volatile",
  "start.released": "volatile",
  "turn.started": "commit",
  "turn.extended": "commit",
  "turn.settled": "commit",
  "sample.began": "soon",
  "sample.ended": "soon",
  "partial.recorded": "soon",
  "transcript.recorded": "commit",
  "mail.queued": "commit",
  "mail.delivered": "commit",
  "mail.moved": "commit",
  "mail.consumed": "commit",
  "mail.returned": "commit",
  "handler.registered": "volatile",
  "notice.queued": "volatile",
  "notice.delivered": "volatile",
  "hold.taken": "volatile",
  "hold.released": "volatile",
  "blocker.added": "volatile",
  "blocker.released": "volatile",
  "wake.marked": "volatile",
  "wake.cleared": "volatile",
  "wake.limited": "volatile",
  "wait.began": "volatile",
  "wait.ended": "volatile",
  "execution.yielded": "commit",
  "execution.completed": "commit",
  "settlement.began": "commit",
  "settlement.attempted": "volatile",
  "settlement.failed": "volatile",
  "settlement.resumed": "volatile",
  "operation.planned": "commit",
  "operation.attempted": "commit",
  "operation.resulted": "commit",
};
