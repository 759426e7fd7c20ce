/**
 * The kernel's guards in words: what stands in the way, by which rule, and what would free it.
 */
import { formatPoint } from "../events/point.js";
import type { DeliveryGuard, SettleGuard } from "../kernel/explain.js";
import type { StartGuard } from "../kernel/guards.js";
import { count } from "./words.js";

/** What stands in the way, and what would free it. */
export interface Obstacle {
  readonly guard: string;
  readonly rule: string;
  readonly text: string;
  readonly frees: string;
}

type Words = readonly [text: string, frees: string];

/** What keeps an agent from being started, in words. */
export function startWords(guard: StartGuard): Obstacle {
  const [text, frees] = ofStart(guard);
  return { guard: guard.guard, rule: guard.rule, text, frees };
}

function ofStart(guard: StartGuard): Words {
  switch (guard.guard) {
    case "closing":
      return ["the session is closing", "opening it again, and new mail"];
    case "ending":
      return [
        `${guard.of} is being ended`,
        "nothing: its path can be spawned again once it is gone",
      ];
    case "active":
      return ["it has a live turn", "its settlement"];
    case "preparing":
      return ["its start is being prepared", "the host's preparation, or its deadline"];
    case "unmarked":
      return [
        "nothing has marked it to be woken",
        "MAIL from another agent or the person, or a RESULT",
      ];
    case "behavior":
      return [
        `its behaviour ${JSON.stringify(guard.behavior)} is not known`,
        "opening the session with it",
      ];
    case "held": {
      const names = guard.holds.map(({ name, count: times }) => `${name} (${times})`).join(", ");
      return [`holds stop the root queue: ${names}`, "the release of the last hold, or a prompt"];
    }
    case "turns":
      return [`the session has had its ${count(guard.limit, "turn")}`, "a higher limit"];
    case "wakes":
      return [
        `there were ${count(guard.limit, "wake")} in a row without the person`,
        "the person's next text",
      ];
    case "settlement":
      return [`the settlement of ${guard.of} runs`, "its end"];
    case "capacity":
      return [`all slots are in use: ${guard.used}/${guard.capacity}`, "a turn that settles"];
  }
}

/** What keeps a record from being read, in words. */
export function deliveryWords(guard: DeliveryGuard): Obstacle {
  const [text, frees] = ofDelivery(guard);
  return { guard: guard.guard, rule: guard.rule, text, frees };
}

function ofDelivery(guard: DeliveryGuard): Words {
  switch (guard.guard) {
    case "withheld":
      return ["a handler has it", "the handler's success takes it, its failure gives it back"];
    case "idle": {
      if (guard.start === null) return ["its agent is about to start", "that start"];
      const start = startWords(guard.start);
      return [`its agent is idle and does not start: ${start.text} (${start.rule})`, start.frees];
    }
    case "sample":
      return [`sample ${guard.attempt} is under way, which nothing preempts`, "the next sample"];
    case "no-sample":
      return [
        `the turn has taken no sample since ${formatPoint(guard.told)}`,
        "its next sample, or the turn's end",
      ];
    case "settling":
      return ["the turn has reached its end", "its settlement, and then the next turn"];
  }
}

/** What keeps a turn from being settled, in words. */
export function settleWords(guard: SettleGuard): Obstacle {
  const [text, frees] = ofSettle(guard);
  return { guard: guard.guard, rule: guard.rule, text, frees };
}

function ofSettle(guard: SettleGuard): Words {
  switch (guard.guard) {
    case "no-turn":
      return ["it has no live turn", "a start"];
    case "sample":
      return [`sample ${guard.attempt} is open`, "its end, or an interrupt"];
    case "wait":
      return [`it waits (attempt ${guard.attempt})`, "mail, the person, its time, or an interrupt"];
    case "behaviour":
      return [
        `its behaviour has not returned since ${formatPoint(guard.told)}`,
        "its return, or an interrupt",
      ];
    case "paused":
      return [
        `ending it has failed ${count(guard.failures, "time")}, and a pause runs`,
        "the end of the pause",
      ];
    case "queued":
      return [`the settlement of ${guard.of} runs, and one runs at a time`, "its end"];
    case "trying": {
      const running = guard.executions;
      const what = running === 0 ? "finalisers run" : `${count(running, "command")} must stop`;
      return [`a try at ending it is under way: ${what}`, "its end, or its deadline"];
    }
  }
}
