/** Folders for tests: made in the system's place for such things, and gone afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder, and the function that removes it with all it holds. */
export async function makeFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "dovecote-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A folder that is removed when the current test is over. */
export async function testFolder(): Promise<string> {
  const { path, remove } = await makeFolder();
  onTestFinished(remove);
  return path;
}
