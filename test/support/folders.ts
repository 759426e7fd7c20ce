/** Folders for tests: made in the system's place for such things, and gone afterwards. */
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
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

/** Every file of a folder with the hash of its bytes: equal before and after means that nothing was written. */
export async function fingerprint(folder: string): Promise<Readonly<Record<string, string>>> {
  const prints: Record<string, string> = {};
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const names = files.map((file) => relative(folder, join(file.parentPath, file.name)));
  for (const name of names.sort()) {
    const bytes = await readFile(join(folder, name));
    prints[name] = createHash("sha256").update(bytes).digest("hex");
  }
  return prints;
}
