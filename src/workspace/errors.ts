import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";

/** Why files could not be captured or moved. The code is for programs, the message for the person or the agent. */
export type WorkspaceErrorCode =
  | "no-git"
  | "git-failed"
  | "timeout"
  | "unfit"
  | "busy"
  | "no-snapshots"
  | "conflicts"
  | "move-pending"
  | "blocked"
  | "not-writable";

/** Thrown when files cannot be captured or moved. Unless the message says otherwise, no file was changed. */
export class WorkspaceError extends CodedError<WorkspaceErrorCode> {
  override readonly name = "WorkspaceError";
}

/** Builds a WorkspaceError with the parts expected, found and to do. */
export const workspaceError = makeErrorBuilder(WorkspaceError);
