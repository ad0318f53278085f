import { rmSync } from "node:fs";
import { join } from "node:path";
import { git, type GitPlace } from "../git/git.ts";
import { type Change, type FileVersion, sameVersion, shownPath, type Version } from "../git/trees.ts";
import { workspaceError } from "../errors.ts";
import { quotedInline } from "../../base/quoted.ts";
import { STAGING_PREFIX } from "../snapshots/left-out.ts";
import { Beneath, BlockedPathError } from "./beneath.ts";

/** Bytes that are read from the store at once. */
const BATCH_BYTES = 32 * 1024 * 1024;

/** Where the files of a move are staged, in the workspace: a rename stays within its file system. */
export function stagingOf(intentId: string): string {
  return `${STAGING_PREFIX}${intentId.replaceAll(/[^\w-]/g, "")}`;
}

/** Removes what a move has staged; a link in its place is removed and not followed. */
export function removeStaging(workspace: string, intentId: string): void {
  rmSync(join(workspace, stagingOf(intentId)), { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Brings the files of the changes to their `after`, where they stand at `before`. Everything is staged before the first
 * file is moved. With `strict` a file that stands at neither is an error; without it such a file is left alone and
 * returned. Throws `blocked` and what the file system throws; what was moved by then stays moved, for the caller to take
 * back.
 */
export async function applyChanges(
  place: GitPlace,
  changes: readonly Change[],
  { intentId, strict }: { readonly intentId: string; readonly strict: boolean },
): Promise<string[]> {
  const { workspace } = place;
  const beneath = new Beneath(workspace);
  const left: string[] = [];
  const due: Change[] = [];
  for (const change of changes) {
    const state = stateOf(beneath, change);
    if (state === "due") due.push(change);
    else if (state === "other") left.push(change.path);
  }
  if (strict && left.length > 0) throw changedMeanwhile(left[0]!);
  if (due.length === 0) return left;
  removeStaging(workspace, intentId);
  try {
    const staging = stagingOf(intentId);
    await stage(place, beneath, staging, due);
    // From the longest path on: a file can stand where a folder was, and a folder where a file was.
    for (const change of due.toReversed()) {
      if (change.after !== undefined) continue;
      if (stateOf(beneath, change) === "due") beneath.remove(change.path);
      else if (strict) throw changedMeanwhile(change.path);
      else left.push(change.path);
    }
    for (const [at, change] of due.entries()) {
      if (change.after === undefined) continue;
      if (stateOf(beneath, change) !== "due") {
        if (strict) throw changedMeanwhile(change.path);
        left.push(change.path);
      } else if (strict) beneath.place(`${staging}/${at}`, change.path);
      else if (isBlocked(() => beneath.place(`${staging}/${at}`, change.path))) left.push(change.path);
    }
  } catch (error) {
    if (error instanceof BlockedPathError) throw blocked(error.path, error);
    throw error;
  } finally {
    removeStaging(workspace, intentId);
  }
  return left;
}

function isBlocked(work: () => void): boolean {
  try {
    work();
    return false;
  } catch (error) {
    // A folder that is not empty, where a file should be, is somebody's too.
    if (error instanceof BlockedPathError || (error as NodeJS.ErrnoException).code === "ENOTEMPTY") return true;
    throw error;
  }
}

/** Whether a file stands where it should (`done`), where it comes from (`due`), or elsewhere. */
function stateOf(beneath: Beneath, { path, before, after }: Change): "done" | "due" | "other" {
  let now: Version;
  try {
    now = beneath.version(path);
  } catch (error) {
    if (!(error instanceof BlockedPathError)) throw error;
    // Behind a link or a file nothing stands that is the workspace's.
    now = undefined;
    if (after !== undefined) return sameVersion(before, undefined) ? "due" : "other";
  }
  if (sameVersion(now, after)) return "done";
  return sameVersion(now, before) ? "due" : "other";
}

async function stage(place: GitPlace, beneath: Beneath, staging: string, changes: readonly Change[]): Promise<void> {
  const wanted = changes.flatMap(({ after }, at) => (after === undefined ? [] : [{ at, after }]));
  for (const batch of await inBatches(place, wanted)) {
    const { output } = await git(place, ["cat-file", "--batch"], {
      input: batch.map(({ after }) => `${after.oid}\n`).join(""),
    });
    let from = 0;
    for (const { at, after } of batch) {
      const end = output.indexOf(0x0a, from);
      const size = Number(output.subarray(from, end).toString("latin1").split(" ")[2]);
      if (!Number.isSafeInteger(size)) throw missingContent(changes[at]!.path);
      beneath.write(`${staging}/${at}`, output.subarray(end + 1, end + 1 + size), after.mode);
      from = end + 1 + size + 1;
    }
  }
}

/** Splits what is to be read so that no answer of git's is too large. */
async function inBatches<Wanted extends { readonly after: FileVersion }>(
  place: GitPlace,
  wanted: readonly Wanted[],
): Promise<Wanted[][]> {
  if (wanted.length === 0) return [];
  const { output } = await git(place, ["cat-file", "--batch-check=%(objectsize)"], {
    input: wanted.map(({ after }) => `${after.oid}\n`).join(""),
  });
  const sizes = output.toString("latin1").split("\n");
  const batches: Wanted[][] = [];
  let bytes = Infinity;
  for (const [at, one] of wanted.entries()) {
    const size = Number(sizes[at]) || 0;
    if (bytes + size > BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(one);
    bytes += size;
  }
  return batches;
}

function changedMeanwhile(path: string): Error {
  return workspaceError("blocked", {
    expected: `${quotedInline(shownPath(path))} to be as it was captured a moment before`,
    found: "another content, or a file that snapshots leave out",
    todo: "Somebody else writes in this workspace. Try again; nothing was moved.",
  });
}

function blocked(path: string, cause: unknown): Error {
  return workspaceError("blocked", {
    expected: `folders on the way to ${quotedInline(shownPath(path))}`,
    found: "a link or a file",
    todo: "Nothing is written through a link. Move it away, or go back without files; nothing was moved.",
    cause,
  });
}

function missingContent(path: string): Error {
  return workspaceError("git-failed", {
    expected: `the stored content of ${quotedInline(shownPath(path))}`,
    found: "none in the store of snapshots",
    todo: "The store was damaged or deleted. Go back without files; nothing was moved.",
  });
}
