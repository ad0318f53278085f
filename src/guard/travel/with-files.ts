import { stateDirectory } from "../../store/state-directory.ts";
import { filesSections } from "../../timetravel/carry/files.ts";
import { toFilePlace } from "../../timetravel/files/places.ts";
import type { History, MoveIntent } from "../../timetravel/index.ts";
import { workspaceError } from "../../workspace/errors.ts";
import {
  assertDecided,
  type Decision,
  type FilesReport,
  moveFiles,
  moveWithoutFiles,
  previewFiles,
} from "../../workspace/index.ts";
import { logFailure } from "../base/log.ts";
import type { RunFiles } from "./run-files.ts";

/** How conflicts are decided in a move that brings files back. */
export interface AskedFiles {
  readonly conflicts: Decision | undefined;
}

/** Returns the captures of a run. Throws `no-snapshots` where they are turned off or not possible. */
export function capturedFiles(files: RunFiles | undefined): RunFiles {
  if (files) return files;
  throw workspaceError("no-snapshots", {
    expected: "a run whose files are captured",
    found: "one where that is turned off or not possible",
    todo: "Go back without files; the operator turns them on. Nothing was moved.",
  });
}

/**
 * Returns what a move would do to files, as text for the agent. Rejects with the WorkspaceErrors of a preview, and
 * `conflicts` where nothing decides them.
 */
export async function previewText(
  { store, owner }: RunFiles,
  history: History,
  { targetId }: MoveIntent,
  { conflicts }: AskedFiles,
): Promise<string> {
  const planned = await previewFiles(store, { owner, where: toFilePlace(history, targetId), decision: conflicts });
  assertDecided(planned, conflicts);
  return filesSections(planned, "preview").join("\n\n");
}

/**
 * Makes a move by `made`, with the files where `asked` says so. A move that keeps them is recorded, so that its place
 * knows its files. Rejects as {@link moveFiles} does; nothing is moved then.
 */
export async function moveWith<Value>(
  files: RunFiles | undefined,
  asked: AskedFiles | undefined,
  history: History,
  { intentId, targetId }: MoveIntent,
  made: (report?: FilesReport) => Promise<Value>,
): Promise<Value> {
  if (!files) return made();
  const { store, owner } = files;
  if (asked) {
    const where = toFilePlace(history, targetId);
    return moveFiles(stateDirectory(), store, { owner, where, decision: asked.conflicts, intentId }, made);
  }
  const value = await made();
  await moveWithoutFiles(store, owner, intentId).catch((error: unknown) =>
    logFailure("files", error, "a later move may bring back files as they were before this one"),
  );
  return value;
}
