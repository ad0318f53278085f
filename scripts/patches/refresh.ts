/** What `npm run generate patches` does with the files of one release, and with those of no release. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { patchFileNames, type PatchFile, type PatchFiles } from "../../src/patching/patch-file.ts";
import { writePatchFiles } from "../../src/patching/write-patch-files.ts";

/** `write`: both parts. `check`: nothing is written, the call sites are compared, which git has. */
export type Mode = "write" | "check";

/** What was done, and what is wrong. */
export interface Outcome {
  readonly done: readonly string[];
  readonly faults: readonly string[];
}

/** Writes or compares the files of a release in `folder`, by the mode. */
export function refresh(folder: string, { guard, callSites }: PatchFiles, mode: Mode): Outcome {
  const parts = mode === "write" ? [put(folder, guard), put(folder, callSites)] : [compare(folder, callSites)];
  return { done: parts.flatMap(({ done }) => done), faults: parts.flatMap(({ faults }) => faults) };
}

/** Removes the patch files in `folder` that belong to none of the releases; a check only names them. */
export function removeStray(folder: string, releases: readonly string[], mode: Mode): Outcome {
  const known = new Set(releases.map(patchFileNames).flatMap(({ guard, callSites }) => [guard, callSites]));
  const stray = readdirSync(folder).filter((name) => name.endsWith(".patch") && !known.has(name));
  if (mode !== "write")
    return { done: [], faults: stray.map((name) => `patches/${name} belongs to no release of the list`) };
  for (const name of stray) rmSync(join(folder, name));
  return { done: stray.map((name) => `removed patches/${name}`), faults: [] };
}

function put(folder: string, file: PatchFile): Outcome {
  const done = writePatchFiles(folder, [file]).map(({ action, lines }) =>
    action === "written" ? `wrote patches/${file.name} (${lines} lines)` : `patches/${file.name} is up to date`,
  );
  return { done, faults: [] };
}

function compare(folder: string, file: PatchFile): Outcome {
  const path = join(folder, file.name);
  return existsSync(path) && readFileSync(path, "utf8") === file.text
    ? { done: [`patches/${file.name} is up to date`], faults: [] }
    : { done: [], faults: [`patches/${file.name} is not what the patch points give`] };
}
