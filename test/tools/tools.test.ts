/** Tools: what a model is offered, and the texts that it is given (A7, M7, V2, J2-J4, X4). */
import { describe, expect, it } from "vitest";

import { type Tool, agentTools, jobTools } from "../../src/tools/index.js";
import { withRoot } from "../support/world.js";

function named(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return found;
}

describe("the tools of a model", () => {
  it("A7: offers a communicator SendMessage alone", async () => {
    const world = await withRoot();
    const offered = (role: "delegator" | "communicator") =>
      agentTools(world.root, { role, behavior: "worker" }).map(({ name }) => name);
    expect(offered("communicator")).toEqual(["SendMessage"]);
    expect(offered("delegator")).toEqual([
      "Agent",
      "SendMessage",
      "WaitAgent",
      "ListAgents",
      "InterruptAgent",
    ]);
    await world.session.close();
  });

  it("M7, X4: answers a send with nothing, and a refusal with its rule", async () => {
    const world = await withRoot();
    const tools = agentTools(world.root, { role: "delegator", behavior: "worker" });
    expect(await named(tools, "Agent").execute({ name: "a", task: "go" })).toBe("/root/a");
    const send = named(tools, "SendMessage");
    expect(await send.execute({ target: "a", text: "hello" })).toBe("");
    expect(await send.execute({ target: "b", text: "hello" })).toMatch(/^Refused \(A2\): /);
    expect(await send.execute({ target: "a" })).toMatch(/^Refused \(X4\): `text`/);
    expect(await send.execute({ target: "a", text: "x", extra: 1 })).toMatch(/"extra"/);
    await world.session.close();
  });

  it("J2, J3, J4: words sending to jobs, listing and stopping", async () => {
    const world = await withRoot({ preset: "jobs" });
    await world.root.spawn({ name: "a", behavior: "worker", task: "go" });
    await world.ports.settle();
    const tools = jobTools(world.root);
    expect(jobTools(world.hands.of("/root/a").turn)).toEqual([]);
    expect(await named(tools, "send_to_job").execute({ job_id: "j1", text: "hi" })).toBe(
      "It reaches j1 before its next request; 1 message waiting. Stored text:\nhi",
    );
    expect(await named(tools, "list_jobs").execute({})).toBe("j1 running, 1 message waiting");
    expect(await named(tools, "stop_job").execute({ job_id: "j1" })).toBe(
      "j1 is stopped; its report comes to you.",
    );
    await world.ports.settle();
    expect(await named(tools, "wait_jobs").execute({})).toBe("Ended: j1.");
    expect(await named(tools, "send_to_job").execute({ job_id: "j1", text: "hi" })).toMatch(
      /^Refused \(J3\): j1 ended; nothing was sent\./,
    );
    await world.session.close();
  });
});
