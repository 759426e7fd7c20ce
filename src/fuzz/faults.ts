/**
 * The steps by which faults happen in a state, and the fault that a step is. What may go wrong, and never when.
 */
import { type StepKind, agentsOf, choices, lateChoices, pausedTurns } from "./choices.js";
import type { KernelRun } from "./kernelRun.js";
import type { Fault } from "./kernelScenario.js";
import { turnName } from "./stepNames.js";

/** The timers that bound something: that one fires is a fault of what it bounds. */
function timers(run: KernelRun, kind: string): readonly string[] {
  return [...run.timers].flatMap(([timer, command]) =>
    command.kind === kind ? [`timer:${timer}`] : [],
  );
}

const ending = (names: readonly string[], end: string): readonly string[] =>
  names.filter((name) => name.includes(end));

const LATE: readonly StepKind[] = [
  "settle",
  "sampleEnd",
  "timeout",
  "finish",
  "handled",
  "prepared",
  "retry",
];

/** The steps by which a fault can happen in this state. */
export function faultsOf(run: KernelRun, fault: Fault): readonly string[] {
  const { state } = run;
  switch (fault) {
    case "crash":
      return choices(run, "crash");
    case "append":
      return choices(run, "break");
    case "settle":
      return [...choices(run, "settleFail"), ...timers(run, "settlement.fail")];
    case "prepare":
      return run.host.prepares
        ? [...ending(choices(run, "prepared"), ":prepare.fail"), ...timers(run, "prepared")]
        : [];
    case "handler":
      return [...ending(choices(run, "handled"), ":handled.fail"), ...timers(run, "handler.end")];
    case "sample":
      return agentsOf(state).flatMap(({ path, gen, turn, phase }) =>
        turn !== null && turn.open !== null && phase === "running"
          ? [`${turnName({ path, gen, turn: turn.turn })}:sample.fail`]
          : [],
      );
    case "throw":
      return agentsOf(state).flatMap(({ path, gen, turn }) =>
        turn !== null && turn.settling === null
          ? [`${turnName({ path, gen, turn: turn.turn })}:fail`]
          : [],
      );
    case "deadline":
      return timers(run, "turn.timeout");
    case "late": {
      const fresh = new Set(pausedTurns(state).map((turn) => `${turnName(turn)}:settle.retry`));
      return [...new Set(LATE.flatMap((kind) => lateChoices(run, kind)))].filter(
        (name) => !fresh.has(name),
      );
    }
  }
}

/** The timers whose firing is a fault, by what they submit. */
const TIMED: Readonly<Record<string, Fault>> = {
  "settlement.fail": "settle",
  prepared: "prepare",
  "handler.end": "handler",
  "turn.timeout": "deadline",
};

/** The fault that a step is, as far as its name tells: a late completion looks like one in time. */
export function faultNamed(run: KernelRun, name: string): Fault | null {
  if (name.startsWith("crash")) return "crash";
  if (name.startsWith("append:")) return name === "append:land" ? null : "append";
  if (name.startsWith("timer:")) {
    const command = run.timers.get(name.slice("timer:".length));
    return TIMED[command?.kind ?? ""] ?? null;
  }
  if (name.endsWith(":settle.fail")) return "settle";
  if (name.endsWith(":sample.fail")) return "sample";
  if (name.endsWith(":fail")) return "throw";
  if (name.startsWith("/") && name.endsWith(":prepare.fail")) return "prepare";
  return name.includes(":handled.fail:/") ? "handler" : null;
}
