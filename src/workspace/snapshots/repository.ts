import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../base/files/index.ts";
import { git, type GitPlace } from "../git/git.ts";

const VERIFY_MS = 300_000;
/**
 * Nothing that a person sets up for git takes part: no hooks, attributes, ignored names or monitors; git collects no
 * garbage by itself, and files are for their owner only. `fsync = none`: captures do not wait for the disk, flush.ts
 * does before a move.
 */
const CONFIG = `[core]
	repositoryformatversion = 0
	bare = true
	sharedRepository = 0600
	logallrefupdates = false
	fsmonitor = false
	untrackedCache = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	quotePath = false
	looseCompression = 1
	fsync = none
	protectNTFS = false
	protectHFS = false
[gc]
	auto = 0
[maintenance]
	auto = false
[commit]
	gpgSign = false
[advice]
	addEmbeddedRepo = false
`;

/**
 * Makes a repository usable again that a power cut or a full disk has damaged: captures do not wait for the disk, so
 * that what was captured last may be empty or cut files then. The next capture stores every present file again.
 */
export async function recoverRepository(place: GitPlace): Promise<void> {
  const objects = join(place.repository, "objects");
  rmSync(place.index, { force: true });
  for (const { parentPath, name } of readdirSync(objects, { withFileTypes: true, recursive: true })) {
    const file = join(parentPath, name);
    if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file, { force: true });
    else if (name.endsWith(".idx")) await removeDamagedPack(place, file);
  }
}

async function removeDamagedPack(place: GitPlace, index: string): Promise<void> {
  const { code } = await git(place, ["verify-pack", index], { accept: [1, 128], deadlineMs: VERIFY_MS });
  if (code !== 0) for (const end of ["idx", "pack", "rev"]) rmSync(`${index.slice(0, -3)}${end}`, { force: true });
}

/** Returns where the parts of a workspace's repository are, in the folder of its snapshots. */
export function placeIn(folder: string): GitPlace {
  const repository = join(folder, "store.git");
  return { repository, index: join(repository, "index") };
}

/** Creates the repository, or completes one whose creation was killed: its configuration comes last. */
export function ensureRepository({ repository, index }: GitPlace): void {
  const config = join(repository, "config");
  // Only the holder of the workspace's lock is here: a lock of git's own is left by a process that was killed.
  rmSync(`${index}.lock`, { force: true });
  if (existsSync(config)) return;
  for (const name of ["objects", "refs"]) makeFolder(join(repository, name));
  writeFileSync(join(repository, "HEAD"), "ref: refs/heads/none\n", { mode: 0o600 });
  writeFileSync(`${config}.new`, CONFIG, { mode: 0o600 });
  renameSync(`${config}.new`, config);
}
