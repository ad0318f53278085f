import { visible } from "../../doctor/printable.ts";
import type { FilesReport } from "../../workspace/index.ts";

/** How many files of each kind are named. */
const SHOWN = 20;

/** What a rewind does, or has done, to the files of the workspace. */
export function filesLines(
  { workspace, restored, removed, merged, conflicts }: FilesReport,
  isDone: boolean,
): string[] {
  const mixed = new Set(merged);
  const why = new Map(conflicts.map(({ path, why: reason }) => [path, reason]));
  const touched = restored.length + removed.length + conflicts.length;
  return [
    `  files of ${visible(workspace)}: ${touched === 0 ? "as they are at this place already" : ""}`.trimEnd(),
    ...(restored.length === 0 ? [] : [`  ${isDone ? "brought back" : "would come back"}: ${restored.length}`]),
    ...named(restored, (path) => (mixed.has(path) ? " (with what someone else changed in it since)" : "")),
    ...(removed.length === 0
      ? []
      : [`  ${isDone ? "removed" : "would go"}, because they were not there: ${removed.length}`]),
    ...named(removed, () => ""),
    ...(conflicts.length === 0
      ? []
      : [`  ${isDone ? "left" : "conflicts"}, because someone else changed them since: ${conflicts.length}`]),
    ...named(
      conflicts.map(({ path }) => path),
      (path) => ` (${why.get(path)})`,
    ),
  ];
}

function named(paths: readonly string[], note: (path: string) => string): string[] {
  return [
    ...paths.slice(0, SHOWN).map((path) => `    ${visible(path)}${note(path)}`),
    ...(paths.length > SHOWN ? [`    and ${paths.length - SHOWN} more`] : []),
  ];
}
