/** The git repository of a workspace's snapshots: its configuration, creation and recovery. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createInflate } from "node:zlib";
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
 * Removes what a power cut or a full disk has damaged in a repository: captures do not wait for the disk, so that the
 * newest objects and packs may be empty or cut. git would take their content for stored, and not store it again. The
 * caller has to forget which contents are stored, so that the next capture stores every present file.
 */
export async function recoverRepository(place: GitPlace): Promise<void> {
  const objects = join(place.repository, "objects");
  rmSync(place.index, { force: true });
  for (const { parentPath, name } of readdirSync(objects, { withFileTypes: true, recursive: true })) {
    const file = join(parentPath, name);
    if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file, { force: true });
    else if (name.endsWith(".idx")) await removeDamagedPack(place, file);
    else if (/^[\da-f]{38}$/.test(name)) await removeDamagedObject(file, basename(parentPath) + name);
  }
}

/** Removes a single object whose content is not the one that its id is the hash of. */
async function removeDamagedObject(file: string, id: string): Promise<void> {
  const hash = createHash("sha1");
  try {
    await pipeline(createReadStream(file), createInflate(), hash);
    if (hash.digest("hex") === id) return;
  } catch (error) {
    // A file that cannot be opened need not be damaged.
    if (!String((error as NodeJS.ErrnoException).code).startsWith("Z_")) return;
  }
  rmSync(file, { force: true });
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
  // The caller holds the workspace's lock, so a lock of git itself was left by a process that was killed.
  rmSync(`${index}.lock`, { force: true });
  if (existsSync(config)) return;
  for (const name of ["objects", "refs"]) makeFolder(join(repository, name));
  writeFileSync(join(repository, "HEAD"), "ref: refs/heads/none\n", { mode: 0o600 });
  writeFileSync(`${config}.new`, CONFIG, { mode: 0o600 });
  renameSync(`${config}.new`, config);
}
