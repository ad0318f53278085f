/** Replaces several files as one: all are staged first, then renamed into place, and put back when one rename fails. */
import { copyFileSync, existsSync, linkSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { refusal } from "./errors.ts";

/** The new text of a file, or its removal; `file` is relative to the root. */
export interface Change {
  readonly file: string;
  readonly text: string | undefined;
}

/**
 * Makes all changes in their order, or none. A file is never written in place: it may be a hard link that another
 * installation (pnpm's store, the stock copy of a release) shares.
 */
export function swapAll(root: string, changes: readonly Change[]): void {
  let stage: string | undefined;
  const undo: (() => void)[] = [];
  try {
    stage = mkdtempSync(join(root, ".openclaw-integrity-"));
    const steps = changes.map((change, index) => stageOne(root, join(stage ?? root, String(index)), change));
    for (const step of steps) {
      step.swap();
      undo.unshift(step.putBack);
    }
  } catch (error) {
    for (const putBack of undo) putBack();
    throw refusal("not-writable", {
      expected: `to write into ${root}`,
      found: error instanceof Error ? error.message : String(error),
      todo: "Run it as the user who owns this folder, or make it writable; nothing was changed.",
      cause: error,
    });
  } finally {
    if (stage !== undefined) rmSync(stage, { recursive: true, force: true });
  }
}

function stageOne(root: string, staged: string, { file, text }: Change): { readonly swap: () => void; readonly putBack: () => void } {
  const target = join(root, file);
  const existed = existsSync(target);
  const kept = `${staged}.old`;
  if (existed) keep(target, kept);
  const putBack = (): void => (existed ? renameSync(kept, target) : rmSync(target, { force: true }));
  if (text === undefined) return { swap: () => rmSync(target, { force: true }), putBack };
  writeFileSync(staged, text, { mode: existed ? statSync(target).mode & 0o777 : 0o644, flush: true });
  return { swap: () => renameSync(staged, target), putBack };
}

function keep(target: string, kept: string): void {
  try {
    linkSync(target, kept);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(target, kept);
  }
}
