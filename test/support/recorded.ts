/**
 * A recorded session that went to capacity: two workers fill both slots, mail to an idle one waits, and it starts when
 * a slot frees. What tests of replay and of the command line look at.
 */
import type { EventLog } from "../../src/log/log.js";
import { memoryLog } from "../../src/log/memoryLog.js";
import { openSession } from "../../src/runtime/openSession.js";
import { virtualPorts } from "../../src/testing/virtualPorts.js";
import { Hands } from "./world.js";

/** Records it in memory, and writes its commits to another log. */
export async function recordOn(log: EventLog): Promise<void> {
  const memory = memoryLog();
  await record(memory);
  const writer = await log.openSession("main");
  const reader = await memory.readSession("main");
  for await (const { id, n, at, events } of reader?.read() ?? []) {
    await writer.append({ id, n, at, events });
  }
  await writer.close();
}

/** Records it on a log in memory, and closes the session. The log stays open. */
export async function record(log: EventLog): Promise<void> {
  const hands = new Hands();
  const ports = virtualPorts();
  const behaviors = { root: hands.behavior, worker: hands.behavior };
  const session = await openSession({ log, ports, behaviors, capacity: 2 });
  const asked = session.prompt("go");
  await ports.settle();
  const root = hands.of("/root").turn;
  await root.spawn({ name: "editor", behavior: "worker", task: "wait for mail" });
  await ports.settle();
  hands.of("/root/editor").done("ready");
  await ports.settle();
  for (const name of ["a", "b"]) await root.spawn({ name, behavior: "worker", task: name });
  await ports.settle();
  await hands.of("/root/a").turn.send("/root/editor", "please look");
  await ports.settle();
  hands.of("/root/b").done("b is done");
  await ports.settle();
  const editor = hands.of("/root/editor", 2).turn;
  await editor.sample(({ mail }) => `read ${mail.length}`);
  hands.of("/root/editor", 2).done("looked");
  hands.of("/root/a").done("a is done");
  await ports.settle();
  await root.sample(({ mail }) => `heard ${mail.length}`);
  hands.of("/root").done("all done");
  await asked;
  await session.close();
}
