import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../base/files/index.ts";
import { IGNORED } from "./left-out.ts";
import { git, type GitPlace } from "../git/git.ts";

/**
 * Overrules the person's .gitattributes, which would change bytes on their way into the store (line ends, encodings,
 * `$Id$`) or run programs (filters).
 */
const ATTRIBUTES = "* -text -eol -crlf -ident -filter -working-tree-encoding -export-subst -merge -diff\n";

const CONFIG = `[core]
	repositoryformatversion = 0
	bare = false
	logallrefupdates = false
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	untrackedCache = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	quotePath = false
	looseCompression = 1
	fsync = none
	precomposeUnicode = false
	protectNTFS = false
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
 * Makes a repository usable again that a power cut or a full disk has damaged: captures do not wait for the disk, so that
 * what was captured last may be empty files then. The next capture stores every present file again.
 */
export function mendRepository({ repository, index }: GitPlace): void {
  rmSync(index, { force: true });
  const objects = join(repository, "objects");
  for (const folder of readdirSync(objects).filter((name) => /^[\da-f]{2}$/.test(name)))
    for (const name of readdirSync(join(objects, folder))) {
      const file = join(objects, folder, name);
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 1) === 0) rmSync(file, { force: true });
    }
}

/** Returns where the parts of a workspace's repository are, in the folder of its snapshots. */
export function placeIn(folder: string, workspace: string): GitPlace {
  const repository = join(folder, "store.git");
  return { repository, workspace, index: join(repository, "index") };
}

/** Creates the shadow repository, or completes one whose creation was killed. Rejects as {@link git} does. */
export async function ensureRepository(place: GitPlace): Promise<void> {
  const { repository, index } = place;
  const done = join(repository, "info", "attributes");
  // Only the holder of the workspace's lock is here: a lock of git's own is left by a process that was killed.
  rmSync(`${index}.lock`, { force: true });
  if (existsSync(done)) return;
  makeFolder(repository);
  await git(place, ["init", "--quiet", "--template="]);
  makeFolder(join(repository, "info"));
  writeFileSync(join(repository, "config"), CONFIG, { mode: 0o600 });
  writeFileSync(join(repository, "info", "exclude"), IGNORED, { mode: 0o600 });
  writeFileSync(done, ATTRIBUTES, { mode: 0o600 });
}
