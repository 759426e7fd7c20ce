/** Jobs: background children that their owner writes to, lists, stops and waits for (section 10). */
import { describe, expect, it } from "vitest";

import type { Turn } from "../../src/runtime/api.js";
import { type World, type WorldOptions, openWorld, withRoot } from "../support/world.js";

/** A root turn with running jobs `j1`, `j2` and so on. */
async function withJobs(
  names: readonly string[],
  options: WorldOptions = {},
): Promise<World & { readonly root: Turn }> {
  const world = await withRoot({ preset: "jobs", ...options });
  for (const name of names) {
    await world.root.spawn({ name, behavior: "worker", task: "go" });
    await world.ports.settle();
  }
  return world;
}

const count = async ({ session }: World, job: string): Promise<string | undefined> =>
  (await session.jobs.list()).find((one) => one.job === job)?.waitingText;

describe("a message to a job", () => {
  it("J1, J4, J5: is in the parked child's next sample, with its sender named, and counts until then", async () => {
    const world = await withJobs(["a"]);
    const answer = await world.root.jobs.send("j1", "mind the tests");
    expect(answer).toEqual({
      job: "j1",
      text: "mind the tests",
      waiting: 1,
      waitingText: "1 message waiting",
    });
    expect(await count(world, "j1")).toBe("1 message waiting");
    const sample = world.hands.sample("/root/a");
    await world.ports.settle();
    expect(sample.input.mail).toMatchObject([
      { type: "MAIL", from: "/root", text: "mind the tests" },
    ]);
    expect(sample.input.mail[0]?.mark).toMatch(/^[0-9a-z]+x[0-9a-z]+$/);
    expect(await count(world, "j1")).toBe("0 messages waiting");
    sample.end("ok");
    await world.ports.settle();
    const seen = await world.session.history("/root/a").read();
    expect(seen).toMatchObject([
      { kind: "task" },
      { kind: "mail", from: "/root", text: "mind the tests" },
      { kind: "sample" },
    ]);
    await world.session.close();
  });

  it("J1: sent while an approval is open waits behind it, and touches it not", async () => {
    const world = await withJobs(["a"]);
    const job = world.hands.of("/root/a").turn;
    await job.sample(() => "may I?");
    const asked = job.ask("rm -r ./old?");
    await world.ports.settle();
    await world.session.jobs.send("j1", "use the bin");
    await world.ports.settle();
    expect(await world.eventsOf("blocker.added")).toHaveLength(1);
    expect(await world.eventsOf("blocker.released")).toEqual([]);
    expect(await world.eventsOf("sample.began")).toHaveLength(1);
    await world.session.answer("/root/a", "yes");
    expect(await asked).toBe("yes");
    const sample = world.hands.sample("/root/a");
    await world.ports.settle();
    expect(sample.input.mail).toMatchObject([{ from: "person", text: "use the bin" }]);
    await world.session.close();
  });

  it("J3: nine are one too many: the ninth is refused with both bounds, and nothing is written", async () => {
    const world = await withJobs(["a"]);
    for (let sent = 1; sent <= 8; sent++) await world.root.jobs.send("j1", "the same text");
    expect(await count(world, "j1")).toBe("8 messages waiting");
    const before = (await world.events()).length;
    const ninth = await world.root.jobs.send("j1", "x").catch((error: Error) => error);
    const message = expect.stringMatching(/4096 bytes.*8 messages/) as string;
    expect(ninth).toMatchObject({ code: "job-full", rule: "J3", message });
    expect(await world.events()).toHaveLength(before);
    await world.session.close();
  });

  it("J3: may have 4,096 bytes after the redactor, and not one more", async () => {
    const redact = (text: string): string => text.replaceAll("hunter2", "***");
    const world = await withJobs(["a"], { redact });
    const fits = "é".repeat(2_046) + "hunter2";
    expect((await world.root.jobs.send("j1", fits)).text).toBe("é".repeat(2_046) + "***");
    const long = await world.root.jobs.send("j1", "é".repeat(2_048) + "x").catch(String);
    expect(long).toMatch(/4097 bytes.*4096 bytes.*8 messages/);
    expect(JSON.stringify(await world.events())).not.toContain("hunter2");
    await world.session.close();
  });

  it("J3: is refused by name: empty, unknown, itself, not the caller's, ended, read-only", async () => {
    const world = await withJobs(["a", "b"]);
    const child = world.hands.of("/root/a").turn;
    const before = (await world.events()).length;
    const refusals: [Promise<unknown>, string][] = [
      [world.root.jobs.send("j1", " \n"), "text-empty"],
      [world.root.jobs.send("j9", "x"), "job-unknown"],
      [world.root.jobs.send("/root", "x"), "job-unknown"],
      [world.root.jobs.send("j0", "x"), "job-unknown"],
      [child.jobs.send("j1", "x"), "job-self"],
      [child.jobs.send("j2", "x"), "job-not-yours"],
      [child.send("/root/b", "x"), "job-not-yours"],
      [child.send("/root", "x"), "job-unknown"],
      [child.jobs.stop("j2"), "job-not-yours"],
      [child.spawn({ name: "c", behavior: "worker", task: "x" }), "role-lacks-tool"],
    ];
    for (const [call, code] of refusals) {
      const error = (await call.catch((thrown: unknown) => thrown)) as { code?: string };
      expect(error.code).toBe(code);
    }
    expect(await world.events()).toHaveLength(before);
    world.hands.of("/root/b").done("the report");
    await world.ports.settle();
    await expect(world.root.jobs.send("j2", "x")).rejects.toThrow(
      "j2 ended; nothing was sent. Its report is the RESULT from /root/b.",
    );
    await expect(world.session.start("/root/b", "again")).rejects.toMatchObject({
      code: "job-ended",
    });
    await world.session.close();
  });

  it("J4: in read-only mode sending and stopping are refused, listing and waiting are not", async () => {
    const world = await withJobs(["a"]);
    await world.session.setPlan(true);
    const { jobs } = world.root;
    await expect(jobs.send("j1", "x")).rejects.toMatchObject({ code: "read-only", rule: "J4" });
    await expect(jobs.stop("j1")).rejects.toMatchObject({ code: "read-only" });
    await expect(world.session.jobs.send("j1", "x")).rejects.toMatchObject({ code: "read-only" });
    expect(await jobs.list()).toMatchObject([{ job: "j1", state: "running" }]);
    const waited = jobs.wait();
    await world.ports.settle();
    world.hands.of("/root/a").done("ready");
    expect(await waited).toEqual({ why: "ended", ended: ["j1"] });
    await world.session.close();
  });

  it("J6: that comes before the answer is fixed makes the same turn answer once more", async () => {
    const world = await withJobs(["a"]);
    await world.root.jobs.send("j1", "one more thing");
    world.hands.of("/root/a").done("first answer");
    await world.ports.settle();
    expect(world.hands.called.filter((key) => key === "/root/a#1")).toHaveLength(2);
    const sample = world.hands.sample("/root/a");
    await world.ports.settle();
    expect(sample.input.mail).toMatchObject([{ text: "one more thing" }]);
    sample.end("read");
    await sample.ended;
    world.hands.of("/root/a").done("second answer");
    await world.ports.settle();
    expect(await world.session.result("/root/a")).toMatchObject({ turn: 1, text: "second answer" });
    const kinds = (await world.session.history("/root/a").read()).map(({ text }) => text);
    expect(kinds).toEqual(["go", "first answer", "one more thing", "read", "second answer"]);
    expect(await world.eventsOf("turn.extended")).toHaveLength(1);
    await world.session.close();
  });

  it("J6: that is never read stays in the child's own queue, ends with the count, and is given to no later job", async () => {
    const world = await withJobs(["a"]);
    await world.root.jobs.send("j1", "unheard");
    world.hands.of("/root/a").done("first");
    await world.ports.settle();
    world.hands.of("/root/a").done("second, unread");
    await world.ports.settle();
    expect(await world.session.unread("/root/a")).toMatchObject([{ text: "unheard" }]);
    expect(await world.session.jobs.list()).toMatchObject([{ state: "completed", waiting: 0 }]);
    await world.session.end("/root/a");
    await world.root.spawn({ name: "a", behavior: "worker", task: "go" });
    await world.ports.settle();
    const sample = world.hands.sample("/root/a");
    await world.ports.settle();
    expect(sample.input.mail).toEqual([]);
    expect((await world.session.jobs.list()).map(({ job }) => job)).toEqual(["j1", "j2"]);
    expect(await world.session.expired("/root/a")).toMatchObject([{ text: "unheard" }]);
    await world.session.close();
  });

  it("J6: outlives a parent's turn that fails, and a reopen gives no id twice", async () => {
    const world = await withJobs(["a"]);
    await world.root.jobs.send("j1", "still here");
    world.hands.of("/root").fail(new Error("the parent broke"));
    await world.ports.settle();
    const sample = world.hands.sample("/root/a");
    await world.ports.settle();
    expect(sample.input.mail).toMatchObject([{ text: "still here" }]);
    const again = await world.crash();
    expect(await again.session.jobs.list()).toMatchObject([{ job: "j1", state: "interrupted" }]);
    await expect(again.session.jobs.send("j1", "x")).rejects.toMatchObject({ code: "job-ended" });
    await again.session.spawn({ name: "b", behavior: "worker", task: "go" });
    expect((await again.session.jobs.list()).map(({ job }) => job)).toEqual(["j1", "j2"]);
    await again.session.close();
    await world.session.close();
  });
});

describe("a job", () => {
  it("J2: of another conversation can't be stopped from here", async () => {
    const world = await withJobs(["a"]);
    const other = await withJobs(["a", "b"]);
    await expect(world.session.jobs.stop("j2")).rejects.toMatchObject({ code: "job-unknown" });
    expect(await other.session.jobs.list()).toMatchObject([
      { state: "running" },
      { state: "running" },
    ]);
    await world.session.close();
    await other.session.close();
  });

  it("J6: that is stopped reports as interrupted, and its own jobs end with it", async () => {
    const world = await withJobs(["a"]);
    await world.session.spawn({ name: "c", parent: "/root/a", behavior: "worker", task: "go" });
    await world.ports.settle();
    expect(await world.root.jobs.stop("j1", "enough")).toEqual({ job: "j1" });
    await world.ports.settle();
    expect(await world.session.jobs.list()).toMatchObject([
      { job: "j1", state: "interrupted" },
      { job: "j2", state: "interrupted" },
    ]);
    expect(await world.session.unread("/root")).toMatchObject([
      { type: "RESULT", outcome: "interrupted" },
    ]);
    await expect(world.root.jobs.stop("j1")).rejects.toThrow("j1 ended; nothing was stopped");
    await world.session.close();
  });

  it("J1: waiting for jobs ends with the first that ends, with its time, or at once where none runs", async () => {
    const world = await withJobs(["a", "b"]);
    const asPerson = world.session.jobs.wait();
    const waited = world.root.jobs.wait({ timeoutMs: 20_000 });
    await world.ports.settle();
    world.hands.of("/root/b").done("the report");
    expect(await waited).toEqual({ why: "ended", ended: ["j2"] });
    expect(await asPerson).toEqual({ why: "ended", ended: ["j2"] });
    const sample = world.hands.sample("/root");
    await world.ports.settle();
    sample.end("read");
    await sample.ended;
    const late = world.root.jobs.wait({ timeoutMs: 20_000 });
    await world.ports.settle();
    await world.ports.advance(20_000);
    expect(await late).toEqual({ why: "timeout", ended: [] });
    await world.root.jobs.stop("j1");
    await world.ports.settle();
    expect(await world.root.jobs.wait()).toEqual({ why: "ended", ended: ["j1"] });
    expect(await world.session.jobs.wait()).toEqual({ why: "idle", ended: [] });
    await world.session.close();
  });

  it("J1: there are none in a tree, and mail there is as ever", async () => {
    const world = await openWorld();
    expect(await world.session.jobs.list()).toEqual([]);
    await expect(world.session.jobs.send("j1", "x")).rejects.toMatchObject({
      code: "target-unknown",
    });
    await world.session.close();
  });
});
