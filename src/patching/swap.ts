/** Replaces several files as one: all are staged first, then renamed into place, and put back when one rename fails. */
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PatchError, refusal } from "./errors.ts";
import { isAlive } from "./lock.ts";

/** The new text of a file, or its removal; `file` is relative to the root. A file may be changed more than once, in order. */
export interface Change {
  readonly file: string;
  readonly text: string | undefined;
}

/** Where files are staged; it is the lock as well, for it can be made only once. */
export const STAGE = ".openclaw-integrity-stage";

/**
 * Makes all changes in their order, or none; after a kill a prefix of them is made. A file is never written in place: it
 * may be a hard link that another installation (pnpm's store, the stock copy of a release) shares. `onStep` is called
 * before the first change and after each, for tests that kill there. Throws `not-writable` or `busy`, then nothing is changed.
 */
export function swapAll(root: string, changes: readonly Change[], onStep: () => void = () => undefined): void {
  const undo: (() => void)[] = [];
  let isOurs = false;
  try {
    takeStage(root);
    isOurs = true;
    onStep();
    const steps = changes.map((change, index) => stageOne(root, join(root, STAGE, String(index)), change));
    onStep();
    for (const step of steps) {
      undo.unshift(step());
      onStep();
    }
  } catch (error) {
    for (const putBack of undo) putBack();
    if (error instanceof PatchError) throw error;
    throw refusal("not-writable", {
      expected: `to write into ${root}`,
      found: error instanceof Error ? error.message : String(error),
      todo: "Run it as the user who owns this folder, or make it writable; nothing was changed.",
      cause: error,
    });
  } finally {
    if (isOurs) rmSync(join(root, STAGE), { recursive: true, force: true });
  }
}

function takeStage(root: string): void {
  const stage = join(root, STAGE);
  const owner = ownerOf(stage);
  if (owner !== undefined && owner !== process.pid && isAlive(owner)) {
    throw refusal("busy", {
      expected: `to be the only one who changes ${root}`,
      found: `process ${owner} at work in it`,
      todo: `Wait until it is done and run it again. If no such openclaw-integrity is running, remove ${stage}. Nothing was changed.`,
    });
  }
  // What a killed run staged was never part of OpenClaw.
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage);
  writeFileSync(join(stage, "pid"), String(process.pid));
}

function ownerOf(stage: string): number | undefined {
  try {
    return Number(readFileSync(join(stage, "pid"), "utf8"));
  } catch {
    return undefined;
  }
}

/** Stages one change. What it returns makes the change and returns what takes it back. */
function stageOne(root: string, staged: string, { file, text }: Change): () => () => void {
  const target = join(root, file);
  const kept = `${staged}.old`;
  if (text !== undefined) writeFileSync(staged, text, { mode: existsSync(target) ? statSync(target).mode & 0o777 : 0o644, flush: true });
  return () => {
    const existed = existsSync(target);
    if (existed) keep(target, kept);
    if (text === undefined) rmSync(target, { force: true });
    else renameSync(staged, target);
    return () => (existed ? renameSync(kept, target) : rmSync(target, { force: true }));
  };
}

function keep(target: string, kept: string): void {
  try {
    linkSync(target, kept);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(target, kept);
  }
}
