/**
 * Runs Node and this repository's code as a user without rights. That user may not be able to enter the folder that
 * the repository was cloned into, or to read the files of a strict umask, so the code runs from a copy.
 */
import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLED } from "./bundled.ts";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));

/** The id of the user and of the group `nobody`. */
export const NOBODY = 65_534;

/** Permissions do not bind root, so root tries it as nobody; any other user tries it as themselves. */
export const asNobody: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** What nobody reads at run time is not in the copy. */
const LEFT_OUT = /\.(?:test\.ts|d\.[cm]?ts|map|md)$/;

/**
 * The path of a file of src, dist or releases in a copy that everybody can read. One copy serves a run of the tests: it
 * is in the run's temporary folder, which the tests' setup opens and removes.
 */
export function reachable(path: string): string {
  return join(repositoryForAll(), relative(REPOSITORY, path));
}

/** The Node that runs this, where everybody can start it. */
export function reachableNode(): string {
  return join(repositoryForAll(), "node");
}

/** Runs Node with these arguments as nobody and waits for its end; throws when it cannot be started. */
export function runAsNobody(
  args: readonly string[],
  options: Pick<SpawnSyncOptions, "cwd" | "env"> = {},
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const { error, status, stdout, stderr } = spawnSync(reachableNode(), args, {
    cwd: "/",
    ...options,
    ...asNobody,
    encoding: "utf8",
  });
  if (error) throw new Error(`expected nobody to reach the temporary folder; found ${error.message}`, { cause: error });
  return { status, stdout, stderr };
}

function repositoryForAll(): string {
  const there = join(tmpdir(), "repository-for-all");
  if (existsSync(there)) return there;
  const folder = mkdtempSync(`${there}-`);
  for (const name of ["package.json", "src", "dist", "releases"]) put(join(REPOSITORY, name), join(folder, name));
  for (const name of importedPackages())
    put(join(REPOSITORY, "node_modules", name), join(folder, "node_modules", name));
  openToAll(folder);
  copyFileSync(process.execPath, join(folder, "node"), constants.COPYFILE_FICLONE);
  chmodSync(join(folder, "node"), 0o755);
  try {
    renameSync(folder, there);
  } catch (error) {
    // Another worker was faster.
    rmSync(folder, { recursive: true });
    if (!existsSync(there)) throw error;
  }
  return there;
}

function put(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true, filter: (path) => !LEFT_OUT.test(path) });
}

/** The packages that the sources import, and what those depend on. */
function importedPackages(): ReadonlySet<string> {
  const found = new Set(BUNDLED);
  const waiting = BUNDLED.map((name) => join(REPOSITORY, "node_modules", name));
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const there = join(REPOSITORY, "node_modules", ...name.split("/"));
      if (found.has(name) || !existsSync(there)) continue;
      found.add(name);
      waiting.push(there);
    }
  }
  return found;
}

function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    chmodSync(`${entry.parentPath}${sep}${entry.name}`, entry.isDirectory() ? 0o755 : 0o644);
}
