import { git, type GitPlace } from "../git/git.ts";
import { type Change, type FileVersion, sameVersion, shownPath, type Version } from "../git/trees.ts";
import { workspaceError } from "../errors.ts";
import { quotedInline } from "../../base/quoted.ts";
import { FolderHandle } from "../handles/folder-handle.ts";
import type { OpenStore } from "../snapshots/store.ts";
import { Beneath, BlockedPathError, type Staged } from "./beneath.ts";
import { removeStaging, Staging } from "./staging.ts";
import { withTurns } from "./turns.ts";

/** How often files are staged that somebody exchanges. */
const MAX_TRIES = 10;
/** Bytes that are read from the store at once. */
const BATCH_BYTES = 32 * 1024 * 1024;
/** Files that are flushed to the disk at once. */
const AT_ONCE = 16;

/**
 * Brings the files of the changes to their `after`, where they stand at `before`. Everything is staged before the first
 * file is moved. With `strict` a file that stands at neither is an error; without it such a file is left alone and
 * returned. Throws `blocked` and what the file system throws; what was moved by then stays moved, for the caller to
 * take back.
 */
export async function applyChanges(
  { place, records, workspace, folder }: OpenStore,
  changes: readonly Change[],
  { intentId, strict }: { readonly intentId: string; readonly strict: boolean },
): Promise<string[]> {
  const root = new FolderHandle(workspace);
  const beneath = new Beneath(root, (path) => records.captured.permissions(path));
  const movePlace = { store: folder, root, intentId };
  try {
    const untouched: string[] = [];
    const due: Change[] = [];
    for await (const change of withTurns(changes)) {
      const state = judgeFile(beneath, change);
      if (state === "due") due.push(change);
      else if (state === "other") untouched.push(change.path);
    }
    if (strict && untouched.length > 0) {
      // What is written through a mapping need not change the file's time.
      for (const path of untouched) records.captured.forgetContent(path);
      throw changedMeanwhile(untouched[0]!);
    }
    removeStaging(movePlace);
    for (let tries = 1, waiting: readonly Change[] = due; waiting.length > 0; tries++) {
      const staging = new Staging(movePlace);
      try {
        const moved = await moveDue(beneath, waiting, await stage(place, staging, waiting), {
          strict,
          isAgain: tries > 1,
        });
        untouched.push(...moved.untouched);
        waiting = moved.exchanged;
      } finally {
        staging.close();
        removeStaging(movePlace);
      }
      if (waiting.length > 0 && tries === MAX_TRIES) throw changedMeanwhile(waiting[0]!.path);
    }
    return untouched;
  } catch (error) {
    if (error instanceof BlockedPathError) throw blocked(error.path, error);
    throw error;
  } finally {
    root.close();
  }
}

interface Moved {
  /** Paths that somebody changed meanwhile, and that are left alone; with `strict` they throw. */
  readonly untouched: string[];
  /** Changes whose staged file somebody has exchanged for another one. */
  readonly exchanged: Change[];
}

/**
 * Removes and places files. What was exchanged before is placed whatever stands there: this project has put it there.
 */
async function moveDue(
  beneath: Beneath,
  due: readonly Change[],
  staged: ReadonlyMap<Change, Staged>,
  { strict, isAgain }: { readonly strict: boolean; readonly isAgain: boolean },
): Promise<Moved> {
  const moved: Moved = { untouched: [], exchanged: [] };
  const leave = ({ path }: Change): void => {
    if (strict) throw changedMeanwhile(path);
    moved.untouched.push(path);
  };
  // From the longest path on: a file can stand where a folder was, and a folder where a file was.
  for await (const change of withTurns(due.toReversed())) {
    if (change.after !== undefined) continue;
    if (judgeFile(beneath, change) === "due") beneath.remove(change.path);
    else leave(change);
  }
  for await (const change of withTurns(due)) {
    const file = staged.get(change);
    if (file === undefined) continue;
    if (!isAgain && judgeFile(beneath, change) !== "due") leave(change);
    else {
      const placed = placeFile(beneath, file, change.path, strict);
      if (placed === "exchanged") moved.exchanged.push(change);
      else if (placed === "taken") leave(change);
    }
  }
  return moved;
}

/** Places a staged file; `taken` when somebody has put something else in the place, which throws with `strict`. */
function placeFile(beneath: Beneath, file: Staged, path: string, strict: boolean): "placed" | "exchanged" | "taken" {
  try {
    return beneath.place(file, path) ? "placed" : "exchanged";
  } catch (error) {
    // A folder that is not empty, where a file should be, is somebody's too.
    const isTaken = error instanceof BlockedPathError || (error as NodeJS.ErrnoException).code === "ENOTEMPTY";
    if (isTaken && !strict) return "taken";
    throw error;
  }
}

/** Whether a file stands where it should (`done`), where it comes from (`due`), or elsewhere. */
function judgeFile(beneath: Beneath, { path, before, after }: Change): "done" | "due" | "other" {
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

async function stage(
  place: GitPlace,
  staging: Staging,
  changes: readonly Change[],
): Promise<ReadonlyMap<Change, Staged>> {
  const staged = new Map<Change, Staged>();
  const toWrite = changes.flatMap((change) => (change.after === undefined ? [] : [{ change, after: change.after }]));
  for (const batch of await inBatches(place, toWrite)) {
    const { output } = await git(place, ["cat-file", "--batch"], {
      input: batch.map(({ after }) => `${after.oid}\n`).join(""),
    });
    const flushing: Promise<unknown>[] = [];
    try {
      let from = 0;
      for (const { change, after } of batch) {
        const end = output.indexOf(0x0a, from);
        const size = Number(output.subarray(from, end).toString("latin1").split(" ")[2]);
        if (!Number.isSafeInteger(size)) throw missingContent(change.path);
        const content = output.subarray(end + 1, end + 1 + size);
        flushing.push(staging.add(content, after).then((file) => staged.set(change, file)));
        if (flushing.length % AT_ONCE === 0) await Promise.all(flushing.slice(-AT_ONCE));
        from = end + 1 + size + 1;
      }
      await Promise.all(flushing);
    } finally {
      // None is left to write in a folder that is closed, or to fail unheard.
      await Promise.allSettled(flushing);
    }
  }
  return staged;
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
