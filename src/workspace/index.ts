/**
 * Snapshots of an agent's workspace, and moves of its files to an earlier place of a session. For users it is described
 * in docs/time-travel.md.
 */
export { WorkspaceError, type WorkspaceErrorCode } from "./errors.ts";
export { shownPath } from "./git/trees.ts";
export type { Decision } from "./moves/fold.ts";
export {
  assertDecided,
  type FilesMove,
  type FilesReport,
  moveFiles,
  moveWithoutFiles,
  previewFiles,
} from "./moves/move.ts";
export type { FilePlace } from "./moves/plan.ts";
export { type Settled, settleMoves } from "./moves/settle.ts";
export { moveMark, type Owner, type PendingMove } from "./records/records.ts";
export { forgetSessions } from "./forget.ts";
export { MAX_AGE_MS, MAX_STEPS, snapshotsSize, tidy, tidyToSize } from "./snapshots/tidy.ts";
export { snapshotsFolder, WorkspaceStore } from "./snapshots/store.ts";
