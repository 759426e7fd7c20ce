/** A session with `/root/p` and its child `/root/p/c`, both at rest, for messages with a copy for the parent. */
import type { PeerMessageOptions, PeerMessageResult } from "../../src/runtime/peer/api.js";
import { openWorld, type World, type WorldOptions } from "./world.js";

/** The child that messages are for. */
export const CHILD = { path: "/root/p/c", generation: 1 } as const;
/** Its parent, who gets the copy. */
export const PARENT = { path: "/root/p", generation: 1 } as const;

/** Opens one. */
export async function familyWorld(options: WorldOptions = {}): Promise<World> {
  const world = await openWorld(options);
  await spawnIdle(world, "p", "/root");
  await spawnIdle(world, "c", "/root/p");
  await world.session.whenQuiet();
  return world;
}

/** Spawns an agent, and brings everybody to rest. */
export async function spawnIdle(world: World, name: string, parent: string): Promise<void> {
  await world.session.spawn({ name, parent, behavior: "worker", task: "go" });
  for (;;) {
    await world.ports.settle();
    const running = world.session.list().filter(({ phase }) => phase === "running");
    if (running.length === 0) return;
    for (const { path } of running) world.hands.of(path).done();
  }
}

/** Writes to the child. */
export function sendToChild(
  world: World,
  text = "hello",
  options: PeerMessageOptions = {},
): Promise<PeerMessageResult> {
  return world.session.sendPeerMessage(CHILD.path, text, options);
}

/** The texts of the MAIL that an agent has not read. */
export async function textsOf(world: World, path: string): Promise<readonly string[]> {
  const unread = await world.session.unread(path);
  return unread.filter(({ type }) => type === "MAIL").map(({ text }) => text);
}
