/** A project that keeps patches with patch-package, the real one. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PatchFile } from "../../src/patching/patch-file.ts";

/** Where patch-package notes, in the package, which files of a sequence it has applied; a reverse removes the note. */
export const NOTE = ".patch-package.json";

const PATCH_PACKAGE = fileURLToPath(import.meta.resolve("patch-package/index.js"));

/** Makes a folder with `node_modules/openclaw` such a project, with these files in its `patches`. */
export function readyForPatchPackage(folder: string, release: string, files: readonly PatchFile[]): void {
  mkdirSync(join(folder, "patches"), { recursive: true });
  for (const { name, text } of files) writeFileSync(join(folder, "patches", name), text);
  const manifest = { name: "user", version: "1.0.0", dependencies: { openclaw: release } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const lock = { name: "user", lockfileVersion: 3, packages: {} };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
}

/** Runs patch-package there and returns what it printed; throws when a file does not fit. */
export function runPatchPackage(folder: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [PATCH_PACKAGE, "--error-on-fail", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: "pipe",
  });
}
