import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";

/** Why files could not be captured or moved. The code is for programs, the message for the person or the agent. */
export type WorkspaceErrorCode =
  /** No git that can be run is in PATH. */
  | "no-git"
  | "git-failed"
  | "timeout"
  /** The folder is none of which snapshots are made, or is too large. */
  | "unfit"
  /** Another process works on the snapshots. */
  | "busy"
  /** There are no snapshots to go back by. */
  | "no-snapshots"
  /** Others have changed files since, and nobody has decided about them. */
  | "conflicts"
  /** A move that a kill had cut off comes first. */
  | "move-pending"
  /** Something else is where a file has to go. */
  | "blocked"
  | "not-writable";

/** Thrown when files cannot be captured or moved. Unless the message says otherwise, no file was changed. */
export class WorkspaceError extends CodedError<WorkspaceErrorCode> {
  override readonly name = "WorkspaceError";
}

/** Builds a WorkspaceError with the parts expected, found and to do. */
export const workspaceError = makeErrorBuilder(WorkspaceError);
