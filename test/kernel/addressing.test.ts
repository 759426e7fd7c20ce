/** Who can be addressed, how, and by whom (section 1 of the contract). */
import { describe, expect, it } from "vitest";
import { commands, turnOf } from "../../src/testing/commands.js";
import { given } from "../../src/testing/scenario.js";

const { spawn, send, finish, interrupt, sample, wait, prompt } = commands;
const a = turnOf("/root/a");

const ODD_NAMES = [
  "..",
  ".",
  "a/b",
  "",
  "root",
  "/root",
  "\0",
  "A",
  "a b",
  "é",
  "x".repeat(10_000),
];

describe("spawning", () => {
  it.each(ODD_NAMES)("A1 B34 refuses the name %j and writes nothing", (name) => {
    given({}).when(spawn(name)).rejected("A1", "name-invalid");
    given({}, spawn("a"))
      .when(spawn(name, { by: a }))
      .rejected("A1", "name-invalid");
  });

  it("A1 B34 refuses a name that is no string", () => {
    for (const name of [undefined, null, 7, {}, ["a"]]) {
      given({})
        .when(spawn(name as string))
        .rejected("A1", "name-invalid");
    }
  });

  it("B34 takes __proto__ and constructor as plain names", () => {
    const scenario = given({}, spawn("__proto__"), spawn("constructor"));
    expect(scenario.state("/root/__proto__").phase).toBe("running");
    scenario.when(send("/root/constructor", "hi")).answers({ held: false });
    scenario.when(send("/root/valueOf", "hi")).rejected("A2", "target-malformed");
    scenario.when(send("/root/__defineGetter__", "hi")).rejected("A2", "target-malformed");
  });

  it("A1 refuses a seventeenth segment", () => {
    let deep = given({ capacity: 20 });
    let parent = "/root";
    for (let depth = 1; depth < 16; depth++, parent += "/a")
      deep = deep.and(spawn("a", { parent }));
    deep.when(spawn("a", { parent })).rejected("A1", "path-too-deep");
  });

  it("A5 refuses a live name again and leaves the first untouched", () => {
    const once = given({}, spawn("a"));
    once.when(spawn("a")).rejected("A5", "path-taken");
    once.and(finish(a)).when(spawn("a")).rejected("A5", "path-taken");
    given({ prepares: true }, spawn("a")).when(spawn("a")).rejected("A5", "path-taken");
  });

  it("T3 puts an agent below its caller, and the host's below the root unless told otherwise", () => {
    given({}, spawn("a"), spawn("b", { by: a }), spawn("c", { parent: "a/b" }))
      .agent("/root/a/b", { phase: "running" })
      .agent("/root/a/b/c", { phase: "running" });
    given({})
      .when(spawn("b", { parent: "/root/a" }))
      .rejected("A2", "target-unknown");
  });
});

describe("a target", () => {
  const two = given({}, spawn("a"), spawn("b"));

  it.each(["/root/a/", "/root//a", "..", ".", "../b", "A", "/a", "a b", "\0", "a".repeat(10_000)])(
    "A2 A3 B34 that reads %j is malformed, and nothing is written",
    (target) => {
      two.when(send(target, "hi", a)).rejected("A2", "target-malformed");
      two.when(interrupt(target, a)).rejected("A2", "target-malformed");
      two.when(commands.assign(target, "do")).rejected("A2", "target-malformed");
    },
  );

  it("A2 may be empty, malformed or unknown: three refusals that write nothing", () => {
    two.when(send("", "hi")).rejected("A2", "target-empty");
    two.when(send("a//b", "hi")).rejected("A2", "target-malformed");
    two.when(send("nobody", "hi")).rejected("A2", "target-unknown");
    two.when(send(undefined as unknown as string, "hi")).rejected("A2", "target-empty");
  });

  it("A2 B36 that nobody has is refused, and leaves no event", () => {
    two.when(send("/root/nobody", "hi", a)).rejected("A2", "target-unknown");
    expect(two.when(send("/root/nobody", "hi", a)).commits).toBe(two.commits);
  });

  it("A2 is judged before the text", () => {
    two.when(send("nobody", "")).rejected("A2", "target-unknown");
  });

  it("A3 is canonical with a leading slash and below the caller without", () => {
    const nested = two.and(spawn("b", { by: a }));
    nested.when(send("b", "hi", a)).includes({ type: "mail.queued", path: "/root/a/b" });
    nested.when(send("/root/b", "hi", a)).includes({ type: "mail.queued", path: "/root/b" });
    nested.when(send("b", "hi")).includes({ type: "mail.queued", path: "/root/b" });
  });

  it("A4 may be any retained agent: parent, sibling, root, self, at rest or not", () => {
    const rested = two.and(spawn("c", { by: a }), finish(turnOf("/root/b")));
    for (const target of ["/root", "/root/a", "/root/b", "/root/a/c"]) {
      rested.when(send(target, "hi", turnOf("/root/a/c"))).answers({ held: false });
    }
  });
});

describe("the caller", () => {
  it("A6 is the live turn's agent, or the person", () => {
    const one = given({}, spawn("a"), spawn("b"));
    one.when(send("/root/b", "x", a)).includes({ type: "mail.queued", from: "/root/a", by: a });
    one.when(send("/root/b", "x")).includes({ type: "mail.queued", from: "person", by: undefined });
  });

  it("A6 T1 whose turn is over, is another, or never was, is refused", () => {
    const over = given({}, spawn("a"), finish(a));
    for (const turn of [a, turnOf("/root/a", 2), turnOf("/root/a", 1, 2), turnOf("/root/x")]) {
      over.when(send("/root", "hi", turn)).rejected("T1", "turn-over");
      over.when(spawn("b", { by: turn })).rejected("T1", "turn-over");
      over.when(interrupt("/root/a", turn)).rejected("T1", "turn-over");
      over.when(sample(turn)).rejected("T1", "turn-over");
      over.when(wait(turn)).rejected("T1", "turn-over");
      over.when(commands.record(turn, "x")).rejected("T1", "turn-over");
      over.when(commands.partial(turn, "x")).rejected("T1", "turn-over");
      over.when(commands.yield(turn)).rejected("T1", "turn-over");
    }
  });
});

describe("a communicator", () => {
  const scenario = given(
    {},
    spawn("a", { role: "communicator" }),
    spawn("b"),
    finish(turnOf("/root/b")),
  );

  it("A7 may message, and so wake others", () => {
    scenario.when(send("/root/b", "hi", a)).includes({ type: "turn.started", path: "/root/b" });
  });

  it("A7 may neither spawn nor wait nor interrupt", () => {
    scenario.when(spawn("c", { by: a })).rejected("A7", "role-lacks-tool");
    scenario.when(wait(a)).rejected("A7", "role-lacks-tool");
    scenario.when(interrupt("/root/b", a)).rejected("A7", "role-lacks-tool");
  });

  it("A7 is one of two roles: another is refused, and could not be read back", () => {
    for (const role of ["boss", "", null, 7]) {
      given({})
        .when(spawn("b", { role: role as "delegator" }))
        .rejected("A7", "role-unknown");
    }
  });

  it("A7 is what an agent is only when told so", () => {
    expect(given({}, spawn("a")).state("/root/a").role).toBe("delegator");
    expect(scenario.and(prompt("go")).state("/root").role).toBe("delegator");
  });
});
