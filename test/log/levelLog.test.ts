import { describe, it } from "vitest";
import { levelLog } from "../../src/log/levelLog.js";
import { logContract } from "../../src/testing/logContract.js";
import { makeFolder } from "../support/folders.js";

for (const durability of ["disk", "process"] as const) {
  logContract({ describe, it }, `levelLog, ${durability}`, async () => {
    const { path, remove } = await makeFolder();
    return { open: async () => levelLog(path, { durability }), cleanup: remove };
  });
}
