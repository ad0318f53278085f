import { CodedError, makeErrorBuilder } from "../../base/coded-error.ts";

/**
 * Why a patch was refused. The code is for programs, the message for the person who has to act:
 * it says what was expected, what was found and what to do.
 */
export type PatchErrorCode =
  | "openclaw-missing"
  | "openclaw-ambiguous"
  | "openclaw-in-archive"
  | "openclaw-foreign"
  | "openclaw-linked"
  | "openclaw-modified"
  | "half-patched"
  | "point-mismatch"
  | "outcome-invalid"
  | "guard-missing"
  | "not-writable"
  | "busy"
  | "not-patched"
  | "install-failed"
  | "checkout-dirty"
  | "git-failed"
  | "folder-not-empty";

/** Every refusal of the patch engine. When one is thrown, the installation is as it was before. */
export class PatchError extends CodedError<PatchErrorCode> {
  override readonly name = "PatchError";
}

/** Builds the three-part message all refusals share. */
export const patchError = makeErrorBuilder(PatchError);
