import { describe, expect, it } from "vitest";
import { MemoryStorage, memoryLog } from "../../src/log/memoryLog.js";
import { logContract } from "../../src/testing/logContract.js";
import { appendOne, readAll } from "../../src/testing/logSupport.js";

logContract({ describe, it }, "memoryLog", async () => {
  const storage = new MemoryStorage();
  return { open: async () => memoryLog(storage), cleanup: async () => {} };
});

describe("memoryLog", () => {
  it("L5 two logs over one storage share its leases", async () => {
    const storage = new MemoryStorage();
    const held = await memoryLog(storage).openSession("s");
    await expect(memoryLog(storage).openSession("s")).rejects.toMatchObject({ code: "log-in-use" });
    await held.close();
    await memoryLog(storage).openSession("s");
  });

  it("R4 a copy of the storage is what a disk holds at that commit, free of leases", async () => {
    const storage = new MemoryStorage();
    const session = await memoryLog(storage).openSession("s");
    for (const text of ["one", "two", "three"]) await appendOne(session, text);
    const reopened = await memoryLog(storage.copy(2)).openSession("s");
    expect(reopened.head().position).toBe(2);
    await appendOne(reopened, "another third");
    expect(await readAll(reopened)).toHaveLength(3);
    expect((await readAll(session)).map((commit) => commit.hash)).not.toEqual(
      (await readAll(reopened)).map((commit) => commit.hash),
    );
    expect((await memoryLog(storage.copy()).openSession("s")).head()).toEqual(session.head());
  });
});
