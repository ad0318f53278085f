/**
 * A plan as two patch files in the format that patch-package reads, which applies them by their numbers. The guard
 * comes first: with it alone OpenClaw does what it does unpatched, while the call sites alone would import a file that
 * is not there.
 */
import { structuredPatch } from "diff";
import type { Plan } from "./plan.ts";

/**
 * One line around each change: no more of OpenClaw's text than a patch needs, and too few to reach the guard's digest
 * from the entry before it in a list.
 */
const CONTEXT = 1;
const FOLDER = "node_modules/openclaw";

/** A file for the `patches` folder of a project. */
export interface PatchFile {
  readonly name: string;
  readonly text: string;
}

/** The two parts of a patch. */
export interface PatchFiles {
  /** Adds the guard, and enters it into OpenClaw's lists of its files. */
  readonly guard: PatchFile;
  /** Changes OpenClaw's own files, and their digests in its list. The guard's text has no influence on it. */
  readonly callSites: PatchFile;
}

/** The names of the two files, in the form in which patch-package reads package, release and order from them. */
export function patchFileNames(release: string): { readonly guard: string; readonly callSites: string } {
  return {
    guard: `openclaw+${release}+001+guard.patch`,
    callSites: `openclaw+${release}+002+call-sites.patch`,
  };
}

/** The two files. Applying one after the other to the published package gives the same bytes as apply(). */
export function patchFiles({ release, files, lists, guard }: Plan): PatchFiles {
  const names = patchFileNames(release);
  const added = [
    fileDiff(guard.file, undefined, guard.text),
    ...lists.map(({ file, original, withGuard }) => fileDiff(file, original, withGuard)),
  ];
  const changed = [
    ...files.map(({ file, original, patched }) => fileDiff(file, original, patched)),
    ...lists.map(({ file, withGuard, patched }) => fileDiff(file, withGuard, patched)),
  ];
  return {
    guard: { name: names.guard, text: added.join("") },
    callSites: { name: names.callSites, text: changed.join("") },
  };
}

/**
 * The change of one file; nothing when there is none. Without git's ids of the contents: that of a list would depend on
 * the guard, and neither patch-package nor git needs them to apply a patch.
 */
function fileDiff(file: string, before: string | undefined, after: string): string {
  if (before === after) return "";
  const [from, to] = [`a/${FOLDER}/${file}`, `b/${FOLDER}/${file}`];
  const head = [
    `diff --git ${from} ${to}`,
    ...(before === undefined ? ["new file mode 100644"] : []),
    `--- ${before === undefined ? "/dev/null" : from}`,
    `+++ ${to}`,
  ];
  const { hunks } = structuredPatch(file, file, before ?? "", after, "", "", { context: CONTEXT });
  const body = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldLines === 0 ? oldStart - 1 : oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  return `${[...head, ...body].join("\n")}\n`;
}
