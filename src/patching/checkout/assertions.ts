/** What must be so before a checkout is changed: nothing of somebody else may be lost, in it or elsewhere. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { PatchError, patchError } from "../base/errors.ts";
import { withUnixLines } from "../base/text.ts";
import type { SourceFile } from "./checkout.ts";
import { changedInGit, committedInGit } from "./git.ts";
import { partOurs } from "./own-lines.ts";
import type { CheckoutPlan } from "./plan.ts";
import { isWritten, MANIFEST, manifestFiles, readVendored } from "./vendored.ts";

/**
 * Throws `checkout-dirty` for changes that are not committed and not ours, also in the folder of the guard, and
 * `git-failed` where that is not known.
 */
export function assertClean({ root, files, strays, vendored }: CheckoutPlan): void {
  const sources = new Map([...files, ...strays].map(({ file, original }) => [file, original]));
  const written = manifestFiles(readVendored(root, MANIFEST) ?? "");
  const [inFolder, changedThere] = [new Set(vendored.map(({ file }) => file)), new Set<string>()];
  for (const { file, text } of vendored) {
    const isKnown = file === MANIFEST || readVendored(root, file) === text || isWritten(root, file, written);
    // A revert that was interrupted has removed some of the folder; what is committed is not lost.
    if (!isKnown && existsSync(join(root, file)) && !isCommitted(root, file)) changedThere.add(file);
  }
  const isOurs = (file: string): boolean => {
    const original = sources.get(file);
    return original === undefined ? inFolder.has(file) : isSameWithoutOurs(file, original, committedInGit(root, file));
  };
  // Git knows nothing of the folder where its list of ignored files has it.
  const changed = [...changedInGit(root).filter((file) => !isOurs(file)), ...changedThere];
  if (changed.length === 0) return;
  throw patchError("checkout-dirty", {
    expected: `a checkout without changes that are not committed in ${root}`,
    found: `${changed.length === 1 ? "a change" : `${changed.length} changes`}: ${changed.slice(0, 10).join(", ")}`,
    todo: "Commit or stash them, so that the patch can be told from them; or say --dirty. Nothing was changed.",
  });
}

function isCommitted(root: string, file: string): boolean {
  const text = committedInGit(root, file);
  return text !== undefined && withUnixLines(text) === readVendored(root, file);
}

function isSameWithoutOurs(file: string, original: string, committed: string | undefined): boolean {
  if (committed === undefined) return false;
  try {
    // Git may convert the ends of lines between a commit and the work tree.
    return withUnixLines(original) === withUnixLines(partOurs(file, committed).original);
  } catch (error) {
    if (error instanceof PatchError) return false;
    throw error;
  }
}

/** Throws `busy` when a file is no longer as it was read: an editor, or git, has written it meanwhile. */
export function assertUnchanged(root: string, files: readonly SourceFile[]): void {
  const changed = files.find(({ file, text }) => {
    const path = join(root, file);
    return !existsSync(path) || readFileSync(path, "utf8") !== text;
  });
  if (changed === undefined) return;
  throw patchError("busy", {
    expected: `the sources in ${root} as they were read a moment ago`,
    found: `another ${changed.file}`,
    todo: "An editor or git is at work there. Run it again when it is done; nothing was changed.",
  });
}

/** Throws `openclaw-linked` where a folder of the files is a symbolic link out of the checkout. */
export function assertWithin(root: string, files: readonly { readonly file: string }[]): void {
  const top = realpathSync(root);
  for (const { file } of files) {
    let folder = dirname(join(root, file));
    while (!existsSync(folder)) folder = dirname(folder);
    const real = realpathSync(folder);
    if (real === top || real.startsWith(`${top}${sep}`)) continue;
    throw patchError("openclaw-linked", {
      expected: `${folder} to be a folder of the checkout`,
      found: `a symbolic link to ${real}, where files would be changed`,
      todo: "Put a folder in place of the link, or name the checkout that it leads to. Nothing was changed.",
    });
  }
}
