/** Small copies of a real release to try the patch on: its package.json and the files that the patch touches. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newFolder } from "../../harness/temporary.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { GUARD_EXPORTS } from "../../src/patching/base/guard-file.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { type Release, releaseFacts } from "../../src/patching/base/releases.ts";

/** A guard that does nothing. */
export const STUB_GUARD = `const pass = (value) => value;
${Object.keys(GUARD_EXPORTS)
  .map((name) => `export const ${name} = pass;`)
  .join("\n")}
`;

/** A project with such a copy as its node_modules/openclaw. */
export async function project(
  release: Release,
): Promise<{ readonly folder: string; readonly root: string; readonly files: readonly string[] }> {
  const { stock } = await ensureRelease(release);
  const folder = newFolder();
  const root = join(folder, "node_modules", "openclaw");
  const files = Object.keys(releaseFacts(release)?.files ?? {});
  const lists = ["dist/postinstall-inventory.json", "dist/postinstall-content-inventory.json"].filter((file) =>
    existsSync(join(stock, file)),
  );
  for (const file of ["package.json", ...lists, ...files]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(stock, file), join(root, file));
  }
  return { folder, root, files };
}

/** Gives the OpenClaw in `root` another release number, as if it were a release that is in no record. */
export function rename(root: string, release: string): void {
  const manifest = join(root, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": ".*"/, `"version": "${release}"`));
}

/** The hash of every file below a folder, by path. */
export function hashTree(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), sha256(readFileSync(path))]));
}
