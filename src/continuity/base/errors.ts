import { CodedError, makeErrorBuilder } from "../../base/coded-error.ts";

/**
 * Why a command was refused or the ledger could not be used. The code is for programs, the message for the person who
 * has to act.
 */
export type ContinuityErrorCode =
  | "bad-input"
  | "not-found"
  | "invalid-transition"
  | "dependencies-open"
  | "tasks-open"
  | "goal-not-active"
  | "claim-held"
  | "command-mismatch"
  | "lease-held"
  | "lease-expired"
  | "fenced"
  | "idempotency-key-required"
  | "step-mismatch"
  | "step-not-started"
  | "step-open"
  | "step-unknown"
  | "step-abandoned"
  | "step-timeout"
  | "memory-write-refused"
  | "damaged"
  | "older-copy"
  | "project-exists"
  | "newer"
  | "foreign"
  | "no-sqlite"
  | "no-engine"
  | "no-pg"
  | "busy"
  | "not-writable"
  | "unavailable"
  | "no-object-storage";

/**
 * Thrown for every refusal of the continuity kernel. Nothing was written unless the code is `unavailable` and the
 * message says otherwise.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, ContinuityError, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * try {
 *   await site.startTask({ task_id: "no-such-task" });
 *   assert.fail("there is none");
 * } catch (error) {
 *   assert.ok(error instanceof ContinuityError);
 *   assert.equal(error.code, "not-found");
 * }
 * await continuity.close();
 * ```
 */
export class ContinuityError extends CodedError<ContinuityErrorCode> {
  override readonly name = "ContinuityError";
}

/** Builds an error with the three-part message (expected, found, todo) that all refusals share. */
export const continuityError = makeErrorBuilder(ContinuityError);
