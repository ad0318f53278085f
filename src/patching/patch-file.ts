/** A plan as a patch file in the format that patch-package reads. */
import { structuredPatch } from "diff";
import { gitBlobId } from "./base/hash.ts";
import type { Plan } from "./plan.ts";

/** One line around each change: no more of OpenClaw's text than a patch needs. */
const CONTEXT = 1;
const FOLDER = "node_modules/openclaw";

/** The name patch-package looks for. */
export function patchFileName(release: string): string {
  return `openclaw+${release}.patch`;
}

/** The text of the patch file. Applying it gives the same bytes as apply(). */
export function patchFileText({ files, lists, guard }: Plan): string {
  const changed = [...files, ...lists].map(({ file, original, patched }) => fileDiff(file, original, patched));
  return [...changed, fileDiff(guard.file, undefined, guard.text)].join("");
}

function fileDiff(file: string, before: string | undefined, after: string): string {
  const [from, to] = [`a/${FOLDER}/${file}`, `b/${FOLDER}/${file}`];
  const ids = `${before === undefined ? "0000000" : gitBlobId(before).slice(0, 7)}..${gitBlobId(after).slice(0, 7)}`;
  const head = [
    `diff --git ${from} ${to}`,
    ...(before === undefined ? ["new file mode 100644", `index ${ids}`] : [`index ${ids} 100644`]),
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
