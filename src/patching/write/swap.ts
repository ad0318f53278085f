/** Replaces several files as one: all are staged first, then renamed into place, and put back when one rename fails. */
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createFile } from "../../base/files/index.ts";
import { isAlive } from "../../base/processes.ts";
import { PatchError, patchError } from "../base/errors.ts";
import { linkedDist } from "../find/linked-dist.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";

/**
 * The new text of a file, or undefined to remove it; `file` is relative to the root. A file may be changed more than
 * once, in order.
 */
export interface Change {
  readonly file: string;
  readonly text: string | undefined;
}

const STAGE = ".openclaw-integrity-stage";
const MAX_TRIES = 5;
const OLD_MS = 3_600_000;

/**
 * The folder in which files are staged, on the same disk as dist. It is also the lock, because only one process can
 * make it.
 */
export function stageFolder(root: string): string {
  return join(linkedDist(root) ?? root, STAGE);
}

/**
 * Makes all changes in their order, or none; after a kill a prefix of them is made. A file is never written in place:
 * it may be a hard link that another installation (pnpm's store, the stock copy of a release) shares. `onStep` is
 * called before the first change and after each, for tests that kill there. `check` is called when nobody else can
 * change the folder any more, and throws when the files are no longer those that were planned for. Throws
 * `not-writable` or `busy`, then nothing is changed.
 */
export function swapAll(
  root: string,
  changes: readonly Change[],
  onStep: () => void = () => undefined,
  check: () => void = () => undefined,
): void {
  const undo: (() => void)[] = [];
  let isOurs = false;
  try {
    takeStage(root);
    isOurs = true;
    check();
    onStep();
    const steps = changes.map((change, index) => stageOne(root, join(stageFolder(root), String(index)), change));
    onStep();
    for (const step of steps) {
      undo.unshift(step());
      onStep();
    }
  } catch (error) {
    for (const putBack of undo) tryTo(putBack);
    if (error instanceof PatchError) throw error;
    throw patchError(
      "not-writable",
      refusedByDisk(error, {
        expected: `to write into ${root}`,
        asOwner: "Run it as the user who owns this folder, or make it writable.",
        ending: "Nothing was changed.",
      }),
    );
  } finally {
    if (isOurs) rmSync(stageFolder(root), { recursive: true, force: true });
  }
}

/** Puts a file back, unless an update has replaced the whole folder meanwhile: then there is nothing to put back. */
function tryTo(putBack: () => void): void {
  try {
    putBack();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Makes the stage under another name and renames it, so that a stage always names its owner. */
function takeStage(root: string): void {
  const stage = stageFolder(root);
  const claim = mkdtempSync(`${stage}-`);
  try {
    createFile(join(claim, "pid"), String(process.pid));
    // In sources: what a kill leaves here must not come into somebody's commit.
    createFile(join(claim, ".gitignore"), "*\n");
    for (let tries = 1; !isMoved(claim, stage); tries++) {
      const owner = readOwner(stage);
      if (tries > MAX_TRIES || (owner !== undefined && owner !== process.pid && isAlive(owner)))
        throw busy(root, stage, owner);
      // A stage of a killed run was never part of OpenClaw and can go. It is moved away first: otherwise a stage that
      // another process has made in between could be removed.
      const aside = `${claim}.old`;
      if (isMoved(stage, aside)) rmSync(aside, { recursive: true, force: true });
    }
  } catch (error) {
    rmSync(claim, { recursive: true, force: true });
    throw error;
  }
  for (const name of readdirSync(dirname(stage)))
    if (isLeftClaim(join(dirname(stage), name), stage))
      rmSync(join(dirname(stage), name), { recursive: true, force: true });
}

/** Renames; false when the target exists or the source is missing. */
function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return false;
    throw error;
  }
}

/** Whether it is the folder of a process that was killed before it could make it the stage. */
function isLeftClaim(path: string, stage: string): boolean {
  if (!path.startsWith(`${stage}-`)) return false;
  const owner = readOwner(path);
  return owner === undefined
    ? Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > OLD_MS
    : !isAlive(owner);
}

function busy(root: string, stage: string, owner: number | undefined): PatchError {
  return patchError("busy", {
    expected: `to be the only one who changes ${root}`,
    found: `process ${owner ?? "(unknown)"} at work in it`,
    todo:
      `Wait until it is done and run it again. If no such openclaw-integrity is running, remove ${stage}. ` +
      "Nothing was changed.",
  });
}

function readOwner(stage: string): number | undefined {
  try {
    return Number(readFileSync(join(stage, "pid"), "utf8"));
  } catch {
    return undefined;
  }
}

/** Stages one change. Returns the function that makes the change, which returns the function that undoes it. */
function stageOne(root: string, staged: string, { file, text }: Change): () => () => void {
  const target = join(root, file);
  const kept = `${staged}.old`;
  const present = lstatSync(target, { throwIfNoEntry: false });
  if (text !== undefined)
    createFile(staged, text, {
      mode: present?.isFile() ? present.mode & 0o777 : 0o644,
      owner: present ?? statSync(dirname(target)),
    });
  return () => {
    const existed = existsSync(target);
    if (existed) keepOld(target, kept);
    if (text === undefined) rmSync(target, { force: true });
    else renameSync(staged, target);
    return () => (existed ? renameSync(kept, target) : rmSync(target, { force: true }));
  };
}

function keepOld(target: string, kept: string): void {
  try {
    linkSync(target, kept);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(target, kept, constants.COPYFILE_EXCL);
  }
}
