/** Salvage: what can be proved good in a new log, and a list of the rest (L3). */
import { readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitKey } from "../../src/log/keys.js";
import { levelLog, salvageLog } from "../../src/log/levelLog.js";
import { verifyLog } from "../../src/log/verify.js";
import { appendOne, readAll } from "../../src/testing/logSupport.js";
import { closedLog, editBytes, fileOf, intoTable, rewrite } from "../support/damage.js";
import { fingerprint, testFolder } from "../support/folders.js";

async function newFolder(): Promise<string> {
  return join(await testFolder(), "salvaged");
}

const flip = (text: string): string => text.replace("text", "tExt");

describe("salvage", () => {
  it("L3 keeps each session up to its first damage, lists the rest, and leaves the damaged folder as it is", async () => {
    const { folder, heads } = await closedLog(9, ["a", "b", "c"]);
    await rewrite(folder, commitKey("a", 4), flip);
    await rewrite(folder, commitKey("a", 7), () => undefined);
    await rewrite(folder, commitKey("c", 1), () => undefined);
    const before = await fingerprint(folder);
    const to = await newFolder();
    const report = await salvageLog(folder, to);
    expect(report).toMatchObject({
      repaired: false,
      watermark: true,
      unknownKeys: [],
      sessions: [
        {
          session: "a",
          head: { position: 3 },
          leftOut: [
            { from: 4, to: 4, reason: "damaged" },
            { from: 5, to: 6, reason: "unproven" },
            { from: 7, to: 7, reason: "missing" },
            { from: 8, to: 9, reason: "unproven" },
          ],
        },
        { session: "b", head: heads.get("b"), leftOut: [] },
        {
          session: "c",
          head: { position: 0 },
          leftOut: [
            { from: 1, to: 1, reason: "missing" },
            { from: 2, to: 9, reason: "unproven" },
          ],
        },
      ],
    });
    expect(await fingerprint(folder)).toEqual(before);
    const log = levelLog(to);
    expect(await verifyLog(log)).toMatchObject({ ok: true });
    expect(await log.sessions()).toEqual(["a", "b"]);
    const session = await log.openSession("a");
    await appendOne(session, "on");
    expect(await readAll(session)).toHaveLength(4);
    await log.close();
  });

  it("L3 lists a tail that had been confirmed and is gone", async () => {
    const { folder } = await closedLog(30);
    const file = await fileOf(folder, ".log");
    await truncate(file, 5000);
    const { sessions } = await salvageLog(folder, await newFolder());
    const kept = sessions[0]?.head.position ?? 0;
    expect(kept).toBeGreaterThan(0);
    expect(sessions[0]?.leftOut).toMatchObject([{ from: kept + 1, to: 30, reason: "missing" }]);
  });

  it.each([
    ["its CURRENT is gone", "CURRENT"],
    ["its manifest is gone", "MANIFEST"],
  ])("L3 repairs a copy when %s, and accounts for everything", async (_, what) => {
    const { folder } = await closedLog(30);
    await intoTable(folder);
    const name = (await readdir(folder)).find((one) => one.startsWith(what)) ?? "";
    await rm(join(folder, name));
    const before = await fingerprint(folder);
    const report = await salvageLog(folder, await newFolder());
    expect(report).toMatchObject({ repaired: true, sessions: [{ session: "s" }] });
    const [{ head, leftOut } = { head: { position: 0 }, leftOut: [] }] = report.sessions;
    const left = leftOut.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    expect(head.position + left).toBe(30);
    expect(await fingerprint(folder)).toEqual(before);
  });

  it("L3 says when the watermark is no help, and which keys belong to nobody", async () => {
    const { folder } = await closedLog(3);
    await writeFile(join(folder, "dovecote.watermark"), "{");
    await rewrite(folder, "z", () => "?");
    await rewrite(folder, "c/s/odd", () => "?");
    expect(await salvageLog(folder, await newFolder())).toMatchObject({
      watermark: false,
      unknownKeys: ["z", "c/s/odd"],
      sessions: [{ session: "s", head: { position: 3 }, leftOut: [] }],
    });
  });

  it("L3 writes into no folder that holds anything, and takes nothing from one that is held", async () => {
    const { folder } = await closedLog(3);
    const taken = { code: "bad-argument" };
    await expect(salvageLog(folder, folder)).rejects.toMatchObject(taken);
    await expect(salvageLog(folder, (await closedLog(1)).folder)).rejects.toMatchObject(taken);
    const log = levelLog(folder);
    await log.sessions();
    const to = await newFolder();
    await expect(salvageLog(folder, to)).rejects.toMatchObject({ code: "log-in-use" });
    await log.close();
    await editBytes(join(folder, "dovecote.json"), (bytes) => bytes.fill(0));
    expect(await salvageLog(folder, to)).toMatchObject({ sessions: [{ head: { position: 3 } }] });
  });
});
