/**
 * Taking a step of a run by its name: what the disk and the process do is here, every other name is a command.
 */
import type { KernelRun } from "./kernelRun.js";
import { commandNamed } from "./stepNames.js";

/**
 * Takes one step.
 *
 * @throws Error when the name means nothing in this state.
 */
export function takeStep(run: KernelRun, name: string): void {
  switch (name) {
    case "append:land":
      return run.land();
    case "append:fail":
      return run.fail(false);
    case "append:unknown":
      return run.fail(true);
    case "append:unknown.kept":
      return run.fail(true, "kept");
    case "crash":
      return run.die("lost");
    case "crash:kept":
      return run.die("kept");
    case "reopen":
      return run.reopen();
    default: {
      const command = commandNamed(run, name);
      if (command === undefined) throw new Error(`No step ${name} is enabled. Ask enabled().`);
      if (name.startsWith("timer:")) run.timers.delete(name.slice("timer:".length));
      return run.submit(command);
    }
  }
}
