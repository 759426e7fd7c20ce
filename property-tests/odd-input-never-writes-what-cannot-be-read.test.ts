/** Whatever a caller without types hands in, what is written can be read back: a session is never locked out of its own log (L3, A2, M1). */
import { fc } from "@fast-check/vitest";
import { expect, it } from "vitest";
import type { DovecoteEvent } from "../src/events/events.js";
import { shapeFault } from "../src/events/shapes.js";
import type { Command } from "../src/kernel/command.js";
import { decide } from "../src/kernel/decide.js";
import { commands, turnOf } from "../src/testing/commands.js";
import { given } from "../src/testing/scenario.js";
import { check } from "../test/support/property.js";

const a = turnOf("/root/a");
const { kernel } = given(
  {},
  commands.spawn("b"),
  commands.finish(turnOf("/root/b")),
  commands.spawn("a"),
).and(commands.yield(a), commands.sample(a));

/** Commands whose values the shell hands through as its callers gave them; the others it converts (see runtime/turn.ts). */
const SOUND: readonly Command[] = [
  commands.spawn("c", { role: "delegator", parent: "/root" }),
  commands.spawn("c", { by: a, role: "communicator" }),
  commands.send("/root/b", "text", a),
  commands.prompt("text"),
  commands.assign("/root/b", "task"),
  commands.interrupt("/root/a", null, "reason"),
  commands.interrupt("/root/b", a, "reason"),
  commands.wait(a, 20_000),
  commands.setCapacity(3),
];

const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  Number.NaN,
  -1,
  0,
  1.5,
  1n,
  true,
  "",
  "odd",
  "\ud800",
  Symbol("odd"),
  () => "odd",
  [],
  {},
  { toJSON: () => undefined },
  new Date(0),
  new String("text"),
);

/** The fields that hold a caller's own value; references come from the library's handles. */
const FIELDS = [
  "name",
  "parent",
  "behavior",
  "role",
  "task",
  "target",
  "text",
  "reason",
  "timeout",
  "capacity",
];

const oddCommand = fc
  .constantFrom(...SOUND)
  .chain((sound) =>
    fc.record({
      sound: fc.constant(sound),
      field: fc.constantFrom(...FIELDS.filter((name) => name in sound)),
      odd,
    }),
  )
  .map(({ sound, field, odd: value }) => ({ ...sound, [field]: value }));

it("L3 M1 takes no value that it could not read back", () => {
  check(oddCommand, (command) => {
    const { outcome, events } = decide(kernel, command);
    if (!outcome.ok) expect(events).toEqual([]);
    for (const event of events) {
      const stored = JSON.parse(JSON.stringify(event)) as DovecoteEvent & Record<string, unknown>;
      expect(shapeFault(event.type, stored)).toBeUndefined();
    }
  });
});
