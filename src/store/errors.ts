import { CodedError, makeErrorBuilder } from "../base/coded-error.ts";

/**
 * Why an operation on a stored session was refused. The code is for programs, the message for the person who has to
 * act.
 */
export type StoreErrorCode =
  | "state-missing"
  | "agent-missing"
  | "archive-missing"
  | "archive-foreign"
  | "archive-damaged"
  | "archive-moved"
  | "session-missing"
  | "session-taken"
  | "session-left"
  | "session-busy"
  | "checkpoint-missing"
  | "checkpoint-foreign"
  | "checkpoint-damaged"
  | "store-unreadable"
  | "openclaw-unfit"
  | "openclaw-failed"
  | "declined"
  | "not-writable"
  | "unsafe-path";

/**
 * Every refusal on stored sessions. When one is thrown, the session is as it was before.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { JsonlSession, StoreError } from "openclaw-integrity/integrity";
 *
 * try {
 *   new JsonlSession("/no/such/folder/session.jsonl");
 *   assert.fail("it is not there");
 * } catch (error) {
 *   assert.ok(error instanceof StoreError);
 *   assert.equal(error.code, "session-missing");
 * }
 * ```
 */
export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = "StoreError";
}

/** Builds a StoreError with the parts expected, found and to do. */
export const storeError = makeErrorBuilder(StoreError);

export { describeError } from "../base/coded-error.ts";

/** Whether an error of the file system has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
