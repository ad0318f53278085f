/** What a carryover says about the files of the workspace. */
import { nameInline, quoted } from "../../base/quoted.ts";
import type { FilesReport } from "../../workspace/index.ts";

const BACK = "[These files of the workspace are as they were at this point again";
const BACK_THEN = "[These files of the workspace come back with you";
const KEPT = "[These files were NOT brought back; they are as someone else has written them since";
const KEPT_THEN = "[These files are NOT brought back; they stay as someone else has written them since";
/** How many files have lines of their own. */
const MAX_LINES = 40;

/**
 * Returns sections on the files that a move brings or brought back, and on those that it leaves to others; none where
 * the move keeps all files (no report).
 */
export function filesSections(files: FilesReport | undefined, when: "preview" | "done" = "done"): string[] {
  if (files === undefined) return [];
  const { restored, removed, merged, conflicts } = files;
  const mixed = new Set(merged);
  const back = [
    ...restored.map(
      (path) => `- ${nameInline(path)}${mixed.has(path) ? " (with what someone else changed in it since)" : ""}`,
    ),
    ...removed.map((path) => `- ${nameInline(path)} (removed: it did not exist at this point)`),
  ];
  const kept = conflicts.map(({ path, why }) => `- ${nameInline(path)} (${why})`);
  return [
    back.length === 0
      ? `[${kept.length === 0 ? "The" : "All other"} files of the workspace are as they were at this point: ` +
        "nothing had to be brought back.]"
      : listed(when === "done" ? BACK : BACK_THEN, back),
    ...(kept.length === 0 ? [] : [listed(when === "done" ? KEPT : KEPT_THEN, kept)]),
  ];
}

function listed(heading: string, lines: readonly string[]): string {
  const more = lines.length > MAX_LINES ? `; the first ${MAX_LINES} of ${lines.length}` : "";
  return `${heading}${more}:]\n${lines.slice(0, MAX_LINES).map(quoted).join("\n")}`;
}
