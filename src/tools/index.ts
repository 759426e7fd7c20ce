/**
 * The entry `dovecote/tools`: what a turn's model is offered, by role and preset (A7, J2). Every tool is a call on the
 * turn's handle; whoever calls what it is not offered is refused by the kernel all the same.
 */
import { ROOT } from "../paths.js";
import type { Turn } from "../runtime/api.js";
import { type Tool, tool } from "./tool.js";

export { renderRecord } from "./render.js";
export type { Field, Input, InputSchema, Tool, Validated } from "./tool.js";

const target = { description: "A path such as /root/editor, or a name below you." };
const text = { description: "Plain text; put what is long into a file and refer to it." };
const job = { description: "The id of one of your jobs, such as j1." };
const timeoutMs = { description: "How long at most, in milliseconds.", optional: true } as const;
const reason = { description: "Why, in a few words.", optional: true } as const;

/**
 * The tools of a turn in a session of the presets `tree` and `peer`: a communicator is offered SendMessage alone (A7).
 *
 * @example
 * const tools = agentTools(turn, { role: "delegator", behavior: "worker" });
 */
export function agentTools(
  turn: Turn,
  options: { readonly role: "delegator" | "communicator"; readonly behavior: string },
): readonly Tool[] {
  const send = tool(
    "SendMessage",
    "Sends text to an agent, which reads it before its next request.",
    { target, text },
    async (input) => {
      const { startsWhenSlotFrees } = await turn.send(input["target"] ?? "", input["text"] ?? "");
      return startsWhenSlotFrees === true ? "It starts when a slot frees." : "";
    },
  );
  if (options.role === "communicator") return [send];
  const name = { description: "One segment of a-z, 0-9 and _." };
  return [
    tool(
      "Agent",
      "Spawns an agent below you with a task. Its RESULT comes to you as mail.",
      { name, task: text },
      (input) =>
        turn.spawn({
          name: input["name"] ?? "",
          task: input["task"] ?? "",
          behavior: options.behavior,
        }),
    ),
    send,
    tool(
      "WaitAgent",
      "Waits until you have mail, or the time is up.",
      { timeoutMs },
      async (input) => {
        const { why, unread } = await turn.wait(timeOf(input["timeoutMs"]));
        const counts = unread.map(({ count, mail, from }) => `${count} ${mail} from ${from}`);
        return counts.length === 0 ? why : `${why}: ${counts.join(", ")}`;
      },
    ),
    tool("ListAgents", "Lists all agents of the session.", {}, async () =>
      JSON.stringify(await turn.list()),
    ),
    tool(
      "InterruptAgent",
      "Stops an agent's turn; its mail stays.",
      { target, reason },
      async (input) => {
        const { path, found } = await turn.interrupt(input["target"] ?? "", input["reason"]);
        return `${path} was ${found}.`;
      },
    ),
  ];
}

/** The tools of a turn that owns jobs, in a session of the preset `jobs` (J1-J6). A job itself is offered none (J2). */
export function jobTools(turn: Turn): readonly Tool[] {
  if (turn.path !== ROOT) return [];
  const { jobs } = turn;
  return [
    tool(
      "send_to_job",
      "Sends text to one of your running jobs.",
      { job_id: job, text },
      async (input) => {
        const sent = await jobs.send(input["job_id"] ?? "", input["text"] ?? "");
        return `It reaches ${sent.job} before its next request; ${sent.waitingText}. Stored text:\n${sent.text}`;
      },
    ),
    tool("list_jobs", "Lists your jobs.", {}, async () => {
      const lines = (await jobs.list()).map((one) => `${one.job} ${one.state}, ${one.waitingText}`);
      return lines.length === 0 ? "You have no jobs." : lines.join("\n");
    }),
    tool("wait_jobs", "Waits until one of your jobs has ended.", { timeoutMs }, async (input) => {
      const { why, ended } = await jobs.wait(timeOf(input["timeoutMs"]));
      return ended.length === 0 ? `No job has ended: ${why}.` : `Ended: ${ended.join(", ")}.`;
    }),
    tool("stop_job", "Stops one of your jobs.", { job_id: job, reason }, async (input) => {
      const stopped = await jobs.stop(input["job_id"] ?? "", input["reason"]);
      return `${stopped.job} is stopped; its report comes to you.`;
    }),
  ];
}

function timeOf(given: string | undefined): { readonly timeoutMs?: string } {
  return given === undefined ? {} : { timeoutMs: given };
}
