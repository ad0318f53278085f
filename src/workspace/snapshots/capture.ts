import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { WorkspaceError, workspaceError } from "../errors.ts";
import { git, type GitPlace } from "../git/git.ts";
import { sameVersion, type Version } from "../git/trees.ts";
import { writeTree } from "../git/write-tree.ts";
import { FolderHandle } from "../handles/folder-handle.ts";
import { mountsBelow } from "../handles/mounts.ts";
import { type KnownFiles, NOT_STORED } from "../records/known-files.ts";
import type { Records } from "../records/records.ts";
import { type LeftOutReason, MAX_BYTES, MAX_FILES } from "./left-out.ts";
import { recoverRepository } from "./repository.ts";
import { Walk } from "./walk.ts";

/** The state of a workspace's files. */
export interface Captured {
  /** The object id of the tree in the repository of the snapshots. */
  readonly tree: string;
  /** How many files and folders this capture left out, by reason; without those that a .gitignore names. */
  readonly leftOut: ReadonlyMap<LeftOutReason, number>;
}

/** The fact that names the start of the machine in which the store was last used. */
const BOOT = "boot";
/** The fact that there was a capture. */
const CAPTURED = "captured";
/** How long a capture may take: the first one of a large workspace takes its time. */
const CAPTURE_MS = 180_000;
/**
 * From this many contents on git writes one pack instead of a file for each: a fifth of the time, a tenth of the disk.
 */
const MANY = 200;
const CONFIGURATION = ["-c", "core.compression=1", "-c", `fastimport.unpackLimit=${MANY}`];
/** Without deltas, which would be tried against whatever content came before. */
const STORE_CONTENTS = [...CONFIGURATION, "fast-import", "--quiet", "--depth=0"];

/**
 * Captures the files of a workspace. Nothing in the workspace is opened by its path and no program runs there; git is
 * given the contents that are new, through its standard input. Only the repository and the records are written to.
 * Rejects with a WorkspaceError: `unfit` for a workspace whose first capture would have too many files or bytes,
 * `timeout`, and as {@link git} does. The caller holds the workspace's lock.
 */
export async function capture(place: GitPlace, workspace: string, records: Records): Promise<Captured> {
  try {
    return await captureOnce(place, workspace, records);
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== "git-failed") throw error;
    await startAnew(place, records);
    return captureOnce(place, workspace, records);
  }
}

/** Objects that were not flushed may be gone; what is known of the files says that they are there. */
async function startAnew(place: GitPlace, records: Records): Promise<void> {
  records.captured.forgetContents();
  await recoverRepository(place);
}

/** The id of the machine's last start; the same text where the system has none. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "unknown";
  }
}

async function captureOnce(place: GitPlace, workspace: string, records: Records): Promise<Captured> {
  const boot = bootId();
  // The machine may have lost its power.
  if (records.fact(BOOT) !== boot) {
    await startAnew(place, records);
    records.setFact(BOOT, boot);
  }
  const known = records.captured.known();
  const root = new FolderHandle(workspace);
  try {
    const bounds = { root, known, mounts: mountsBelow(workspace), deadline: performance.now() + CAPTURE_MS };
    // Later nothing that an agent adds or deletes ends the captures.
    const isFirst = records.fact(CAPTURED) === undefined;
    if (isFirst) await assertFits(bounds);
    const walk = new Walk(bounds);
    const contents = walk.contents();
    try {
      await storeContents(place, contents);
    } finally {
      // Where git has ended before the walk: it must not go on when the number of its handle is another file's.
      await contents.return(undefined);
    }
    const tree = await treeAfter(place, records, known, walk);
    if (isFirst) records.setFact(CAPTURED, "yes");
    return { tree, leftOut: walk.leftOut };
  } finally {
    root.close();
  }
}

/** Looks at all files before the first one is stored. */
async function assertFits(bounds: ConstructorParameters<typeof Walk>[0]): Promise<void> {
  const walk = new Walk({ ...bounds, countsOnly: true });
  for await (const _ of walk.contents());
  if (walk.count <= MAX_FILES && walk.bytes <= MAX_BYTES) return;
  throw workspaceError("unfit", {
    expected: `a workspace of at most ${MAX_FILES} files and ${MAX_BYTES / 1024 / 1024} MiB`,
    found: walk.count > MAX_FILES ? `${walk.count} files` : `${Math.ceil(walk.bytes / 1024 / 1024)} MiB`,
    todo: "Name what need not come back in a .gitignore. Until then moves go on without files.",
  });
}

/** Stores contents while they are read; git is started for the first one. */
async function storeContents(place: GitPlace, contents: AsyncGenerator<Buffer>): Promise<void> {
  const first = await contents.next();
  if (first.done === true) return;
  await git(place, STORE_CONTENTS, { input: Readable.from(commands(first.value, contents)), deadlineMs: CAPTURE_MS });
}

async function* commands(first: Buffer, others: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield command(first);
  for await (const content of others) yield command(content);
}

function command(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`blob\ndata ${content.length}\n`), content, Buffer.from("\n")]);
}

/** Writes the tree of the files that a walk has found, and records both. */
async function treeAfter(place: GitPlace, records: Records, known: KnownFiles, walk: Walk): Promise<string> {
  const last = records.captured.lastTree();
  const changes = [...walk.files].flatMap(([path, after]) =>
    sameVersion(known.get(path), after) ? [] : [{ path, after }],
  );
  if (last !== undefined && changes.length === 0) {
    if (walk.files.size + walk.folders.size > 0) records.captured.save(last, walk.files, walk.folders);
    return last;
  }
  records.captured.forgetTree();
  const tree = await (last === undefined
    ? writeTree(place, "empty", presentIn(known, walk))
    : writeTree(place, "as it is", changes));
  records.captured.save(tree, walk.files, walk.folders);
  return tree;
}

function presentIn(known: KnownFiles, walk: Walk): { readonly path: string; readonly after: Version }[] {
  const present = new Map<string, Version>([...known.files(), ...walk.files]);
  return [...present].flatMap(([path, after]) =>
    after === undefined || after.oid === NOT_STORED ? [] : [{ path, after }],
  );
}
