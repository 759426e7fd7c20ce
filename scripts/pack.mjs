/** Packs the package as `npm publish` would, into a folder of its own that is removed afterwards. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command with its output shown, and throws when it fails. */
export function run(command, args, options = {}) {
  execFileSync(command, args, {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
    ...options,
  });
}

/**
 * Calls `use` with a fresh tarball of `dist` as it stands, the paths in it, and the folder around it. What it throws is
 * said without a stack, since its message tells all, and becomes a failed exit.
 */
export async function withTarball(use) {
  const folder = mkdtempSync(join(tmpdir(), "dovecote-pack-"));
  try {
    const output = execFileSync(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
      { cwd: root, encoding: "utf8", shell: process.platform === "win32" },
    );
    const [{ filename, files }] = JSON.parse(output);
    await use({ tarball: join(folder, filename), files: files.map((file) => file.path), folder });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
