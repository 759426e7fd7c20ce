/**
 * Scopes that are searched whole: small scenarios, one for each kind of race that the contract speaks of.
 */
import type { KernelScenario } from "./kernelScenario.js";

/** Three agents that each send two mails round a ring, and one crash at any point. */
const RING: KernelScenario = {
  name: "3 agents, 2 mails each, 1 crash",
  capacity: 3,
  before: ["host:spawn:/root:a", "host:spawn:/root:b", "host:spawn:/root:c"],
  host: [],
  agents: {
    "/root/a": [["send:/root/b", "send:/root/b"], []],
    "/root/b": [["send:/root/c", "send:/root/c"], []],
    "/root/c": [["send:/root/a", "send:/root/a"], []],
    "/root": [[]],
  },
  faults: { crash: 1 },
};

/** Two agents that write to each other, an interrupt, and a settlement try that fails. */
const STOPPED: KernelScenario = {
  name: "2 agents, an interrupt, a failed settlement",
  capacity: 1,
  finalises: true,
  before: ["host:spawn:/root:a", "host:capacity:2", "host:spawn:/root:b"],
  host: [["interrupt:/root/a"], ["send:/root/b"]],
  agents: {
    "/root/a": [["send:/root/b", "sample"], []],
    "/root/b": [["wait", "send:/root/a"], []],
    "/root": [[]],
  },
  faults: { settle: 1 },
};

/** The root queue: mail, a notice, the person's text, and holds, while starts are prepared. */
const HELD: KernelScenario = {
  name: "root with holds",
  capacity: 1,
  prepares: true,
  host: [["hold:a", "unhold:a"], ["hold:b", "unhold:b"], ["notify"], ["send:/root"], ["prompt"]],
  agents: { "/root": [["sample"]] },
  faults: { prepare: 1 },
};

/** Two agents that write to each other, and one crash. They may change places. */
const PAIR: KernelScenario = {
  name: "2 agents that write to each other, 1 crash",
  capacity: 2,
  before: ["host:spawn:/root:a", "host:spawn:/root:b"],
  host: [],
  agents: {
    "/root/a": [["send:/root/b"], []],
    "/root/b": [["send:/root/a"], []],
    "/root": [[]],
  },
  faults: { crash: 1 },
  alike: [["/root/a", "/root/b"]],
};

/** A turn that is interrupted while it ends, and a settlement try that fails. */
const INTERRUPTED: KernelScenario = {
  name: "an interrupt and a failed settlement",
  capacity: 1,
  finalises: true,
  before: ["host:spawn:/root:a"],
  host: [["interrupt:/root/a"]],
  agents: { "/root/a": [["send:/root"], []], "/root": [[]] },
  faults: { settle: 1 },
};

/** A hold that comes while the root is being prepared for a notice and for mail. */
const PREPARED: KernelScenario = {
  name: "a hold over a prepared root",
  capacity: 1,
  prepares: true,
  host: [["hold:a", "unhold:a"], ["notify"], ["send:/root"]],
  agents: { "/root": [[]] },
  faults: { prepare: 1 },
};

/** A spawn that is being prepared while its spawner ends or is interrupted. */
const ORPHANED: KernelScenario = {
  name: "a spawn whose spawner ends",
  capacity: 2,
  prepares: true,
  before: ["host:prompt", "/root:prepared"],
  host: [["interrupt:/root"]],
  agents: { "/root": [["spawn:a"], []], "/root/a": [[]] },
  faults: { append: 1 },
};

/** A handler that fails, a behaviour that throws, and a completion that comes twice. */
const HANDLED: KernelScenario = {
  name: "a handler, a throw and a late completion",
  capacity: 2,
  before: ["host:prompt", "host:spawn:/root:a"],
  host: [],
  agents: { "/root": [["take:/root/a", "wait"], []], "/root/a": [[]] },
  faults: { handler: 1, throw: 1, late: 1 },
};

/** A tree that is ended while it works, and its path used again. */
const ENDED: KernelScenario = {
  name: "a tree ended while it works",
  capacity: 2,
  before: ["host:spawn:/root:a", "host:spawn:/root/a:b"],
  host: [["end:/root/a", "spawn:/root:a"], ["send:/root/a"]],
  agents: { "/root": [[]], "/root/a": [[]], "/root/a/b": [["send:/root/a"], []] },
};

/** Scopes of a few thousand states at the most. */
export const SMALL_SCOPES: readonly KernelScenario[] = [
  PAIR,
  INTERRUPTED,
  PREPARED,
  ORPHANED,
  HANDLED,
  ENDED,
];

/** The large scopes: hundreds of thousands of states. */
export const LARGE_SCOPES: readonly KernelScenario[] = [RING, STOPPED, HELD];
