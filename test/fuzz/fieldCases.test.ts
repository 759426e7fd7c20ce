/** Cases from the field, each with every interleaving of what is in it: the rules hold in all of them, and all come to rest. */
import { describe, expect, it } from "vitest";
import { explore, renderExplored } from "../../src/fuzz/explore.js";
import type { KernelScenario } from "../../src/fuzz/kernelScenario.js";

const quiet = { "/root": [[]] };

const CASES: readonly (KernelScenario & { readonly rules: string })[] = [
  {
    rules: "B01 S1 M5",
    name: "children settle during a sample of their parent's and after it",
    capacity: 3,
    before: ["host:spawn:/root:p", "host:spawn:/root/p:a", "host:spawn:/root/p:b"],
    host: [],
    agents: { ...quiet, "/root/p": [["sample"], ["sample"]], "/root/p/a": [[]], "/root/p/b": [[]] },
  },
  {
    rules: "B05 W2",
    name: "mail to an idle agent and to the idle root",
    capacity: 1,
    before: ["host:spawn:/root:a"],
    host: [["send:/root/a"], ["send:/root"]],
    agents: { "/root": [["sample"]], "/root/a": [[], ["sample"]] },
    faults: { sample: 1 },
  },
  {
    rules: "B07 W2 W6",
    name: "three mails to one that waits for a slot",
    capacity: 1,
    before: ["host:spawn:/root:a"],
    host: [["send:/root/a", "send:/root/a", "send:/root/a"], ["spawn:/root:b"]],
    agents: { ...quiet, "/root/a": [[], ["sample"]], "/root/b": [[]] },
  },
  {
    rules: "B09 W6 V3 M7",
    name: "a parent waits while its child waits for its slot",
    capacity: 2,
    before: ["host:spawn:/root:p", "host:spawn:/root/p:c"],
    host: [["capacity:1"]],
    agents: { ...quiet, "/root/p": [["send:/root/p/c", "wait"], []], "/root/p/c": [[]] },
  },
  {
    rules: "B12 B15 B18 V1 V4",
    name: "waits that meet a RESULT before, during and after",
    capacity: 2,
    before: ["host:spawn:/root:p", "host:spawn:/root/p:c"],
    host: [],
    agents: { ...quiet, "/root/p": [["wait", "sample", "wait"], ["sample"]], "/root/p/c": [[]] },
    faults: { throw: 1 },
  },
  {
    rules: "B16 S1",
    name: "one who asks another's child gets no RESULT",
    capacity: 3,
    before: ["host:spawn:/root:p", "host:spawn:/root/p:c", "host:spawn:/root:x"],
    host: [],
    agents: {
      ...quiet,
      "/root/p": [[]],
      "/root/p/c": [[]],
      "/root/x": [["send:/root/p/c", "wait"], []],
    },
  },
  {
    rules: "B21 B25 I4 I5 W5",
    name: "an interrupt over unread mail and an open sample",
    capacity: 1,
    before: ["host:spawn:/root:a"],
    host: [["send:/root/a", "interrupt:/root/a", "send:/root/a"]],
    agents: { ...quiet, "/root/a": [["sample", "partial"], ["sample"]] },
    faults: { crash: 1 },
  },
  {
    rules: "B22 M4 M5",
    name: "three senders over an open sample",
    capacity: 1,
    before: ["host:spawn:/root:a"],
    host: [["send:/root/a"], ["send:/root/a"], ["send:/root/a"]],
    agents: { ...quiet, "/root/a": [["sample", "sample"], ["sample"]] },
  },
  {
    rules: "B30 R2 R4",
    name: "crashes in the middle of turns, and in the middle of recovery",
    capacity: 2,
    before: ["host:spawn:/root:p", "host:spawn:/root/p:c"],
    host: [],
    agents: { ...quiet, "/root/p": [["yield", "wait"], []], "/root/p/c": [["send:/root/p"], []] },
    faults: { crash: 2 },
  },
  {
    rules: "B40 L6 M3",
    name: "appends that fail, or may have failed",
    capacity: 1,
    before: ["host:spawn:/root:a"],
    host: [["send:/root/a", "send:/root/a"]],
    agents: { ...quiet, "/root/a": [["sample"], ["sample"]] },
    faults: { append: 2 },
  },
  {
    rules: "B52 P2",
    name: "mail under Plan, which is turned off meanwhile",
    capacity: 1,
    before: ["host:spawn:/root:a"],
    host: [["plan:on", "send:/root/a", "plan:off"]],
    agents: { ...quiet, "/root/a": [["sample"], ["sample"]] },
  },
];

describe("every interleaving", () => {
  it.each(CASES.map((one) => [one.rules, one.name, one] as const))(
    "%s of %s breaks no rule and comes to rest",
    (_, name, scope) => {
      const explored = explore(scope, { states: 60_000 });
      expect(renderExplored(explored)).toContain(`${name}: holds.`);
      expect(explored.rests).toBeGreaterThan(0);
    },
  );
});
