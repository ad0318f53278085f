import { CodedError, makeErrorBuilder } from "../../base/coded-error.ts";

/**
 * Why a patch was refused. The code is for programs, the message for the person who has to act:
 * it says what was expected, what was found and what to do.
 */
export type PatchErrorCode =
  /** No OpenClaw is there. */
  | "openclaw-missing"
  /** Several OpenClaws are there. */
  | "openclaw-ambiguous"
  /** Yarn keeps OpenClaw in an archive. */
  | "openclaw-in-archive"
  /** Another user decides what is at that path. */
  | "openclaw-foreign"
  /** A link leads to files elsewhere, which would be changed. */
  | "openclaw-linked"
  /** A file is not as it was published. */
  | "openclaw-modified"
  | "half-patched"
  /** A patch point does not find its place. */
  | "point-mismatch"
  /** The patched file could not be restored byte for byte, or does not parse. */
  | "outcome-invalid"
  /** The package has no built guard, or one without an export. */
  | "guard-missing"
  | "not-writable"
  /** Another process changes the files. */
  | "busy"
  | "not-patched"
  | "install-failed"
  /** The checkout has changes that are not committed. */
  | "checkout-dirty"
  | "git-failed"
  /** The folder for the patches has other files in it. */
  | "folder-not-empty";

/** Every refusal of the patch engine. When one is thrown, the installation is as it was before. */
export class PatchError extends CodedError<PatchErrorCode> {
  override readonly name = "PatchError";
}

/** Builds the three-part message all refusals share. */
export const patchError = makeErrorBuilder(PatchError);
